#pragma once

#include <atomic>
#include <cstdint>

#include "core/export.h"
#include "core/tls.h"

namespace onetape {

class CallWatcher;
enum class DeviceType : uint8_t;
class LaunchWatcher;
class SavedTensorHooks;

/// What a thread's programs have switched on; see autograd/mode.h, autograd/saved_hooks.h and
/// tape/recorder.h.
struct ThreadModes {
  bool recording = true;  // grad, and not inference
  bool grad = true;
  bool inference = false;
  uint32_t first_version = 0;               // of a new storage: marks those made in inference mode
  SavedTensorHooks* saved_hooks = nullptr;  // the innermost; owned by the thread's list of them
  CallWatcher* watcher = nullptr;           // of all that the thread does, while it is recorded as a tape
  LaunchWatcher* launches = nullptr;        // of its element-wise kernels; see ops/pointwise.h
  DeviceType device{};                      // where new tensors stand: that of the running operator
  int64_t inline_bytes = 64;                // so small elements stand in their tensor; -1: none do
};
extern ONETAPE_API ONETAPE_HOT_TLS ThreadModes thread_modes;

/// Reasons there are in the process to look at every call of an operator: threads with a watcher, and
/// (one) that there are tensors whose elements are not in the CPU's memory.
extern ONETAPE_API std::atomic<uint32_t> call_observers;
inline bool calls_observed() { return call_observers.load(std::memory_order_relaxed) != 0; }
/// The calling thread's watcher from now on; null for none.
ONETAPE_API void set_watcher(CallWatcher* watcher) noexcept;

}  // namespace onetape
