#pragma once

#include "core/export.h"

namespace onetape {

/// The grad mode of the calling thread: are operators recorded?
ONETAPE_API bool grad_enabled();
ONETAPE_API void set_grad_enabled(bool enabled);

/// Switches the mode for a scope of C++ code.
class GradModeGuard {
 public:
  explicit GradModeGuard(bool enabled) : previous_(grad_enabled()) { set_grad_enabled(enabled); }
  ~GradModeGuard() { set_grad_enabled(previous_); }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  bool previous_;
};

}  // namespace onetape
