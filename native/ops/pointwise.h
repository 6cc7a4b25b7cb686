#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/registry.h"
#include "ops/promotion.h"
#include "ops/target.h"

namespace onetape {

/// How the result's dtype follows from the promoted dtype of the operands.
enum class Rule : uint8_t {
  Same,     ///< the promoted dtype
  Float,    ///< integers become the default floating dtype first
  Compare,  ///< computed in the promoted dtype, result bool
};

/// Names a tensor that outlives the call it is passed to; a temporary is refused.
class TensorRef {
 public:
  TensorRef(const Tensor& tensor) : tensor_(&tensor) {}  // NOLINT(google-explicit-constructor)
  TensorRef(Tensor&&) = delete;
  const Tensor& get() const { return *tensor_; }

 private:
  const Tensor* tensor_;
};

/// One run of an element-wise kernel.
struct Launch {
  InnerLoop loop;
  const Tensor& out;
  std::span<const Tensor* const> given;     ///< the operands as the operator got them
  std::span<const Tensor* const> operands;  ///< the same in the kernel's dtype, not yet broadcast
  std::span<const Scalar> params;
  bool direct;  ///< the kernel writes into `out` itself
};

struct Reduction;
struct ReduceShape;
/// One run of a reduction.
struct ReduceLaunch {
  const Reduction& reduction;
  const ReduceShape& shape;
  const Tensor& in;
  const Tensor& out;
  const Scalar* param;  ///< its number, or null
};

/// Sees the kernels that a thread runs, so that a tape can run them without their operators.
class LaunchWatcher {
 public:
  virtual ~LaunchWatcher() = default;
  virtual void launched(const Launch& launch) = 0;
  virtual void reduced(const ReduceLaunch& launch) = 0;
};

/// One application of an element-wise operator: promotion, broadcasting, kernel, graph node.
/// While recording, casts and broadcasts of operands that need a gradient are graph nodes of their own, so
/// gradient functions never see either.
class ONETAPE_API PointwiseOp {
 public:
  PointwiseOp(const char* name, const Target& to, std::initializer_list<TensorRef> operands,
              Rule rule = Rule::Same)
      : to_(to) {
    if (!take_plain(operands, rule)) [[unlikely]]
      take(name, operands, rule);
  }

  bool recording() const { return recording_; }
  const Tensor& operand(size_t i) const { return *operands_[i]; }
  DType dtype() const { return dtype_; }
  /// Does operand i need a gradient?
  bool needs(size_t i) const { return recording_ && tracked(*operands_[i]); }
  /// Says that the kernel may stop at an element (division by zero of integers): an existing tensor then
  /// changes only when all elements are there.
  PointwiseOp& may_fail() {
    apart_ = is_integral(dtype_);
    return *this;
  }
  /// Saves operand i if `condition`.
  SavedTensor keep_if(bool condition, size_t i) const {
    if (!condition || !recording_) return SavedTensor();
    // Of what an operator overwrites only self is kept as a copy: as in PyTorch, another operand that is the
    // same tensor, or a view of it, is found to have changed.
    return to_.is_fresh() || i != 0 ? SavedTensor(*operands_[i]) : to_.save_if(true, *operands_[i]);
  }

