// The backend over Gloo: the only file that knows it, in a library of its own that is loaded when a group is
// made.

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoallv.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/scatter.h>
#include <gloo/transport/tcp/device.h>

#include "core/error.h"
#include "distributed/backend.h"

namespace onetape::distributed {
namespace {

/// Our store as Gloo asks one.
class StoreForGloo final : public gloo::rendezvous::Store {
 public:
  StoreForGloo(StoreRef store, Milliseconds timeout) : store_(std::move(store)), timeout_(timeout) {}
  void set(const std::string& key, const std::vector<char>& data) override {
    store_->set(key, std::string(data.begin(), data.end()));
  }
  std::vector<char> get(const std::string& key) override {
    store_->wait({key}, timeout_);
    const std::string value = store_->get(key);
    return {value.begin(), value.end()};
  }
  void wait(const std::vector<std::string>& keys) override { store_->wait(keys, timeout_); }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override {
    store_->wait(keys, timeout);
  }

 private:
  StoreRef store_;
  Milliseconds timeout_;
};

/// Something with the size of an element, which is all that Gloo wants to know of its type.
template <size_t N>
struct Bytes {
  char bytes[N];
};
template <typename F>
void with_item(size_t item, F&& f) {
  switch (item) {
    case 1:
      return f(Bytes<1>{});
    case 2:
      return f(Bytes<2>{});
    case 4:
      return f(Bytes<4>{});
    case 8:
      return f(Bytes<8>{});
    case 16:
      return f(Bytes<16>{});
    default:
      fail(ErrorKind::Runtime, "no element has ", item, " bytes");
  }
}

char* bytes_of(const void* data) { return const_cast<char*>(static_cast<const char*>(data)); }

class GlooTransfer final : public Transfer {
 public:
  GlooTransfer(std::shared_ptr<gloo::Context> context, const void* data, size_t bytes, bool sends)
      : context_(std::move(context)),
        buffer_(context_->createUnboundBuffer(bytes_of(data), bytes)),
        sends_(sends) {}
  int wait(Milliseconds timeout) override {
    int rank = -1;
    const bool done = sends_ ? buffer_->waitSend(&rank, timeout) : buffer_->waitRecv(&rank, timeout);
    check(done, "the transfer was given up");
    return rank;
  }
  gloo::transport::UnboundBuffer& buffer() { return *buffer_; }

 private:
  std::shared_ptr<gloo::Context> context_;
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
  bool sends_;
};

class GlooBackend final : public Backend {
 public:
  explicit GlooBackend(const BackendPlan& plan) {
    gloo::transport::tcp::attr where;
    where.hostname = plan.address;
    where.iface = plan.interface;
    device_ = gloo::transport::tcp::CreateDevice(where);
    auto context = std::make_shared<gloo::rendezvous::Context>(plan.rank, plan.size);
    context->setTimeout(plan.timeout);
    StoreForGloo store(plan.store, plan.timeout);
    context->connectFullMesh(store, device_);
    context_ = std::move(context);
  }

  void all_reduce(void* data, size_t count, size_t item, const Combine& combine,
                  const CallInfo& info) override {
    gloo::AllreduceOptions options(context_);
    with_item(item, [&]<typename T>(T) { options.setOutput(static_cast<T*>(data), count); });
    options.setReduceFunction(combine);
    set(options, info);
    gloo::allreduce(options);
  }

  void reduce(const void* in, void* out, size_t count, size_t item, const Combine& combine, int root,
              const CallInfo& info) override {
    gloo::ReduceOptions options(context_);
    with_item(item, [&]<typename T>(T) {
      options.setInput(reinterpret_cast<T*>(bytes_of(in)), count);
      options.setOutput(static_cast<T*>(out), count);
    });
    options.setReduceFunction(combine);
    options.setRoot(root);
    set(options, info);
    gloo::reduce(options);
  }

  void broadcast(void* data, size_t bytes, int root, const CallInfo& info) override {
    gloo::BroadcastOptions options(context_);
    options.setOutput(static_cast<char*>(data), bytes);
    options.setRoot(root);
    set(options, info);
    gloo::broadcast(options);
  }

  void all_gather(const void* in, size_t bytes, void* out, const CallInfo& info) override {
    gloo::AllgatherOptions options(context_);
    options.setInput(bytes_of(in), bytes);
    options.setOutput(static_cast<char*>(out), bytes * static_cast<size_t>(context_->size));
    set(options, info);
    gloo::allgather(options);
  }

  void gather(const void* in, size_t bytes, void* out, int root, const CallInfo& info) override {
    gloo::GatherOptions options(context_);
    options.setInput(bytes_of(in), bytes);
    if (context_->rank == root)
      options.setOutput(static_cast<char*>(out), bytes * static_cast<size_t>(context_->size));
    options.setRoot(root);
    set(options, info);
    gloo::gather(options);
  }

  void scatter(const std::vector<const void*>& in, void* out, size_t bytes, int root,
               const CallInfo& info) override {
    gloo::ScatterOptions options(context_);
    if (context_->rank == root) {
      std::vector<char*> blocks;
      for (const void* block : in) blocks.push_back(bytes_of(block));
      options.setInputs(blocks, bytes);
    }
    options.setOutput(static_cast<char*>(out), bytes);
    options.setRoot(root);
    set(options, info);
    gloo::scatter(options);
  }

  void all_to_all(const void* in, const std::vector<int64_t>& in_bytes, void* out,
                  const std::vector<int64_t>& out_bytes, const CallInfo& info) override {
    gloo::AlltoallvOptions options(context_);
    options.setInput(bytes_of(in), in_bytes);
    options.setOutput(static_cast<char*>(out), out_bytes);
    set(options, info);
    gloo::alltoallv(options);
  }

  void barrier(const CallInfo& info) override {
    gloo::BarrierOptions options(context_);
    set(options, info);
    gloo::barrier(options);
  }

  std::unique_ptr<Transfer> send(const void* data, size_t bytes, int to, uint64_t slot) override {
    auto transfer = std::make_unique<GlooTransfer>(context_, data, bytes, true);
    transfer->buffer().send(to, slot);
    return transfer;
  }

  std::unique_ptr<Transfer> receive(void* data, size_t bytes, int from, uint64_t slot) override {
    auto transfer = std::make_unique<GlooTransfer>(context_, data, bytes, false);
    if (from >= 0) {
      transfer->buffer().recv(from, slot, 0, bytes);
    } else {
      std::vector<int> others;
      for (int rank = 0; rank < context_->size; ++rank)
        if (rank != context_->rank) others.push_back(rank);
      transfer->buffer().recv(others, slot, 0, bytes);
    }
    return transfer;
  }

  void abort() noexcept override {
    // A wait that is over at once makes Gloo end the connections with an error for all that wait.
    try {
      char nothing = 0;
      GlooTransfer(context_, &nothing, 1, false).wait(Milliseconds(1));
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
      // That is the error.
    }
  }

 private:
  template <typename Options>
  static void set(Options& options, const CallInfo& info) {
    options.setTag(info.tag);
    options.setTimeout(info.timeout);
  }

  std::shared_ptr<gloo::transport::Device> device_;
  std::shared_ptr<gloo::Context> context_;
};

}  // namespace
}  // namespace onetape::distributed

extern "C" ONETAPE_API onetape::distributed::Backend* onetape_make_gloo(
    const onetape::distributed::BackendPlan& plan) {
  return std::make_unique<onetape::distributed::GlooBackend>(plan).release();
}
