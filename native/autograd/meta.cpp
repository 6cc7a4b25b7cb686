#include "autograd/meta.h"

#include "autograd/accumulate.h"
#include "autograd/copy_slices.h"
#include "autograd/forward.h"
#include "autograd/mode.h"

namespace onetape {

AutogradMeta& meta(const Tensor& t) {
  AutogradState* have = t.impl()->autograd.load(std::memory_order_acquire);
  if (have) return *static_cast<AutogradMeta*>(have);
  auto* fresh = new AutogradMeta;
  if (t.impl()->autograd.compare_exchange_strong(have, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;
  return *static_cast<AutogradMeta*>(have);
}

bool is_leaf(const Tensor& t) {
  const AutogradMeta* m = meta_or_null(t);
  if (!m) return true;
  if (m->view && t.requires_grad()) return !grad_fn(t);
  return !m->grad_fn;
}

Ref<Node> grad_fn(const Tensor& t) {
  AutogradMeta* m = meta_or_null(t);
  if (!m) return nullptr;
  if (m->view) refresh_view(t, *m);
  const std::lock_guard guard(m->lock);
  return m->grad_fn;
}

Edge gradient_edge(const Tensor& t) {
  AutogradMeta* m = meta_or_null(t);
  if (!m) return {};
  if (m->view) refresh_view(t, *m);
  const bool wanted = t.requires_grad();
  const std::lock_guard guard(m->lock);
  if (m->grad_fn) return {m->grad_fn, m->output};
  if (!wanted) return {};
  return {accumulator_of(t, *m), 0};
}

Tensor grad(const Tensor& t) {
  AutogradMeta* m = meta_or_null(t);
  if (!m) return {};
  const std::lock_guard guard(m->lock);
  if (m->extra && m->extra->retained) return *m->extra->retained;
  return m->grad;
}

void set_grad(const Tensor& t, const Tensor& grad) {
  if (grad.defined()) {
    check(grad.impl() != t.impl(), "can't assign Variable as its own grad");
    check(grad.dtype() == t.dtype(), "attempting to assign a gradient with dtype '", name_of(grad.dtype()),
          "' to a tensor with dtype '", name_of(t.dtype()), "'. The gradient must have the tensor's dtype.");
    check(same(grad.sizes(), t.sizes()), "attempting to assign a gradient of size '", grad.shape(),
          "' to a tensor of size '", t.shape(),
          "'. Please ensure that the gradient and the tensor are the same size");
  } else if (!meta_or_null(t)) {
    return;
  }
  Tensor old;  // freed outside the lock
  AutogradMeta& m = meta(t);
  const std::lock_guard guard(m.lock);
  Tensor& slot = m.extra && m.extra->retained ? *m.extra->retained : m.grad;
  old = slot;
  slot = grad;
}

void set_requires_grad(const Tensor& t, bool requires_grad) {
  check(is_leaf(t) || requires_grad, "you can only change requires_grad flags of leaf variables.",
        " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
        "var_no_grad = "
        "var.detach().");
  check(!requires_grad || is_differentiable(t.dtype()),
        "only Tensors of floating point and complex dtype can require gradients");
  if (!is_leaf(t)) return;
  if (requires_grad) meta(t);
  t.impl()->set_requires_grad_flag(requires_grad);
}

void retain_grad(const Tensor& t) {
  check(t.requires_grad(), "can't retain_grad on Tensor that has requires_grad=False");
  if (is_leaf(t)) return;
  const Ref<Node> node = grad_fn(t);
  AutogradMeta& m = meta(t);
  const std::lock_guard guard(m.lock);
  MetaExtra& extra = m.make_extra();
  if (extra.retained) return;
  extra.retained = std::make_shared<Tensor>();
  node->extra().retained.emplace_back(m.output, extra.retained);
}

bool retains_grad(const Tensor& t) {
  const AutogradMeta* m = meta_or_null(t);
  return m && m->extra && m->extra->retained;
}

void bump_version(const Tensor& t) {
  const AutogradMeta* m = meta_or_null(t);
  if (m && m->extra && m->extra->own_version) {
    m->extra->own_version->fetch_add(1, std::memory_order_acq_rel);
  } else {
    t.impl()->storage()->bump_version();
  }
}

bool is_view(const Tensor& t) {
  const AutogradMeta* m = meta_or_null(t);
  return m && m->view;
}

Tensor view_base(const Tensor& t) {
  const AutogradMeta* m = meta_or_null(t);
  return m && m->view ? m->view->base : Tensor();
}

Tensor detach(const Tensor& t) {
  return Tensor(TensorImpl::view(t.storage(), t.sizes(), t.strides(), t.storage_offset(), t.dtype()));
}

void forget_history(const Tensor& t) {
  Ref<Node> old;  // freed outside the lock
  if (AutogradMeta* m = meta_or_null(t)) {
    const std::lock_guard guard(m->lock);
    old.swap(m->grad_fn);
    m->output = 0;
  }
  t.impl()->set_requires_grad_flag(false);
}

Tensor data_of(const Tensor& t) {
  Tensor out = detach(t);
  meta(out).make_extra().own_version = std::make_unique<std::atomic<uint32_t>>(0);
  return out;
}

void set_data(const Tensor& t, const Tensor& data) {
  check(is_differentiable(data.dtype()) || !t.requires_grad(),
        "data set to a tensor that requires gradients must be floating point or complex dtype");
  t.impl()->set_geometry(data.storage(), data.sizes(), data.strides(), data.storage_offset(), data.dtype());
}

uint64_t register_hook(const Tensor& t, TensorHook hook) {
  check(t.requires_grad(), "cannot register a hook on a tensor that doesn't require gradient");
  if (const Ref<Node> node = grad_fn(t)) {
    const uint64_t id = next_hook_id();
    node->extra().tensor_hooks.push_back({meta(t).output, id, std::move(hook)});
    return id;
  }
  AutogradMeta& m = meta(t);
  const std::lock_guard guard(m.lock);
  return m.make_extra().leaf_hooks.add(std::move(hook));
}

bool remove_hook(const Tensor& t, uint64_t id) {
  AutogradMeta* m = meta_or_null(t);
  if (!m) return false;
  if (m->grad_fn) {
    return std::erase_if(m->grad_fn->extra().tensor_hooks, [id](const auto& hook) { return hook.id == id; }) >
           0;
  }
  const std::lock_guard guard(m->lock);
  return m->extra && m->extra->leaf_hooks.remove(id);
}

void set_history(const Tensor& t, Ref<Node> node, uint32_t output) {
  if (dual_active() && !record_tangent(t, *node, output)) return;
  attach_history(t, std::move(node), output);
}

void attach_history(const Tensor& t, Ref<Node> node, uint32_t output) {
  AutogradMeta& m = meta(t);
  {
    const std::lock_guard guard(m.lock);
    m.grad_fn.swap(node);  // the old one dies after the lock is free
    m.output = output;
  }
  t.impl()->set_requires_grad_flag(true);
}

void set_new_history(const Tensor& t, Ref<Node> node, uint32_t output) {
  if (dual_active() && !record_tangent(t, *node, output)) [[unlikely]]
    return;
  std::atomic<AutogradState*>& slot = t.impl()->autograd;
  auto* m = static_cast<AutogradMeta*>(slot.load(std::memory_order_relaxed));
  if (!m) {
    m = new AutogradMeta;
    slot.store(m, std::memory_order_release);
  }
  m->grad_fn = std::move(node);
  m->output = output;
  t.impl()->set_requires_grad_flag(true);
}

}  // namespace onetape
