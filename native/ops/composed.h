#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/tensor.h"
#include "ops/reduction_mode.h"

namespace onetape {

/// An operator that is made of others and yet stands in the graph as one node, which keeps its inputs alone:
/// backward runs the others again. `parts` must not refer to what ends with the caller. Undefined inputs may
/// be among them.
Tensor composed(const char* node, std::span<const Tensor> inputs,
                std::function<Tensor(std::span<const Tensor>)> parts);

/// The losses of elements or samples as the reduction says.
Tensor reduced(const Tensor& losses, Reduction reduction);

}  // namespace onetape
