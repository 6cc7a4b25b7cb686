#pragma once

#include "core/tensor.h"

namespace onetape {

/// out[i] = start + i · step. `out` is contiguous.
void fill_arange(const Tensor& out, const Scalar& start, const Scalar& step);
/// Evenly spaced from start to end, both included; counted from the nearer end.
void fill_linspace(const Tensor& out, const Scalar& start, const Scalar& end);
/// base to the powers of such a sequence.
void fill_logspace(const Tensor& out, const Scalar& start, const Scalar& end, double base);

}  // namespace onetape
