#include "autograd/copy_slices.h"

#include "autograd/anomaly.h"
#include "autograd/forward.h"
#include "autograd/mode.h"
#include "autograd/record.h"
#include "ops.h"

namespace onetape {
namespace {

/// Where a view lies in its base, in elements.
struct Geometry {
  Ints sizes;
  Ints strides;
  int64_t offset;
};

Geometry geometry_of(const Tensor& t) { return {t.shape(), Ints(t.strides()), t.storage_offset()}; }

/// A fresh tensor laid out like the base, and the part of it where the view lies.
std::pair<Tensor, Tensor> base_and_slice(const Geometry& base, const Geometry& view, DType dtype) {
  Tensor whole = ops::empty_strided(base.sizes, base.strides, Options{.dtype = dtype});
  Tensor slice = ops::as_strided(whole, view.sizes, view.strides, view.offset - base.offset);
  return {whole, slice};
}

/// History of a base after one of its views was changed in place by `fn` (PyTorch's CopySlices): outside the
/// view the gradient passes, inside it goes through fn.
class CopySlices final : public Node {
 public:
  CopySlices(Geometry base, Geometry view, DType dtype, Ref<Node> fn)
      : Node(1, next_sequence()),
        base_(std::move(base)),
        view_(std::move(view)),
        dtype_(dtype),
        fn_(std::move(fn)) {}

  std::string name() const override { return "CopySlices"; }

  TensorList apply(TensorList&& grads) override {
    if (released_.load(std::memory_order_acquire)) fail_backward_twice();
    auto [whole, slice] = base_and_slice(base_, view_, dtype_);
    ops::copy_(whole, grads[0]);
    TensorList through{ops::clone(slice)};
    TensorList inner = fn_->apply(std::move(through));
    TensorList result(edges().size());
    for (size_t i = 0; i < inner.size() && i < result.size(); ++i) {
      if (!needs(i)) continue;
      if (i == 0) {
        // The first input of an in-place operator is the view itself: its gradient takes the view's place.
        if (inner[0].defined()) {
          ops::copy_(slice, inner[0]);
        } else {
          ops::zero_(slice);
        }
        result[0] = whole;
      } else {
        result[i] = inner[i];
      }
    }
    return result;
  }
  void release_saved() override {
    released_.store(true, std::memory_order_release);
    fn_->release_saved();
  }
  std::vector<Tensor> saved() const override { return fn_->saved(); }

