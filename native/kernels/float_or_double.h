#pragma once

#include "core/dtype.h"

namespace onetape {

/// Calls f(double()) for F64, else f(float()): for kernels that compute in these two alone.
template <typename F>
void visit_float_or_double(DType dtype, const F& f) {
  if (dtype == DType::F64) return f(double());
  f(float());
}

}  // namespace onetape