  /// Computes without a gradient (bool results, or an operator whose derivative is zero everywhere it
  /// exists).
  Tensor run(const Kernel& kernel, std::initializer_list<Scalar> params = {});
  /// Computes and records the node.
  template <size_t N, typename F>
  Tensor record(const Kernel& kernel, std::initializer_list<Scalar> params, const char* node,
                std::array<SavedTensor, N> saved, F gradient) {
    auto from = early_edges();
    Tensor result = compute(kernel, params);
    if (!recording_) return result;
    return attach(std::move(result),
                  build(
                      node, from, [&saved] { return std::move(saved); }, std::move(gradient)));
  }
  /// The same with a function that makes the saved tensors, called only if there is something to record:
  /// quicker, since they are made where they stay.
  template <std::invocable Save, typename F>
  Tensor record(const Kernel& kernel, std::initializer_list<Scalar> params, const char* node, Save save,
                F gradient) {
    if (!recording_) return compute(kernel, params);
    if (!to_.is_fresh()) [[unlikely]]  // an operand may be about to be overwritten
      return record(kernel, params, node, save(), std::move(gradient));
    Tensor result = compute(kernel, params);
    set_new_history(result, build(node, EarlyEdges(), save, std::move(gradient)));
    return result;
  }
  /// The same for a gradient that needs no saved tensor.
  template <typename F>
  Tensor record(const Kernel& kernel, std::initializer_list<Scalar> params, const char* node, F gradient) {
    return record(kernel, params, node, std::array<SavedTensor, 0>{}, std::move(gradient));
  }
  /// The same for a gradient written with the result: it is saved(0).
  template <typename F>
  Tensor record_with_result(const Kernel& kernel, std::initializer_list<Scalar> params, const char* node,
                            F gradient) {
    return record_with_result(kernel, params, node, std::array<SavedTensor, 0>{}, std::move(gradient));
  }
  /// The same with operands saved before it.
  template <size_t N, typename F>
  Tensor record_with_result(const Kernel& kernel, std::initializer_list<Scalar> params, const char* node,
                            std::array<SavedTensor, N> saved, F gradient) {
    auto from = early_edges();
    Tensor result = compute(kernel, params);
    if (!recording_) return result;
    const auto save = [&saved, &result] {
      std::array<SavedTensor, N + 1> all;
      std::move(saved.begin(), saved.end(), all.begin());
      all[N] = save_result(result);
      return all;
    };
    Ref<Node> made = build(node, from, save, std::move(gradient));
    return attach(std::move(result), std::move(made));
  }

 private:
  static constexpr int64_t kSmall = 32768;  // elements that one thread computes without a plan

  /// What the operands are made to fit with.
  struct Adapted {
    TensorList made;
    Ints broadcast;
    std::array<const Tensor*, kMaxLoopOperands - 1> given;
  };

  bool take_plain(std::initializer_list<TensorRef> operands, Rule rule);
  void take(const char* name, std::initializer_list<TensorRef> operands, Rule rule);
  void decide_recording(bool grads, Rule rule) {
    recording_ = ((grads && grad_enabled()) || (dual_active() && any_tangent())) && rule != Rule::Compare &&
                 is_differentiable(dtype_);
  }
  void adapt_operands(bool uniform, Rule rule);
  bool any_tangent() const;
  void expand_operands();
  using EarlyEdges = InlineVector<Edge, 3>;
  /// The edges, where the operator is about to change a tensor: those of its views have to be known before.
  EarlyEdges early_edges() const {
    EarlyEdges edges;
    if (!recording_ || to_.is_fresh()) [[likely]]
      return edges;
    for (size_t i = 0; i < count_; ++i) edges.push_back(edge(i, edges.data()));
    return edges;
  }
  Edge edge(size_t i, const Edge* made) const {
    const bool again = i > 0 && operands_[i]->is(*operands_[0]);  // y · y
    return again ? made[0] : input_edge(*operands_[i]);
  }
  /// The node, and in place its edges, unless they are known, and what `save()` gives.
  template <typename Save, typename F>
  Ref<Node> build(const char* node, const EarlyEdges& early, Save&& save, F gradient) const {
    const auto edges = [this, &early](size_t i, const Edge* made) {
      return early.empty() ? edge(i, made) : early[i];
    };
    return build_function(node, count_, edges, std::forward<Save>(save), std::move(gradient));
  }
  Tensor attach(Tensor&& result, Ref<Node> node) const {
    if (!to_.is_fresh()) [[unlikely]]
      return to_.attach(std::move(result), std::move(node));
    set_new_history(result, std::move(node));
    return std::move(result);
  }
  Tensor compute(const Kernel& kernel, std::initializer_list<Scalar> params) {
    if (!kernel.has_loop(dtype_)) [[unlikely]]  // known before anything is touched
      refuse(kernel);
    const InnerLoop loop = kernel.loop(dtype_);
    if (thread_modes.launches) [[unlikely]]
      return compute_seen(loop, std::span(params.begin(), params.size()));
    return plain_ ? compute_plain(loop, params.begin()) : compute_any(loop, params.begin());
  }
  [[noreturn]] void refuse(const Kernel& kernel) const;
  Tensor compute_seen(InnerLoop loop, std::span<const Scalar> params);
  Tensor compute_any(InnerLoop loop, const Scalar* params);
  Tensor compute_plain(InnerLoop loop, const Scalar* params) const;
  Tensor compute_to_target(InnerLoop loop, const Scalar* params);
  void compute_into(const Tensor& out, InnerLoop loop, const Scalar* params) const;
  void run_planned(const Tensor& out, InnerLoop loop, const Scalar* params) const;

