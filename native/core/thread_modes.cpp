#include "core/thread_modes.h"

namespace onetape {

ONETAPE_HOT_TLS ThreadModes thread_modes;
std::atomic<uint32_t> call_observers{0};

void set_watcher(CallWatcher* watcher) noexcept {
  // Counted before it is set and after it is gone; one that a WatcherPause hides stays counted.
  if (watcher && !thread_modes.watcher) call_observers.fetch_add(1, std::memory_order_relaxed);
  if (!watcher && thread_modes.watcher) call_observers.fetch_sub(1, std::memory_order_relaxed);
  thread_modes.watcher = watcher;
}

}  // namespace onetape
