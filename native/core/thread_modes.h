#pragma once

#include <cstdint>

#include "core/export.h"
#include "core/tls.h"

namespace onetape {

class SavedTensorHooks;

/// What a thread's programs have switched on; see autograd/mode.h and autograd/saved_hooks.h.
struct ThreadModes {
  bool recording = true;  // grad, and not inference
  bool grad = true;
  bool inference = false;
  uint32_t first_version = 0;               // of a new storage: marks those made in inference mode
  SavedTensorHooks* saved_hooks = nullptr;  // the innermost; owned by the thread's list of them
};
extern ONETAPE_API ONETAPE_HOT_TLS ThreadModes thread_modes;

}  // namespace onetape
