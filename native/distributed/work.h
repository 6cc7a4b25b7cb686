#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/tensor.h"
#include "distributed/store.h"

namespace onetape::distributed {

/// One operation on its way. It goes on, and keeps its tensors, whether anybody waits for it or not.
class ONETAPE_API Work {
 public:
  explicit Work(std::string operation, std::vector<Tensor> results = {})
      : operation_(std::move(operation)), results_(std::move(results)) {}

  /// False if it is not done by then; never throws what the operation failed with.
  bool wait_until(Clock::time_point deadline);
  /// Waits for the end, and throws what the operation failed with.
  void wait();
  bool completed() const;
  /// What it failed with, or null; null also while it is not done.
  std::exception_ptr failure() const;
  void rethrow() const;
  /// The tensors that hold what came of it.
  const std::vector<Tensor>& results() const { return results_; }
  const std::string& operation() const { return operation_; }
  /// Of a receive: who sent. RuntimeError for others, and before it is done.
  int source_rank() const;
  /// Calls f when it is done, on the thread that did it, or now if that was before. f throws nothing.
  void then(std::function<void()> f);

  void finish(std::exception_ptr failure);
  void set_source(int rank) { source_ = rank; }

 private:
  const std::string operation_;
  const std::vector<Tensor> results_;
  mutable std::mutex lock_;
  std::condition_variable done_;
  bool completed_ = false;
  std::exception_ptr failure_;
  int source_ = -1;
  std::vector<std::function<void()>> callbacks_;
};

using WorkRef = std::shared_ptr<Work>;

/// Runs tasks in the order in which they come, some at a time, on threads that are made when they are needed.
class TaskThreads {
 public:
  explicit TaskThreads(size_t most) : most_(most) {}
  /// Waits for the tasks that have begun, and drops the others.
  ~TaskThreads();
  TaskThreads(const TaskThreads&) = delete;
  TaskThreads& operator=(const TaskThreads&) = delete;
  void run(std::function<void()> task);

 private:
  void serve();

  const size_t most_;
  std::mutex lock_;
  std::condition_variable news_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool ending_ = false;
};

}  // namespace onetape::distributed
