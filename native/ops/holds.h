#pragma once

#include "core/call_watcher.h"
#include "core/tensor.h"

namespace onetape {

/// The value of a condition on operands, which an operator checks.
inline bool holds(const Tensor& condition) {
  note_read(condition, kForItself);
  return *condition.data<bool>();
}

}  // namespace onetape
