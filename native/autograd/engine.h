#pragma once

#include <span>
#include <vector>

#include "autograd/node.h"
#include "core/tensor.h"

namespace onetape {

struct BackwardOptions {
  bool retain_graph = false;
  bool create_graph = false;  ///< record the backward pass too
};

/// Tensor.backward / autograd.backward: adds the gradients of the roots to .grad of the leaves, or only of
/// `inputs` if there are any. `gradients` may be shorter than `roots` or hold undefined tensors where a root
/// is a scalar.
ONETAPE_API void backward(std::span<const Tensor> roots, std::span<const Tensor> gradients,
                          BackwardOptions options = {}, std::span<const Tensor> inputs = {});

/// autograd.grad: returns the gradients with respect to `inputs` and changes no .grad. An input that was not
/// used gives an undefined tensor if allow_unused, else PyTorch's RuntimeError.
ONETAPE_API std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                                     std::span<const Tensor> gradients, BackwardOptions options = {},
                                     bool allow_unused = false);
/// The same with respect to whatever gradients arrive at these edges.
ONETAPE_API std::vector<Tensor> grad_at(std::span<const Tensor> outputs, std::span<const Edge> inputs,
                                        std::span<const Tensor> gradients, BackwardOptions options = {},
                                        bool allow_unused = false);

}  // namespace onetape
