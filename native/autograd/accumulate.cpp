#include "autograd/accumulate.h"

#include "autograd/mode.h"
#include "autograd/sum.h"
#include "ops.h"

namespace onetape {
namespace {

/// May `grad` become somebody's .grad as it is? Only if nobody else can see or change it.
bool can_steal(const Tensor& grad) {
  return !grad_enabled() && grad.impl()->use_count() == 1 && grad.impl()->storage()->use_count() == 1 &&
         !grad.requires_grad() && grad.is_contiguous();
}

void check_matches(const Tensor& variable, const Tensor& grad) {
  if (same(grad.sizes(), variable.sizes())) return;
  fail(ErrorKind::Runtime, "AccumulateGrad: the gradient has shape ", grad.shape(),
       " but the tensor has shape ", variable.shape());
}

}  // namespace

AccumulateGrad::AccumulateGrad(Tensor variable) : Node(1, kFirst), variable_(std::move(variable)) {
  set_revivable();
}

void AccumulateGrad::add_to_grad(AutogradMeta& m, Tensor grad) {
  if (can_steal(grad)) {
    const std::lock_guard guard(m.lock);
    if (!m.grad.defined()) {
      m.grad = std::move(grad);
      return;
    }
  }
  const std::lock_guard adding(mutex_);  // threads that share the leaf add one after the other
  Tensor before;
  {
    const std::lock_guard guard(m.lock);
    before = m.grad;
  }
  if (!before.defined()) {
    Tensor copy = ops::clone(grad_enabled() ? grad : detach(grad));
    const std::lock_guard guard(m.lock);
    if (!m.grad.defined()) {
      m.grad = std::move(copy);
      return;
    }
    before = m.grad;  // set meanwhile
  }
  if (!grad_enabled()) {
    add_gradient(before, grad);
    return;
  }
  Tensor sum = ops::add(before, grad);
  const std::lock_guard guard(m.lock);
  m.grad = std::move(sum);  // `before` keeps the old one until the lock is free
}

AccumulateGrad::~AccumulateGrad() {
  AutogradMeta& m = meta(variable_);
  const std::lock_guard guard(m.lock);
  if (m.accumulator == this) m.accumulator = nullptr;
}

TensorList AccumulateGrad::apply(TensorList&& grads) {
  Tensor grad = std::move(grads[0]);
  if (!grad.defined() || !variable_.requires_grad()) return {};
  AutogradMeta& m = meta(variable_);
  std::vector<std::pair<uint64_t, TensorHook>> hooks;
  std::vector<std::pair<uint64_t, std::function<void(const Tensor&)>>> after;
  if (m.has_extra.load(std::memory_order_acquire)) [[unlikely]] {
    const std::lock_guard guard(m.lock);
    hooks = m.extra->leaf_hooks.hooks;
    after = m.extra->post_accumulate_hooks.hooks;
  }
  for (auto& [id, hook] : hooks) {
    Tensor replaced = hook(grad);
    if (replaced.defined()) grad = std::move(replaced);
  }
  check_matches(variable_, grad);
  if (grad.dtype() != variable_.dtype()) grad = ops::to_dtype(grad, variable_.dtype());
  add_to_grad(m, std::move(grad));
  for (auto& [id, hook] : after) hook(variable_);
  return {};
}

Ref<Node> accumulator_of(const Tensor& leaf) {
  AutogradMeta& m = meta(leaf);
  const std::lock_guard guard(m.lock);
  if (m.accumulator && m.accumulator->try_retain()) return Ref<Node>::adopt(m.accumulator);
  auto node = make_node<AccumulateGrad>(std::span<Edge>(), leaf);
  m.accumulator = node.get();
  return Ref<Node>::adopt(node.take());
}

}  // namespace onetape