 private:
  Geometry base_;
  Geometry view_;
  DType dtype_;
  Ref<Node> fn_;
  std::atomic<bool> released_{false};
};

Ref<Node> as_strided_node(const Tensor& view, const Tensor& base) {
  const Geometry where = geometry_of(view);
  const Geometry whole = geometry_of(base);
  InlineVector<Edge, 3> edges;
  edges.push_back(gradient_edge(base));
  return make_function("AsStridedBackward0", std::move(edges), std::array<SavedTensor, 0>{},
                       [where, whole](Backward& g) {
                         if (!g.needs(0)) return;
                         g.set(0, ops::as_strided_backward(g.grad(), whole.sizes, whole.strides, whole.offset,
                                                           where.sizes, where.strides, where.offset));
                       });
}

/// What speaks against rewriting the history of a view of this origin.
const char* reason(ViewOrigin origin) {
  switch (origin) {
    case ViewOrigin::MultiOutput:
      return " This view is the output of a function that returns multiple views. Such functions do not "
             "allow the "
             "output views to be modified inplace. You should replace the inplace operation by an "
             "out-of-place one.";
    case ViewOrigin::NoGrad:
      return " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
             "code by "
             "moving both the view and the inplace either both inside the no_grad block (if you don't want "
             "the inplace "
             "to be tracked) or both outside (if you want the inplace to be tracked).";
    case ViewOrigin::Inference:
      return " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
             "code by "
             "moving both the view and the inplace either both inside the inference_mode block (if you don't "
             "want the "
             "inplace to be tracked) or both outside (if you want the inplace to be tracked).";
    default:
      return " This view was created inside a custom Function (or because an input was returned as-is) and "
             "the "
             "autograd logic to handle view+inplace would override the custom backward associated with the "
             "custom "
             "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by "
             "cloning the "
             "output of the custom Function.";
  }
}

/// Not so once either was given other memory (set_, Tensor.data = …).
bool shows_base(const Tensor& view, const Tensor& base) {
  return view.impl()->storage() == base.impl()->storage() && view.dtype() == base.dtype();
}

/// Throws when the history of the view may not be rewritten. `through_base`: its base or another view of it
/// changed.
void check_view_origin(const AutogradMeta& m, bool through_base) {
  const ViewOrigin origin = m.view->origin;
  if (origin == ViewOrigin::Default) return;
  const char* const changed = through_base ? "its base or another view of its base has been" : "is being";
  if (m.grad_fn && origin != ViewOrigin::NoGrad && origin != ViewOrigin::Inference) {
    fail(ErrorKind::Runtime, "Output ", m.output, " of ", operator_name(*m.grad_fn), " is a view and ",
         changed, " modified inplace.", reason(origin));
  }
  const bool inference = origin == ViewOrigin::Inference;
  fail(ErrorKind::Runtime, "A view was created in ", inference ? "inference mode" : "no_grad mode", " and ",
       changed, " modified inplace ", inference ? "in normal mode." : "with grad mode enabled.",
       reason(origin));
}

}  // namespace

void set_view(const Tensor& view, const Tensor& base, ViewOrigin origin) {
  auto info = std::make_unique<ViewInfo>();
  const AutogradMeta* m = meta_or_null(base);
  info->base = m && m->view ? m->view->base : base;
  if (m && m->view) {
    if (origin == ViewOrigin::Default) origin = m->view->origin;
    info->forward_base = m->view->own_tangent ? base : m->view->forward_base;
  }
  info->origin = origin;
  info->seen_version = version(base);
  share_version(view, base);
  meta(view).view = std::move(info);
  view.impl()->set_is_view();
}

bool AutogradMeta::view_requires_grad(TensorImpl& /*tensor*/) { return view && view->base.requires_grad(); }

void refresh_view(const Tensor& view, AutogradMeta& m) {
  const Tensor& base = m.view->base;
  if (!m.grad_fn && !base.requires_grad()) return;
  const uint32_t now = version(view);
  if (m.view->seen_version == now || !shows_base(view, base)) return;
  check_view_origin(m, true);
  m.view->seen_version = now;
  Ref<Node> node = as_strided_node(view, base);
  pin_firmly(*node);
  attach_history(view, std::move(node), 0);
}

void check_not_inference(const Tensor& t) {
  check(!is_inference(t) || inference_mode(),
        "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get "
        "a normal "
        "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.");
}

void check_inplace(const Tensor& t, bool recorded) {
  check_not_inference(t);
  if (dual_active()) check_tangent_in_place(t);
  if (!grad_enabled()) return;
  const bool tracked = t.requires_grad();
  if (!tracked && !recorded) return;
  const AutogradMeta* m = meta_or_null(t);
  if (!m) return;
  if (m->view) {
    check_view_origin(*m, false);
    check(!(tracked && is_leaf(m->view->base)),
          "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  }
  // As in PyTorch also a view that was made before its base had a history.
  check(!(tracked && !m->grad_fn),
        "a leaf Variable that requires grad is being used in an in-place operation.");
}

void rebase_history(const Tensor& t, Ref<Node> node) {
  if (dual_active() && !record_tangent_in_place(t, *node)) return;
  pin_firmly(*node);  // the language may know the tensor already, from before it had this history
  AutogradMeta& m = meta(t);
  if (!m.view || !shows_base(t, m.view->base)) {
    attach_history(t, std::move(node), 0);
    return;
  }
  check_view_origin(m, false);
  const Tensor base = m.view->base;
  InlineVector<Edge, 3> edges;
  const auto inner = node->edges();
  edges.reserve(inner.size());
  for (const Edge& edge : inner) edges.push_back(edge);
  if (!edges.empty()) edges[0] = gradient_edge(base);
  auto slices = make_node<CopySlices>(std::span<Edge>(edges.data(), edges.size()), geometry_of(base),
                                      geometry_of(t), base.dtype(), node);
  pin_firmly(*slices);
  attach_history(base, Ref<Node>::adopt(slices.take()), 0);
  m.view->seen_version = version(t);
  Ref<Node> again = as_strided_node(t, base);
  pin_firmly(*again);
  attach_history(t, std::move(again), 0);
}

void replace_history(const Tensor& t, Ref<Node> node) {
  pin_firmly(*node);
  set_history(t, std::move(node), 0);
  if (const AutogradMeta& m = meta(t); m.view) m.view->seen_version = version(t);
}

}  // namespace onetape
