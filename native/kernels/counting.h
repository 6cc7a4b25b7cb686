#pragma once

#include "core/tensor.h"

namespace onetape {

/// The distinct elements of contiguous `t`, in order; nan equals nothing. If wanted, `inverse` (contiguous,
/// of t's number of elements) gets where each element is among them, and `counts` becomes how often each
/// occurs.
Tensor distinct(const Tensor& t, const Tensor* inverse, Tensor* counts);

}  // namespace onetape
