#pragma once

#include "core/tensor.h"

namespace onetape {

/// sum += gradient, outside the graph. The usual case, two dense tensors of one dtype, goes straight to the
/// kernel.
void add_gradient(const Tensor& sum, const Tensor& gradient);
/// The same for that case only, with at most so many elements; false if it is another.
bool add_small_gradient(const Tensor& sum, const Tensor& gradient, int64_t most);

}  // namespace onetape
