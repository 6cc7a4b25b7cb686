#include "autograd/node_hooks.h"

#include "autograd/accumulate.h"
#include "ops.h"

namespace onetape {
namespace {

void run_leaf_hooks(const AccumulateGrad& node, Tensor& grad) {
  AutogradMeta& m = meta(node.variable());
  if (!m.has_extra.load(std::memory_order_acquire)) [[likely]]
    return;
  for (const auto& hook : m.extra->leaf_hooks.snapshot()) {
    Tensor replaced = hook(grad);
    if (replaced.defined()) grad = std::move(replaced);
  }
}

}  // namespace

void run_tensor_hooks(Node& node, TensorList& grads) {
  if (node.sequence() == Node::kFirst) run_leaf_hooks(static_cast<AccumulateGrad&>(node), grads[0]);
  const NodeExtra* extra = node.extra_or_null();
  if (!extra) return;
  for (const OutputHook& entry : extra->tensor_hooks.snapshot()) {
    Tensor replaced = entry.hook(grads[entry.output]);
    if (replaced.defined()) grads[entry.output] = std::move(replaced);
  }
  for (const RetainedGrad& kept : extra->retained.snapshot()) {
    const Tensor& grad = grads[kept.output];
    if (!grad.defined()) continue;
    const Tensor before = kept.slot->get();
    const Tensor sum = before.defined() ? ops::add(before, grad) : grad;
    kept.slot->put(sum);
    pin_history(sum);
  }
}

void run_pre_hooks(Node& node, TensorList& grads) {
  for (const auto& hook : node.extra().pre_hooks.snapshot()) hook(grads);
}

void run_post_hooks(Node& node, TensorList& result, const TensorList& grads) {
  for (const auto& hook : node.extra().post_hooks.snapshot()) hook(result, grads);
}

}  // namespace onetape
