#include "autograd/node_hooks.h"

#include "autograd/accumulate.h"
#include "ops.h"

namespace onetape {
namespace {

/// A gradient that hooks are about to see gets a name that nobody else knows: what they do to its sizes and
/// dtype is found out, and does not reach whom else it goes to.
class ShownGradient {
 public:
  explicit ShownGradient(Tensor& grad) : defined_(grad.defined()) {
    if (!defined_) return;
    grad = known_to_none(std::move(grad));
    sizes_ = grad.shape();
    dtype_ = grad.dtype();
  }
  /// After hooks have run.
  void take_back(Tensor& grad) const {
    if (!grad.defined()) return;
    if (defined_) {
      check(grad.dtype() == dtype_, "hook has changed the type of value (was torch.",
            scalar_type_name(dtype_), "Tensor got torch.", scalar_type_name(grad.dtype()), "Tensor)");
      check(same(grad.sizes(), sizes_), "hook has changed the size of value");
    }
    grad = known_to_none(std::move(grad));
  }

 private:
  bool defined_;
  DType dtype_ = DType::F32;
  Ints sizes_;
};

/// Calls `hook()`, which may replace gradients in the list.
template <typename F>
void show(TensorList& grads, F&& hook) {
  std::vector<ShownGradient> shown;
  for (Tensor& grad : grads) shown.emplace_back(grad);
  hook();
  for (size_t i = 0; i < shown.size(); ++i) shown[i].take_back(grads[i]);
}

void show_one(Tensor& grad, const TensorHook& hook) {
  const ShownGradient shown(grad);
  Tensor replaced = hook(grad);
  if (replaced.defined()) grad = std::move(replaced);
  shown.take_back(grad);
}

void run_leaf_hooks(const AccumulateGrad& node, Tensor& grad) {
  AutogradMeta& m = meta(node.variable());
  if (!m.has_extra.load(std::memory_order_acquire)) [[likely]]
    return;
  for (const TensorHook& hook : m.extra->leaf_hooks.snapshot()) show_one(grad, hook);
}

}  // namespace

void run_tensor_hooks(Node& node, TensorList& grads) {
  if (node.sequence() == Node::kFirst) run_leaf_hooks(static_cast<AccumulateGrad&>(node), grads[0]);
  const NodeExtra* extra = node.extra_or_null();
  if (!extra) return;
  for (const OutputHook& entry : extra->tensor_hooks.snapshot()) show_one(grads[entry.output], entry.hook);
  for (const RetainedGrad& kept : extra->retained.snapshot()) {
    const Tensor& grad = grads[kept.output];
    if (!grad.defined()) continue;
    const Tensor before = kept.slot->get();
    const Tensor sum = before.defined() ? ops::add(before, grad) : another_name(grad);
    kept.slot->put(sum);
    pin_history(sum);
  }
}

void run_pre_hooks(Node& node, TensorList& grads) {
  for (const auto& hook : node.extra().pre_hooks.snapshot()) show(grads, [&] { hook(grads); });
}

void run_post_hooks(Node& node, TensorList& result, const TensorList& grads) {
  for (const auto& hook : node.extra().post_hooks.snapshot()) show(result, [&] { hook(result, grads); });
}

}  // namespace onetape
