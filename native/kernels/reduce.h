#pragma once

#include "core/tensor.h"

namespace onetape {

/// Adds the elements of `in` into `out`, which has size 1 where a dimension is summed.
void reduce_sum(const Tensor& out, const Tensor& in);

}  // namespace onetape