  const Target to_;
  std::array<const Tensor*, kMaxLoopOperands - 1>
      operands_;  // the ones given, or their converted forms in made_
  size_t count_ = 0;
  IntSpan shape_;  // of the result: that of an operand, or adapted_->broadcast
  DType dtype_ = DType::F32;
  DType result_dtype_ = DType::F32;
  bool recording_ = false;
  bool apart_ = false;     // computes into memory of its own first
  bool one_shape_ = true;  // no operand is broadcast
  bool plain_ = false;     // see take_plain
  std::optional<Adapted> adapted_;
};

/// Most calls: a fresh result, few elements in order, one dtype and shape. False if this call is another.
inline bool PointwiseOp::take_plain(std::initializer_list<TensorRef> operands, Rule rule) {
  using Traits = TensorImpl::Traits;
  constexpr uint64_t kAlike =
      Traits{.ndim = 0xff, .dtype = DType{0xff}, .place = 0xff, .contiguous = true}.word();
  // Neither a mere number nor on another device.
  constexpr uint64_t kPlace = Traits{.dtype = {}, .place = 0xff, .contiguous = false}.word();
  constexpr uint64_t kOrdered = Traits{.dtype = {}, .contiguous = true}.word();
  constexpr uint64_t kGradient = Traits{.dtype = {}, .requires_grad = true, .contiguous = false}.word();
  constexpr uint64_t kView = Traits{.dtype = {}, .is_view = true, .contiguous = false}.word();
  const TensorRef* const all = operands.begin();
  TensorImpl* const first = all[0].get().impl();
  if (!first || !to_.is_fresh()) return false;
  const uint64_t word = first->traits().word();
  uint64_t any = word;
  operands_[0] = &all[0].get();
  for (size_t i = 1; i < operands.size(); ++i) {
    TensorImpl* const t = all[i].get().impl();
    if (!t || ((t->traits().word() ^ word) & kAlike) != 0) return false;
    if (first->dim() > 0 && !same(all[i].get().sizes(), operands_[0]->sizes())) return false;
    any |= t->traits().word();
    operands_[i] = &all[i].get();
  }
  dtype_ = first->dtype();
  if ((word & (kPlace | kOrdered)) != kOrdered || (any & kView) || first->numel() > kSmall) return false;
  if (rule == Rule::Float && !is_differentiable(dtype_)) return false;
  count_ = operands.size();
  shape_ = operands_[0]->sizes();
  result_dtype_ = rule == Rule::Compare ? DType::Bool : dtype_;
  decide_recording((any & kGradient) != 0, rule);
  plain_ = true;
  return true;
}

/// Runs a kernel over tensors that already fit: out[i] = f(in[i]…), with broadcasting but no checks.
ONETAPE_API void run_kernel(const Kernel& kernel, const Tensor& out, std::initializer_list<Tensor> inputs,
                            const Scalar* params = nullptr);

}  // namespace onetape
