#pragma once

#include "core/generator.h"
#include "core/tensor.h"

namespace onetape {

// All tensors are contiguous; a row is the last dimension.

/// For each row of weights, a row of int64 indices drawn independently. The caller holds the generator's
/// lock.
void draw_with_replacement(const Tensor& indices, const Tensor& weights, Generator& generator);
/// For each row, the indices of the largest weight / waiting, in falling order.
void take_largest_ratios(const Tensor& indices, const Tensor& weights, const Tensor& waiting);

}  // namespace onetape
