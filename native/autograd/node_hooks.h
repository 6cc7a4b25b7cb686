#pragma once

#include "autograd/node.h"

namespace onetape {

/// Cheap to ask: can anything be registered on the node, or on the leaf that it stands for?
inline bool may_have_hooks(const Node& node) {
  return node.extra_or_null() != nullptr || node.sequence() == Node::kFirst;
}
/// What Tensor.register_hook() registered on the node's outputs, in order; then keeps the gradients that
/// Tensor.retain_grad() asked for.
void run_tensor_hooks(Node& node, TensorList& grads);
void run_pre_hooks(Node& node, TensorList& grads);
void run_post_hooks(Node& node, TensorList& result, const TensorList& grads);

}  // namespace onetape
