#include "autograd/meta.h"

#include "autograd/accumulate.h"
#include "autograd/copy_slices.h"
#include "autograd/forward.h"
#include "autograd/mode.h"

namespace onetape {

namespace {

/// PyTorch names a dtype after the type of C++ in one of its errors.
std::string_view cpp_name(DType dtype) {
  switch (dtype) {
    case DType::F32:
      return "float";
    case DType::F64:
      return "double";
    case DType::I32:
      return "int";
    case DType::I64:
      return "long int";
    default:
      return scalar_type_name(dtype);
  }
}

MetaExtra& extra_of(const Tensor& t) {
  AutogradMeta& m = meta(t);
  const std::lock_guard guard(m.lock);
  return m.make_extra();
}

}  // namespace

AutogradMeta::~AutogradMeta() {
  if (accumulator) accumulator->end();
}

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
  if (m->view) return !grad_fn(t);
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
  return {AccumulateGrad::of(t, *m), 0};
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
    check(grad.dtype() == t.dtype(), "attempting to assign a gradient with dtype '", cpp_name(grad.dtype()),
          "' to a tensor with grad_dtype '", scalar_type_name(t.dtype()),
          "'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You can set "
          "the "
          "tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype "
          "with "
          "caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that "
          "assume they "
          "match.");
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
  check(!requires_grad || inference_mode() || !is_inference(t),
        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
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
  extra.stop_retaining = node->extra().retained.add({m.output, extra.retained});
}

bool retains_grad(const Tensor& t) {
  const AutogradMeta* m = meta_or_null(t);
  return m && m->extra && m->extra->retained;
}

uint32_t counted_version(const Tensor& t) {
  check(!is_inference(t), "Inference tensors do not track version counter.");
  return version(t);
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
  meta(out).make_extra().own_version =
      std::make_unique<std::atomic<uint32_t>>(is_inference(t) ? Storage::kInference : 0);
  return out;
}

void set_data(const Tensor& t, const Tensor& data) {
  check(is_differentiable(data.dtype()) || !t.requires_grad(),
        "data set to a tensor that requires gradients must be floating point or complex dtype");
  t.impl()->set_geometry(data.storage(), data.sizes(), data.strides(), data.storage_offset(), data.dtype());
}

HookRemover register_hook(const Tensor& t, TensorHook hook) {
  check(t.requires_grad(), "cannot register a hook on a tensor that doesn't require gradient");
  if (const Ref<Node> node = grad_fn(t)) {
    return node->extra().tensor_hooks.add({meta(t).output, std::move(hook)});
  }
  return extra_of(t).leaf_hooks.add(std::move(hook));
}

HookRemover register_post_accumulate_hook(const Tensor& t, std::function<void(const Tensor&)> hook) {
  check(t.requires_grad(), "cannot register a hook on a tensor that doesn't require gradient");
  check(is_leaf(t), "post accumulate grad hooks cannot be registered on non-leaf tensors");
  return extra_of(t).post_accumulate_hooks.add(std::move(hook));
}

void pin_history(const Tensor& t) {
  if (!t.requires_grad()) return;
  if (const Ref<Node> node = gradient_edge(t).node) pin_firmly(*node);
}

void set_history(const Tensor& t, Ref<Node> node, uint32_t output) {
  if (dual_active() && !record_tangent(t, *node, output)) return;
  attach_history(t, std::move(node), output);
}

void attach_history(const Tensor& t, Ref<Node> node, uint32_t output) {
  AutogradMeta& m = meta(t);
  Node* const now = node.get();
  {
    const std::lock_guard guard(m.lock);
    m.grad_fn.swap(node);  // the old one dies after the lock is free
    m.output = output;
  }
  t.impl()->set_requires_grad_flag(true);
  if (m.has_extra.load(std::memory_order_acquire) && m.extra->retained) [[unlikely]] {
    // A tensor changed in place keeps the gradient of what it now is.
    MetaExtra& extra = *m.extra;
    extra.stop_retaining();
    extra.stop_retaining = now->extra().retained.add({output, extra.retained});
  }
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
