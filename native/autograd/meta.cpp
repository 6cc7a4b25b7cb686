#include "autograd/meta.h"

#include "autograd/accumulate.h"
#include "autograd/copy_slices.h"
#include "autograd/forward.h"
#include "autograd/function_gradient.h"
#include "autograd/mode.h"
#include "autograd/notes.h"
#include "autograd/record.h"
#include "core/geometry_lock.h"

namespace onetape {

/// PyTorch names a dtype after the type of C++ in some of its errors.
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

namespace {

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
  // A view that was made while nothing was recorded says that it requires a gradient, but none flows to it.
  const bool wanted = t.impl()->traits().requires_grad;
  const std::lock_guard guard(m->lock);
  if (m->grad_fn) return {m->grad_fn, m->output};
  if (!wanted) return {};
  return {AccumulateGrad::of(t, *m), 0};
}

Tensor grad(const Tensor& t) {
  AutogradMeta* m = meta_or_null(t);
  if (!m) return {};
  const std::lock_guard guard(m->lock);
  if (m->extra && m->extra->retained) return m->extra->retained->get();
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
    check(grad.device() == t.device(), "attempting to assign a gradient with device type '", grad.device(),
          "' to a tensor with device type '", t.device(),
          "'. Please ensure that the gradient and the tensor are on the same device");
    check(same(grad.sizes(), t.sizes()), "attempting to assign a gradient of size '", grad.shape(),
          "' to a tensor of size '", t.shape(),
          "'. Please ensure that the gradient and the tensor are the same size");
  } else if (!meta_or_null(t)) {
    return;
  }
  Tensor old;  // freed outside the lock
  AutogradMeta& m = meta(t);
  const std::lock_guard guard(m.lock);
  if (m.extra && m.extra->retained) {
    old = m.extra->retained->put(grad);
  } else {
    old = m.grad;
    m.grad = grad;
  }
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
  AutogradMeta& m = meta(t);
  {
    const std::lock_guard guard(m.lock);
    if (!m.grad_fn) return;  // a leaf, or a view made while nothing was recorded
  }
  const Ref<Node> node = grad_fn(t);
  if (!node) return;  // another thread has just detached it
  const std::lock_guard guard(m.lock);
  MetaExtra& extra = m.make_extra();
  if (extra.retained) return;
  extra.retained = std::make_shared<RetainedSlot>();
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

void share_version(const Tensor& fresh, const Tensor& t) {
  const AutogradMeta* m = meta_or_null(t);
  if (m && m->has_extra.load(std::memory_order_acquire) && m->extra->own_version) [[unlikely]]
    meta(fresh).make_extra().own_version = m->extra->own_version;
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
  Tensor out(TensorImpl::view(t.storage(), t.sizes(), t.strides(), t.storage_offset(), t.dtype()));
  share_version(out, t);
  return out;
}

Tensor another_name(const Tensor& t) {
  Tensor again = detach(t);
  if (t.requires_grad()) {
    Edge history = gradient_edge(t);
    attach_history(again, std::move(history.node), history.input);
  }
  if (dual_active()) pass_tangent(t, again);
  return again;
}

void forget_history(const Tensor& t) {
  check(!is_view(t),
        "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) "
        "for training, and "
        "gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() "
        "cannot be called on "
        "these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
        "torch/optim/optimizer.py as the solution.");
  Ref<Node> old;  // freed outside the lock
  if (AutogradMeta* m = meta_or_null(t)) {
    const std::lock_guard guard(m->lock);
    old.swap(m->grad_fn);
    m->output = 0;
    if (old) m->cut.store(true, std::memory_order_release);
  }
  t.impl()->set_requires_grad_flag(false);
}

Tensor data_of(const Tensor& t) {
  Tensor out = detach(t);
  meta(out).make_extra().own_version =
      std::make_shared<std::atomic<uint32_t>>(is_inference(t) ? Storage::kInference : 0);
  return out;
}

namespace {

/// A gradient for what the tensor is now must fit what its node made.
void guard_history(const Tensor& t, const Ints& sizes, DType dtype) {
  AutogradMeta& m = meta(t);
  InlineVector<Edge, 3> edges;
  {
    const std::lock_guard guard(m.lock);
    if (!m.grad_fn) return;
    edges.push_back({m.grad_fn, m.output});
  }
  attach_history(t,
                 make_function("SetDataBackward", std::move(edges), std::array<SavedTensor, 0>{},
                               [sizes, dtype](Backward& g) {
                                 g.set(0, fitting_gradient("SetDataBackward", 0, g.grad(), sizes, dtype));
                               }),
                 0);
}

}  // namespace

void set_data(const Tensor& t, const Tensor& data) {
  check(is_differentiable(data.dtype()) || !t.requires_grad(),
        "data set to a tensor that requires gradients must be floating point or complex dtype");
  keep_version(t);
  Ref<Storage> old;
  Ints sizes;
  DType dtype{};
  {
    const ChangingGeometry change;
    sizes = t.shape();
    dtype = t.dtype();
    old = t.impl()->set_geometry(change, data.storage(), data.sizes(), data.strides(), data.storage_offset(),
                                 data.dtype());
  }
  if (dtype != t.dtype() || !same(sizes, t.sizes())) guard_history(t, sizes, dtype);
}

void keep_version(const Tensor& t) {
  AutogradMeta& m = meta(t);
  const uint32_t now = version(t);
  const std::lock_guard guard(m.lock);
  MetaExtra& extra = m.make_extra();
  if (!extra.own_version) extra.own_version = std::make_shared<std::atomic<uint32_t>>(now);
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
  if (!t.defined() || !t.requires_grad()) return;  // a hook may have taken the gradient away
  if (const Ref<Node> node = gradient_edge(t).node) pin_firmly(*node);
}

void set_history(const Tensor& t, Ref<Node> node, uint32_t output) {
  if (dual_active() && !record_tangent(t, *node, output)) return;
  attach_history(t, std::move(node), output);
}

void attach_history(const Tensor& t, Ref<Node> node, uint32_t output) {
  if (notes_wanted()) [[unlikely]]
    note_output(*node, output, t);
  AutogradMeta& m = meta(t);
  const Ref<Node> now = Ref<Node>::share(node.get());  // another thread may give t yet another history
  {
    const std::lock_guard guard(m.lock);
    m.grad_fn.swap(node);  // the old one dies after the lock is free
    m.output = output;
  }
  t.impl()->set_requires_grad_flag(true);
  if (m.has_extra.load(std::memory_order_acquire) && m.extra->retained) [[unlikely]] {
    // A tensor changed in place keeps the gradient of what it now is.
    HookRemover stop;
    {
      const std::lock_guard guard(m.lock);
      stop.swap(m.extra->stop_retaining);
    }
    if (stop) stop();
    stop = now->extra().retained.add({output, m.extra->retained});
    const std::lock_guard guard(m.lock);
    m.extra->stop_retaining = std::move(stop);
  }
}

void set_new_history(const Tensor& t, Ref<Node> node, uint32_t output) {
  if (dual_active() && !record_tangent(t, *node, output)) [[unlikely]]
    return;
  if (notes_wanted()) [[unlikely]]
    note_output(*node, output, t);
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
