#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "distributed/backend.h"
#include "distributed/work.h"

namespace onetape::distributed {

/// Who belongs to a group and how they meet.
struct GroupPlan {
  StoreRef store;  // of this group alone
  std::string name;
  int rank = 0;
  std::vector<int> ranks;  // in the world, in the order of their ranks in this group
  Milliseconds timeout{1'800'000};
  std::string address;  // see BackendPlan
};

/// Processes that exchange tensors, PyTorch's ProcessGroupGloo. All members make the same calls in the same
/// order. A call checks its arguments and reads the tensors' places at once; the elements move later. Tensors
/// of any strides and sizes may be given. Nothing is recorded for backward; tensors that are written to count
/// a change.
class ONETAPE_API ProcessGroup {
 public:
  /// Meets the others. RuntimeError without Gloo; GroupError if somebody does not come in time.
  explicit ProcessGroup(GroupPlan plan);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int rank() const { return plan_.rank; }
  int size() const { return static_cast<int>(plan_.ranks.size()); }
  const std::string& name() const { return plan_.name; }
  const std::vector<int>& ranks() const { return plan_.ranks; }
  const StoreRef& store() const { return plan_.store; }
  Milliseconds timeout() const { return timeout_; }
  void set_timeout(Milliseconds timeout);
  /// Ends all connections: what is on its way fails, and so does every later call.
  void shutdown() noexcept;

  WorkRef all_reduce(const Tensor& tensor, ReduceOp op);
  /// Several tensors of one dtype at once.
  WorkRef all_reduce(const std::vector<Tensor>& tensors, ReduceOp op);
  WorkRef broadcast(const Tensor& tensor, int root);
  WorkRef broadcast(const std::vector<Tensor>& tensors, int root);
  WorkRef reduce(const Tensor& tensor, int root, ReduceOp op);
  WorkRef all_gather(const std::vector<Tensor>& outputs, const Tensor& input);
  WorkRef all_gather_into(const Tensor& output, const Tensor& input);
  /// Outputs at the root only.
  WorkRef gather(const std::vector<Tensor>& outputs, const Tensor& input, int root);
  /// Inputs at the root only.
  WorkRef scatter(const Tensor& output, const std::vector<Tensor>& inputs, int root);
  WorkRef reduce_scatter(const Tensor& output, const std::vector<Tensor>& inputs, ReduceOp op);
  WorkRef reduce_scatter_from(const Tensor& output, const Tensor& input, ReduceOp op);
  WorkRef all_to_all(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs);
  /// Sizes in dimension 0 for each rank; equal parts if empty.
  WorkRef all_to_all_single(const Tensor& output, const Tensor& input,
                            const std::vector<int64_t>& output_splits,
                            const std::vector<int64_t>& input_splits);
  WorkRef barrier();
  WorkRef send(const Tensor& tensor, int to, uint32_t tag);
  /// From anybody if `from` is empty.
  WorkRef receive(const Tensor& tensor, std::optional<int> from, uint32_t tag);
  /// A barrier at which rank 0 finds out who does not come; with `all`, each of them, not only the first.
  void monitored_barrier(Milliseconds timeout, bool all);

 private:
  struct Operation;
  using Body = std::function<void(Backend&, const CallInfo&)>;

  WorkRef submit(Operation operation);
  void run(const WorkRef& work, Operation operation, int64_t number);
  void check_usable() const;
  void check_root(const char* function, int root) const;
  /// What the failure of an operation is told as. `blame` says who it was where that is known.
  std::exception_ptr failed(const std::string& operation, int64_t number, const std::string& cause,
                            Milliseconds timeout, const std::string& blame = {});
  /// Waits for a transfer on a thread of its own; `wait` returns the rank of the other side.
  WorkRef transfer(std::string operation, std::string blame, std::vector<Tensor> results,
                   std::function<int(Milliseconds)> wait);
  WorkRef reduce_blocks(const Tensor& output, const Tensor& blocks, ReduceOp op, const char* function);
  void check_peer(const char* function, int peer) const;

  GroupPlan plan_;
  std::atomic<Milliseconds> timeout_;
  std::unique_ptr<Backend> backend_;
  mutable std::mutex lock_;
  std::mutex failing_;
  int64_t next_number_ = 0;
  int64_t next_barrier_ = 0;
  std::deque<std::weak_ptr<Work>> recent_;
  std::string broken_;  // what ended it
  std::unique_ptr<TaskThreads> transfers_;
  std::unique_ptr<TaskThreads> threads_;
};

using GroupRef = std::shared_ptr<ProcessGroup>;

}  // namespace onetape::distributed
