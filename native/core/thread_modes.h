#pragma once

#include <cstdint>

#include "core/export.h"
#include "core/tls.h"

namespace onetape {

class CallWatcher;
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
};
extern ONETAPE_API ONETAPE_HOT_TLS ThreadModes thread_modes;

}  // namespace onetape
