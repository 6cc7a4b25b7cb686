#include "distributed/failure.h"

#include <map>
#include <sstream>
#include <thread>

#include "core/error.h"

namespace onetape::distributed {
namespace {

thread_local Milliseconds t_patience = Milliseconds::max();

std::string told(const FailedCall& call) {
  return call.number < 0 ? call.operation : call.operation + " (#" + std::to_string(call.number) + ")";
}

std::string key_of(int rank) { return "failed/" + std::to_string(rank); }

/// What each rank says it was doing; those that say nothing are missing.
std::map<int, std::string> ask_all(Store& store, const FailedCall& call, Milliseconds patience) {
  const Clock::time_point deadline = deadline_after(patience);
  std::map<int, std::string> answers{{call.rank, told(call)}};
  store.set(key_of(call.rank), told(call));
  for (;;) {
    for (int rank = 0; rank < call.size; ++rank) {
      const std::string key = key_of(rank);
      if (!answers.contains(rank) && store.check({key})) answers[rank] = store.get(key);
    }
    if (static_cast<int>(answers.size()) == call.size || Clock::now() >= deadline) return answers;
    std::this_thread::sleep_for(Milliseconds(10));
  }
}

std::string join(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i) text += (i ? ", " : "") + std::to_string(ranks[i]);
  return text;
}

std::string verdict(const FailedCall& call, const std::map<int, std::string>& answers) {
  std::vector<int> missing;
  for (int rank = 0; rank < call.size; ++rank)
    if (!answers.contains(rank)) missing.push_back(rank);
  if (!missing.empty()) return "no sign of life from " + join(missing);
  std::ostringstream text;
  for (const auto& [rank, operation] : answers)
    if (operation != told(call))
      text << (text.tellp() > 0 ? ", " : "") << "rank " << rank << " was in " << operation;
  if (text.tellp() > 0) return text.str();
  return "all ranks were in it, but it did not come to its end";
}

}  // namespace

StorePatience::StorePatience(Milliseconds most) : before_(t_patience) {
  t_patience = std::min(before_, most);
}
StorePatience::~StorePatience() { t_patience = before_; }
Milliseconds StorePatience::limited(Milliseconds time) { return std::min(time, t_patience); }

std::string explain_failure(Store& store, const FailedCall& call, Milliseconds patience) {
  std::ostringstream text;
  text << told(call) << " failed on rank " << call.rank << " of group '" << call.group << "': ";
  try {
    const StorePatience limit(patience);
    text << verdict(call, ask_all(store, call, patience));
  } catch (const std::exception& error) {
    text << "no sign of life from rank 0 (" << error.what() << ")";
  }
  text << "\nCause: " << call.cause;
  return text.str();
}

}  // namespace onetape::distributed
