#pragma once

#include <atomic>
#include <utility>

#include "core/export.h"
#include "core/thread_modes.h"

namespace onetape {

/// Are operators of the calling thread recorded?
inline bool grad_enabled() { return thread_modes.recording; }
/// The grad mode of the calling thread: operators are recorded where it is on, outside inference mode.
inline bool grad_mode() { return thread_modes.grad; }
/// Is the thread in inference mode, in which tensors are made that no later record may need?
inline bool inference_mode() { return thread_modes.inference; }

inline void set_grad_enabled(bool enabled) {
  thread_modes.grad = enabled;
  thread_modes.recording = enabled && !thread_modes.inference;
}
ONETAPE_API void set_inference_mode(bool enabled);

/// Anomaly mode, which holds for the whole process; see autograd/anomaly.h.
struct AnomalySwitch {
  std::atomic<bool> on{false};
  std::atomic<bool> check_nan{true};
};
ONETAPE_API extern AnomalySwitch anomaly_switch;
inline bool anomaly_mode() { return anomaly_switch.on.load(std::memory_order_relaxed); }

/// Do nodes note where they come from? In anomaly mode and while somebody records; see autograd/notes.h.
struct NoteSwitch {
  std::atomic<bool> wanted{false};
};
ONETAPE_API extern NoteSwitch note_switch;
inline bool notes_wanted() { return note_switch.wanted.load(std::memory_order_relaxed); }

/// Switches the grad mode for a scope of C++ code.
class GradModeGuard {
 public:
  explicit GradModeGuard(bool enabled) : previous_(grad_mode()) { set_grad_enabled(enabled); }
  ~GradModeGuard() { set_grad_enabled(previous_); }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  bool previous_;
};

}  // namespace onetape
