#include "profiler/session.h"

#include <mutex>
#include <vector>

#include "core/allocator.h"
#include "core/error.h"
#include "core/memory_teller.h"
#include "profiler/span_watcher.h"

namespace onetape::profiler {
namespace {

struct Session {
  Options options;
  Moment first;
  int64_t memory_before = 0;
  std::vector<std::shared_ptr<ThreadSpans>> lists;
};

std::mutex g_lock;
std::unique_ptr<Session> g_session;

/// Holds the thread's list, so that it is there as long as the thread adds to it.
struct Owner {
  std::shared_ptr<ThreadSpans> list;
  ~Owner() {
    t_spans = nullptr;
    t_memory_teller = nullptr;
    set_watcher(nullptr);
  }
};
thread_local Owner t_owner;

void note_memory(int64_t bytes, const void* address) noexcept {
  if (t_spans) t_spans->note_memory(bytes, address);
}

/// Operators of the calling thread make spans from now on, or no more. A recorder of a tape stays.
void set_list(ThreadSpans* list, bool memory) {
  CallWatcher* const before = plain_watcher();
  t_spans = list;
  t_memory_teller = list && memory ? note_memory : nullptr;
  if (thread_modes.watcher == before) set_watcher(plain_watcher());
}

}  // namespace

SpanWatcher& span_watcher() {
  static SpanWatcher watcher;
  return watcher;
}

void start(const Options& options) {
  const std::lock_guard guard(g_lock);
  check(!g_session, "Profiler is already enabled on this thread");
  auto session = std::make_unique<Session>();
  session->options = options;
  session->lists.push_back(std::make_shared<ThreadSpans>(options, std::make_shared<KeptTexts>()));
  session->memory_before = memory_stats().live;
  session->first = moment();
  t_owner.list = session->lists.front();
  set_list(t_owner.list.get(), options.memory);
  g_session = std::move(session);
}

std::shared_ptr<const Profile> stop() {
  std::unique_ptr<Session> session;
  {
    const std::lock_guard guard(g_lock);
    check(g_session != nullptr, "Can't disable Kineto profiler when it's not running");
    session = std::move(g_session);
  }
  for (const auto& list : session->lists) list->close();
  set_list(nullptr, false);
  const Moment last = moment();
  auto profile = std::make_shared<Profile>(collect(session->lists, session->options, session->first, last));
  profile->memory_before = session->memory_before;
  return profile;
}

bool running() {
  const std::lock_guard guard(g_lock);
  return g_session != nullptr;
}

}  // namespace onetape::profiler
