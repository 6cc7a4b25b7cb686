#pragma once

#include "core/tensor.h"

namespace onetape {

/// sum += gradient, outside the graph. The usual case, two dense tensors of one dtype, goes straight to the
/// kernel.
void add_gradient(const Tensor& sum, const Tensor& gradient);

}  // namespace onetape
