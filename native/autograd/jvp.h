#pragma once

#include <vector>

#include "autograd/forward.h"

namespace onetape {

/// The derivative of an output of a node along the tangents of its inputs, by differentiating the node's
/// gradient function; undefined where it is zero. It is recorded if grad mode is on and there is something to
/// record it for.
Tensor jacobian_vector_product(Node& node, const std::vector<InputTangent>& tangents, const Tensor& result,
                               uint32_t output);

}  // namespace onetape
