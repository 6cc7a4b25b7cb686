#pragma once

#include <span>

#include "core/tensor.h"

namespace onetape {

/// The norm of all tensors together, as if they were one vector; 0 for none. Outside the graph.
ONETAPE_API Tensor total_norm(std::span<const Tensor> tensors, double order);

/// Scales the gradients of parameters, whose norm is `total`, so that it is at most `max_norm`.
ONETAPE_API void clip_grads_with_norm(std::span<const Tensor> params, double max_norm, const Tensor& total);

/// Brings every element of the gradients of parameters to within ± bound.
ONETAPE_API void clip_grad_value(std::span<const Tensor> params, double bound);

}  // namespace onetape
