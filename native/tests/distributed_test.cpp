// Stores, works and the reductions of process groups; groups themselves need processes and are tested from
// Python.

#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "distributed/file_store.h"
#include "distributed/group_error.h"
#include "distributed/hash_store.h"
#include "distributed/reduce_op.h"
#include "distributed/rendezvous.h"
#include "distributed/tcp_store.h"
#include "distributed/work.h"

namespace onetape::distributed {
namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 200;

template <typename F>
void in_threads(F f) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(f, i);
  for (std::thread& thread : threads) thread.join();
}

void count_from_threads(const std::function<StoreRef(int)>& store_of) {
  in_threads([&](int i) {
    const StoreRef store = store_of(i);
    for (int round = 0; round < kRounds; ++round) store->add("sum", 1);
    store->set("done/" + std::to_string(i), "yes");
    std::vector<std::string> all;
    for (int other = 0; other < kThreads; ++other) all.push_back("done/" + std::to_string(other));
    store->wait(all, std::chrono::seconds(30));
    EXPECT_EQ(store->add("sum", 0), kThreads * kRounds);
  });
}

TEST(Stores, HashStoreServesThreads) {
  const auto store = std::make_shared<HashStore>();
  count_from_threads([&](int) -> StoreRef { return StoreRef(store); });
}

TEST(Stores, TcpStoreServesThreadsThroughOneClientAndThroughMany) {
  const auto server = std::make_shared<TcpStore>("127.0.0.1", TcpStoreOptions{.port = 0, .is_server = true});
  count_from_threads([&](int) -> StoreRef { return StoreRef(server); });
  server->delete_key("sum");
  for (int i = 0; i < kThreads; ++i) server->delete_key("done/" + std::to_string(i));
  count_from_threads(
      [&](int) { return std::make_shared<TcpStore>("127.0.0.1", TcpStoreOptions{.port = server->port()}); });
}

TEST(Stores, FileStoreServesThreads) {
  const std::string path = std::filesystem::temp_directory_path() / "onetape-store-test";
  std::filesystem::remove(path);
  const auto kept = std::make_shared<FileStore>(path, 1);
  count_from_threads([&](int) { return std::make_shared<FileStore>(path, -1); });
  EXPECT_EQ(kept->get("sum"), std::to_string(kThreads * kRounds));
}

TEST(Stores, StrangersDoNotDisturbAServer) {
  const auto server = std::make_shared<TcpStore>("127.0.0.1", TcpStoreOptions{.port = 0, .is_server = true});
  server->set("a", "b");
  in_threads([&](int i) {
    std::string noise(static_cast<size_t>(100 * i + 1), static_cast<char>(i * 37));
    if (i % 2) noise = std::string(kGreeting) + std::string(4, '\0') + noise;
    const Descriptor socket = connect_to("127.0.0.1", server->port(), std::chrono::seconds(5));
    try {
      send_all(socket, noise, deadline_after(std::chrono::seconds(5)));
      shutdown(socket.get(), SHUT_WR);
      char byte = 0;
      for (;;) receive_all(socket, &byte, 1, deadline_after(std::chrono::seconds(5)));
    } catch (const ConnectionLost&) {  // NOLINT(bugprone-empty-catch)
      // As it should be.
    }
  });
  EXPECT_EQ(server->get("a"), "b");
}

TEST(Stores, WaitsEndAtTheTimeout) {
  const auto server = std::make_shared<TcpStore>("127.0.0.1", TcpStoreOptions{.port = 0, .is_server = true});
  EXPECT_THROW(server->wait({"none"}, Milliseconds(30)), GroupError);
  EXPECT_THROW(server->wait({"none"}, Milliseconds(-5)), GroupError);
  EXPECT_THROW(HashStore().wait({"none"}, Milliseconds(30)), GroupError);
}

TEST(Rendezvous, ReadsUrls) {
  EXPECT_THROW(rendezvous("nonsense", 0, 1, Milliseconds(100)), Error);
  EXPECT_THROW(rendezvous("tcp://[::1]", 0, 1, Milliseconds(100)), Error);
  EXPECT_THROW(rendezvous("tcp://127.0.0.1:99999", 0, 1, Milliseconds(100)), Error);
  const MeetingPoint point =
      rendezvous("tcp://127.0.0.1:0?rank=0&world_size=1&token=x", -1, -1, Milliseconds(5000));
  EXPECT_EQ(point.rank, 0);
  EXPECT_EQ(point.world_size, 1);
  EXPECT_EQ(point.address, "127.0.0.1");
}

TEST(Works, TellThoseWhoWaitAndThoseWhoCall) {
  TaskThreads threads(2);
  std::vector<WorkRef> works;
  std::atomic<int> called{0};
  for (int i = 0; i < 100; ++i) {
    works.push_back(std::make_shared<Work>("work " + std::to_string(i)));
    works.back()->then([&] { ++called; });
    threads.run([work = works.back(), i] {
      work->finish(i % 10 ? nullptr : std::make_exception_ptr(std::runtime_error("failed")));
    });
  }
  int failed = 0;
  for (const WorkRef& work : works) {
    EXPECT_TRUE(work->wait_until(deadline_after(std::chrono::seconds(20))));
    failed += work->failure() != nullptr;
  }
  EXPECT_EQ(failed, 10);
  EXPECT_THROW(works[0]->wait(), std::runtime_error);
  EXPECT_THROW(works[1]->source_rank(), Error);
  while (called < 100) std::this_thread::yield();
}

TEST(Reductions, KnowTheirDtypes) {
  const float a[3] = {1, 2, 3};
  const float b[3] = {3, 1, 2};
  float out[3] = {};
  combine_function("all_reduce", ReduceOp::Max, DType::F32)(out, a, b, 3);
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(out[1], 2);
  const bool yes[2] = {true, false};
  const bool no[2] = {false, false};
  bool either[2] = {};
  combine_function("all_reduce", ReduceOp::Sum, DType::Bool)(either, yes, no, 2);
  EXPECT_TRUE(either[0]);
  EXPECT_FALSE(either[1]);
  EXPECT_THROW(combine_function("all_reduce", ReduceOp::Band, DType::F32), Error);
  EXPECT_THROW(combine_function("all_reduce", ReduceOp::Avg, DType::I64), Error);
  EXPECT_THROW(combine_function("all_reduce", ReduceOp::Min, DType::C64), Error);
}

}  // namespace
}  // namespace onetape::distributed
