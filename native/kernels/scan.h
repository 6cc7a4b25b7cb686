#pragma once

#include "core/tensor.h"

namespace onetape {

// out and in are of one shape and dtype, and not 0-dim.

/// Running sums along dim.
void running_sum(const Tensor& out, const Tensor& in, int64_t dim);
/// Running products along dim.
void running_product(const Tensor& out, const Tensor& in, int64_t dim);
/// Running maxima (or minima) along dim, and where each was last found; nan wins.
void running_extremum(const Tensor& out, const Tensor& index, const Tensor& in, int64_t dim, bool largest);

}  // namespace onetape
