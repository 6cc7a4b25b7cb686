#include "distributed/work.h"

#include "core/error.h"

namespace onetape::distributed {

bool Work::wait_until(Clock::time_point deadline) {
  std::unique_lock lock(lock_);
  return done_.wait_until(lock, deadline, [this] { return completed_; });
}

void Work::wait() {
  {
    std::unique_lock lock(lock_);
    done_.wait(lock, [this] { return completed_; });
  }
  rethrow();
}

bool Work::completed() const {
  const std::lock_guard lock(lock_);
  return completed_;
}

std::exception_ptr Work::failure() const {
  const std::lock_guard lock(lock_);
  return failure_;
}

void Work::rethrow() const {
  if (const std::exception_ptr failed = failure()) std::rethrow_exception(failed);
}

int Work::source_rank() const {
  check(completed() && source_ >= 0, "source_rank is known of a receive that is done, and of nothing else");
  return source_;
}

void Work::then(std::function<void()> f) {
  {
    const std::lock_guard lock(lock_);
    if (!completed_) {
      callbacks_.push_back(std::move(f));
      return;
    }
  }
  f();
}

void Work::finish(std::exception_ptr failure) {
  std::vector<std::function<void()>> callbacks;
  {
    const std::lock_guard lock(lock_);
    failure_ = std::move(failure);
    completed_ = true;
    callbacks.swap(callbacks_);
  }
  done_.notify_all();
  for (const auto& callback : callbacks) callback();
}

TaskThreads::~TaskThreads() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(lock_);
    ending_ = true;
    dropped.swap(tasks_);
  }
  news_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void TaskThreads::run(std::function<void()> task) {
  const std::lock_guard lock(lock_);
  check(!ending_, "the process group was destroyed");
  if (idle_ <= tasks_.size() && threads_.size() < most_) threads_.emplace_back([this] { serve(); });
  tasks_.push_back(std::move(task));
  news_.notify_one();
}

void TaskThreads::serve() {
  std::unique_lock lock(lock_);
  for (;;) {
    ++idle_;
    news_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
    --idle_;
    if (ending_) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it keeps is let go of without the lock
    lock.lock();
  }
}

}  // namespace onetape::distributed
