#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "autograd/node.h"
#include "core/spin_lock.h"
#include "core/tensor.h"

namespace onetape {

class AccumulateGrad;
struct TangentSlot;

/// How a view came about, which decides whether it may be changed in place (PyTorch's CreationMeta).
enum class ViewOrigin : uint8_t { Default, MultiOutput, NoGrad, Inference, CustomFunction };

/// A differentiable view: its base is never itself a view.
struct ViewInfo {
  Tensor base;
  uint32_t seen_version = 0;  // version of the base when grad_fn was last right
  ViewOrigin origin = ViewOrigin::Default;
  bool own_tangent = false;  // forward mode: its tangent is not a part of its base's
  Tensor forward_base;       // of which the tangent is a part; undefined: of the base's
};

/// The seldom used autograd parts of a tensor.
struct MetaExtra {
  // Tensor.data does not share the version counter of its storage; views of it share this one.
  std::shared_ptr<std::atomic<uint32_t>> own_version;
  HookList<TensorHook> leaf_hooks;  // of a leaf; those of other tensors stand at their node
  HookList<std::function<void(const Tensor&)>> post_accumulate_hooks;
  std::shared_ptr<RetainedSlot> retained;  // gradient kept by retain_grad() of a non-leaf
  std::shared_ptr<TangentSlot> tangent;    // in forward mode
  HookRemover stop_retaining;
};

/// What autograd knows of a tensor. Made when first needed.
struct AutogradMeta final : AutogradState {
  Ref<Node> grad_fn;    // null for a leaf
  uint32_t output = 0;  // which output of grad_fn
  SpinLock lock;        // guards all members but view
  Tensor grad;
  AccumulateGrad* accumulator = nullptr;  // once it was needed; see there who owns whom
  std::unique_ptr<ViewInfo> view;
  std::unique_ptr<MetaExtra> extra;
  std::atomic<bool> has_extra{false};
  std::atomic<bool> cut{false};  // detached in place

  AutogradMeta() = default;
  ~AutogradMeta() override;
  AutogradMeta(const AutogradMeta&) = delete;
  AutogradMeta& operator=(const AutogradMeta&) = delete;
  bool view_requires_grad(TensorImpl& tensor) override;
  static void* operator new(size_t bytes) { return pool_allocate_fast(bytes); }
  static void operator delete(void* block, size_t bytes) { pool_free_fast(block, bytes); }

