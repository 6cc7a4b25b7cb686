#include "autograd/accumulate.h"

#include <mutex>

#include "autograd/record.h"
#include "autograd/sum.h"
#include "ops.h"

namespace onetape {
namespace {

constexpr int64_t kTiny = 64;  // elements

/// `grad` as it may become somebody's .grad without a copy; undefined if somebody else can see or change it.
Tensor stolen(Tensor& grad) {
  if (grad_enabled() || grad.impl()->use_count() != 1 || grad.requires_grad() || !grad.is_contiguous())
    return {};
  const int64_t sharing = grad.impl()->storage()->use_count();
  if (sharing == 1) return std::move(grad);
  // A transposed weight's gradient is a view of a product that nobody else knows.
  const Tensor base = view_base(grad);
  const bool own = sharing == 2 && base.defined() && base.impl()->use_count() == 2 &&  // here and in the view
                   base.numel() == grad.numel();
  if (!own) return {};
  return Tensor(
      TensorImpl::view(grad.storage(), grad.sizes(), grad.strides(), grad.storage_offset(), grad.dtype()));
}

[[noreturn]] void fail_shape(const Tensor& variable, const Tensor& grad) {
  fail(ErrorKind::Runtime, "AccumulateGrad: the gradient has shape ", grad.shape(),
       " but the tensor has shape ", variable.shape());
}

}  // namespace

AccumulateGrad::AccumulateGrad(const Tensor& variable) : Node(1, kFirst), variable_(variable) {}

Tensor AccumulateGrad::fitting(Tensor&& grad) const {
  if (!same(grad.sizes(), variable_.sizes())) [[unlikely]]
    fail_shape(variable_, grad);
  if (grad.dtype() != variable_.dtype()) [[unlikely]]
    return ops::to_dtype(grad, variable_.dtype());
  return std::move(grad);
}

void AccumulateGrad::add_to_grad(AutogradMeta& m, Tensor&& grad) {
  {
    const std::lock_guard guard(m.lock);
    if (!m.grad.defined()) {
      m.grad = stolen(grad);
      if (m.grad.defined()) return;
    } else if (!recording_enabled() && grad.numel() <= kTiny) {
      // So few elements are added here and now, unless another thread is adding; none can begin under this
      // lock.
      if (!adding_.is_held() && add_small_gradient(m.grad, grad, kTiny)) return;
    }
  }
  const std::lock_guard adding(adding_);  // threads that share the leaf add one after the other
  Tensor before;
  {
    const std::lock_guard guard(m.lock);
    before = m.grad;
  }
  if (!before.defined()) {
    Tensor copy = ops::clone(recording_enabled() ? grad : detach(grad));
    const std::lock_guard guard(m.lock);
    if (!m.grad.defined()) {
      m.grad = std::move(copy);
      return;
    }
    before = m.grad;  // set meanwhile
  }
  if (!recording_enabled()) {
    add_gradient(before, grad);
    return;
  }
  Tensor sum = ops::add(before, grad);
  const std::lock_guard guard(m.lock);
  m.grad = std::move(sum);  // `before` keeps the old one until the lock is free
}

void AccumulateGrad::add(AutogradMeta& m, Tensor&& grad) {
  add_to_grad(m, fitting(std::move(grad)));
  if (grad_enabled()) [[unlikely]]
    pin_history(onetape::grad(variable_));
}

bool AccumulateGrad::add_unobserved(Tensor& grad) {
  AutogradMeta& m = *meta_or_null(variable_);  // there is one, since this node is in it
  if (extra_or_null() || m.has_extra.load(std::memory_order_acquire)) [[unlikely]]
    return false;
  if (variable_.requires_grad()) add(m, std::move(grad));
  return true;
}

TensorList AccumulateGrad::apply(TensorList&& grads) {
  Tensor grad = std::move(grads[0]);
  if (!grad.defined() || !variable_.requires_grad()) return {};
  AutogradMeta& m = *meta_or_null(variable_);
  add(m, std::move(grad));
  if (m.has_extra.load(std::memory_order_acquire)) {
    for (const auto& hook : m.extra->post_accumulate_hooks.snapshot()) hook(variable_);
  }
  return {};
}

Ref<Node> AccumulateGrad::of(const Tensor& leaf, AutogradMeta& m) {
  if (m.accumulator) [[likely]] {
    if (m.accumulator->retain_first()) leaf.impl()->retain();
  } else {
    m.accumulator = make_node<AccumulateGrad>(std::span<Edge>(), leaf).take();
  }
  return Ref<Node>::adopt(m.accumulator);
}

bool AccumulateGrad::fall_asleep() {
  if (extra_or_null()) [[unlikely]] {
    // What was registered on the node ends, unless the node was woken with it meanwhile.
    std::unique_ptr<NodeExtra> ends;  // when the lock is free
    const std::lock_guard guard(meta_or_null(variable_)->lock);
    if (use_count() == 0) ends = take_extra();
  }
  return variable_.impl()->release_unless_last();
}

}  // namespace onetape
