#include "distributed/process_group.h"

#include "distributed/failure.h"
#include "distributed/group_error.h"
#include "distributed/operation.h"
#include "tape/recorder.h"

namespace onetape::distributed {
namespace {

constexpr size_t kCollectivesAtATime = 2;
constexpr size_t kTransfersAtATime = 1024;

uint32_t hash_of(std::string_view text) {
  uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

/// Calls that do not belong together never meet: their data would not fit, and Gloo ends the process then.
uint32_t tag_of(int64_t number, std::string_view operation) {
  const uint32_t hash = hash_of(operation);
  return static_cast<uint32_t>(number & 0xfff) << 20 | ((hash >> 20 ^ hash) & 0xfffff);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

ProcessGroup::ProcessGroup(GroupPlan plan) : plan_(std::move(plan)), timeout_(plan_.timeout) {
  check_value(plan_.timeout.count() > 0, "a timeout must be longer than nothing, but is ",
              plan_.timeout.count(), " ms");
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  try {
    backend_ = make_gloo({.store = plan_.store,
                          .rank = rank(),
                          .size = size(),
                          .timeout = plan_.timeout,
                          .address = plan_.address,
                          .interface = interface ? interface : ""});
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail_group(GroupError::Part::Backend, "rank ", rank(), " could not connect to the other ranks of group '",
               name(), "': ", error.what());
  }
  transfers_ = std::make_unique<TaskThreads>(kTransfersAtATime);
  threads_ = std::make_unique<TaskThreads>(kCollectivesAtATime);
}

ProcessGroup::~ProcessGroup() {
  shutdown();
  threads_.reset();
  transfers_.reset();
}

void ProcessGroup::set_timeout(Milliseconds timeout) {
  check_value(timeout.count() > 0, "a timeout must be longer than nothing, but is ", timeout.count(), " ms");
  timeout_ = timeout;
}

void ProcessGroup::shutdown() noexcept {
  {
    const std::lock_guard lock(lock_);
    if (broken_.empty()) broken_ = "it was destroyed";
  }
  backend_->abort();
}

void ProcessGroup::check_usable() const {
  if (!broken_.empty())
    fail_group(GroupError::Part::Backend, "the process group '", name(), "' is of no more use: ", broken_);
}

void ProcessGroup::check_root(const char* function, int root) const {
  check(root >= 0 && root < size(), "ProcessGroupGloo::", function, ": invalid root rank: ", root);
}

WorkRef ProcessGroup::submit(Operation operation) {
  check(!tape::current_recorder(), "Tape: ", operation.name,
        " cannot be recorded, since other processes take part in it");
  const std::lock_guard lock(lock_);
  check_usable();
  const int64_t number = next_number_++;
  auto work = std::make_shared<Work>(operation.name, operation.results);
  while (!recent_.empty() && (recent_.front().expired() || recent_.front().lock()->completed()))
    recent_.pop_front();
  if (operation.after_all) operation.before.assign(recent_.begin(), recent_.end());
  recent_.push_back(work);
  threads_->run([this, work, number, shared = std::make_shared<Operation>(std::move(operation))] {
    run(work, std::move(*shared), number);
  });
  return work;
}

void ProcessGroup::run(const WorkRef& work, Operation operation, int64_t number) {
  std::exception_ptr failure;
  const Milliseconds timeout = timeout_;
  try {
    for (const std::weak_ptr<Work>& earlier : operation.before)
      if (const WorkRef one = earlier.lock()) one->wait_until(deadline_after(timeout));
    if (operation.body) {
      const CallInfo info{tag_of(number, operation.name),
                          std::max(timeout - time_to_ask(timeout), Milliseconds(1))};
      operation.body(*backend_, info);
    }
  } catch (const std::exception& error) {
    failure = failed(operation.name, number, error.what(), timeout);
  }
  try {
    if (!failure && operation.end) operation.end();
  } catch (...) {
    failure = std::current_exception();
  }
  operation = {};  // lets go of the tensors before anybody who waits goes on
  work->finish(std::move(failure));
}

std::exception_ptr ProcessGroup::failed(const std::string& operation, int64_t number,
                                        const std::string& cause, Milliseconds timeout,
                                        const std::string& blame) {
  // One failure brings others about: the first is told.
  const std::lock_guard one_at_a_time(failing_);
  std::string before;
  {
    const std::lock_guard lock(lock_);
    before = broken_;
  }
  std::string text;
  if (!before.empty()) {
    text = operation + " failed on rank " + std::to_string(rank()) + " of group '" + name() +
           "' because of another failure: " + before;
  } else if (!blame.empty()) {
    text = operation + " failed on rank " + std::to_string(rank()) + " of group '" + name() + "': " + blame +
           "\nCause: " + cause;
  } else {
    text = explain_failure(*plan_.store, {name(), rank(), size(), number, operation, cause},
                           time_to_ask(timeout));
  }
  {
    const std::lock_guard lock(lock_);
    if (broken_.empty()) broken_ = first_line(text);
  }
  backend_->abort();
  return std::make_exception_ptr(GroupError(GroupError::Part::Backend, text));
}

void ProcessGroup::monitored_barrier(Milliseconds timeout, bool all) {
  const std::string prefix = "monitored/" + std::to_string(next_barrier_++) + "/";
  const Clock::time_point deadline = deadline_after(timeout);
  const auto left = [deadline] {
    return std::max(std::chrono::ceil<Milliseconds>(deadline - Clock::now()), Milliseconds(0));
  };
  Store& store = *plan_.store;
  if (rank() != 0) {
    store.set(prefix + std::to_string(rank()), "");
    std::string verdict;
    try {
      // Rank 0 may need all of the time to find out who is missing.
      store.wait({prefix + "end"}, timeout + std::max(timeout / 4, Milliseconds(500)));
      verdict = store.get(prefix + "end");
    } catch (const GroupError&) {
      fail_group(GroupError::Part::Backend, "Rank ", rank(), " timed out in monitoredBarrier after ",
                 timeout.count(), " ms.\nNo sign of life from rank 0.");
    }
    if (!verdict.empty()) {
      fail_group(
          GroupError::Part::Backend, "Rank ", rank(),
          " successfully reached monitoredBarrier, but received errors while waiting for send/recv from "
          "rank 0. Please check rank 0 logs for faulty rank.\n",
          verdict);
    }
    return;
  }
  std::string missing;
  for (int other = 1; other < size() && (all || missing.empty()); ++other) {
    try {
      store.wait({prefix + std::to_string(other)}, left());
    } catch (const GroupError&) {
      missing += (missing.empty() ? "" : ", ") + std::to_string(other);
    }
  }
  std::string verdict;
  if (!missing.empty()) {
    verdict = "[Rank 0]: " + std::string(missing.find(',') == std::string::npos ? "Rank " : "Ranks ") +
              missing + " failed to pass monitoredBarrier in " + std::to_string(timeout.count()) + " ms";
  }
  store.set(prefix + "end", verdict);
  if (!verdict.empty()) throw GroupError(GroupError::Part::Backend, verdict);
}

}  // namespace onetape::distributed