  MetaExtra& make_extra() {
    if (!extra) {
      extra = std::make_unique<MetaExtra>();
      has_extra.store(true, std::memory_order_release);
    }
    return *extra;
  }
};

inline AutogradMeta* meta_or_null(const Tensor& t) {
  return static_cast<AutogradMeta*>(t.impl()->autograd.load(std::memory_order_acquire));
}
ONETAPE_API AutogradMeta& meta(const Tensor& t);

/// A dtype as PyTorch names it in some errors, after the type of C++.
std::string_view cpp_name(DType dtype);

// ---- what users ask of a tensor ----
ONETAPE_API bool is_leaf(const Tensor& t);
/// The node that made the tensor, or null. Rebuilt for a view whose base was changed in place.
ONETAPE_API Ref<Node> grad_fn(const Tensor& t);
/// The edge that a gradient of t flows along; null node when t needs none.
ONETAPE_API Edge gradient_edge(const Tensor& t);
ONETAPE_API Tensor grad(const Tensor& t);
/// Sets .grad after checking shape, dtype and device; an undefined tensor clears it.
ONETAPE_API void set_grad(const Tensor& t, const Tensor& grad);
/// RuntimeError for integers ("only Tensors of floating point…") and when switching off a non-leaf.
ONETAPE_API void set_requires_grad(const Tensor& t, bool requires_grad);
ONETAPE_API void retain_grad(const Tensor& t);
ONETAPE_API bool retains_grad(const Tensor& t);
inline uint32_t version(const Tensor& t) {
  const AutogradMeta* m = meta_or_null(t);
  if (m && m->has_extra.load(std::memory_order_acquire) && m->extra->own_version) [[unlikely]]
    return m->extra->own_version->load(std::memory_order_acquire);
  return t.impl()->storage()->version();
}
/// RuntimeError for inference tensors, which count no changes.
ONETAPE_API uint32_t counted_version(const Tensor& t);
inline void bump_version(const Tensor& t) {
  const AutogradMeta* m = meta_or_null(t);
  if (m && m->has_extra.load(std::memory_order_acquire) && m->extra->own_version) [[unlikely]] {
    m->extra->own_version->fetch_add(1, std::memory_order_acq_rel);
    return;
  }
  t.impl()->storage()->bump_version();
}
inline bool is_inference(const Tensor& t) { return t.impl()->storage()->is_inference(); }
/// Has `fresh`, another name for elements of `t`, count changes as t does.
void share_version(const Tensor& fresh, const Tensor& t);
ONETAPE_API bool is_view(const Tensor& t);
ONETAPE_API Tensor view_base(const Tensor& t);
/// Shares elements and version counter, no history.
ONETAPE_API Tensor detach(const Tensor& t);
/// Shares elements, version counter and history.
ONETAPE_API Tensor another_name(const Tensor& t);
/// A tensor that nobody else knows, so that nobody changes its sizes: `t`, or another name for it.
inline Tensor known_to_none(Tensor&& t) {
  if (!t.defined() || t.impl()->use_count() == 1) return std::move(t);
  return another_name(t);
}
/// Makes `t` a leaf that needs no gradient; RuntimeError for a view.
ONETAPE_API void forget_history(const Tensor& t);
/// Shares elements only: what Tensor.data gives.
ONETAPE_API Tensor data_of(const Tensor& t);
/// Makes `t` another name for the elements of `data` (Tensor.data = …).
ONETAPE_API void set_data(const Tensor& t, const Tensor& data);
/// Before `t` gets the memory of another tensor: it goes on counting its own changes.
ONETAPE_API void keep_version(const Tensor& t);
/// Before the gradient is used: the hook may replace it.
ONETAPE_API HookRemover register_hook(const Tensor& t, TensorHook hook);
/// After a gradient was added to .grad of a leaf.
ONETAPE_API HookRemover register_post_accumulate_hook(const Tensor& t,
                                                      std::function<void(const Tensor&)> hook);

/// The engine keeps the tensor, and so its history, apart from the objects of a language: see keeper.h.
ONETAPE_API void pin_history(const Tensor& t);

// ---- what recording needs ----
/// t is output number `output` of `node`. In forward mode t also gets its tangent.
ONETAPE_API void set_history(const Tensor& t, Ref<Node> node, uint32_t output);
/// The same for a fresh result that no other thread knows.
ONETAPE_API void set_new_history(const Tensor& t, Ref<Node> node, uint32_t output = 0);
/// Only the history, also in forward mode.
ONETAPE_API void attach_history(const Tensor& t, Ref<Node> node, uint32_t output);
/// Notes that `view` is a view of `base` (or of base's base).
ONETAPE_API void set_view(const Tensor& view, const Tensor& base, ViewOrigin origin);
/// Throws if the elements of `t` may be changed in inference mode only, and this is not.
ONETAPE_API void check_not_inference(const Tensor& t);
/// Throws unless `t` may be changed in place now; `recorded` if that is to be recorded for another operand's
/// sake.
ONETAPE_API void check_inplace(const Tensor& t, bool recorded = false);
/// After `t` was changed in place by `node`: t's history, and its base's if it is a view.
ONETAPE_API void rebase_history(const Tensor& t, Ref<Node> node);
/// After `node` made `t` another view of the same elements: t's history. A base's stays as it is.
ONETAPE_API void replace_history(const Tensor& t, Ref<Node> node);

}  // namespace onetape
