#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/tensor.h"

namespace onetape {

/// Gradients that can be differentiated themselves, of an operator whose own backward pass cannot: `forward`
/// computes the same of differentiable operators. `grads` are those of its results, undefined where there are
/// none; the answer has one for each wanted input, and an undefined tensor for each other.
std::vector<Tensor> gradients_again(
    std::span<const Tensor> inputs, const std::vector<bool>& wanted,
    const std::function<std::vector<Tensor>(std::span<const Tensor>)>& forward,
    std::span<const Tensor> grads);

}  // namespace onetape
