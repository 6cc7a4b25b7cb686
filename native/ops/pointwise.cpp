#include "ops/pointwise.h"

#include <array>

#include "ops.h"
#include "ops/copy.h"

namespace onetape {
PointwiseOp::PointwiseOp(const char* name, const Target& to, std::initializer_list<TensorRef> operands, Rule rule) : to_(to) {
  for (const TensorRef& t : operands) {
    check(t.get().defined(), name, ": an operand is an undefined tensor");
    operands_[count_++] = &t.get();
  }
  resolve_dtype(rule);
  const IntSpan first = operands_[0]->sizes();
  for (size_t i = 1; i < count_; ++i) {
    if (!same(operands_[i]->sizes(), first)) one_shape_ = false;
  }
  shape_ = Ints(first);
  for (size_t i = 1; i < count_ && !one_shape_; ++i) shape_ = broadcast_shapes(shape_, operands_[i]->sizes());
  if (rule != Rule::Compare && is_differentiable(dtype_) && grad_enabled()) {
    for (size_t i = 0; i < count_; ++i) recording_ = recording_ || operands_[i]->requires_grad();
  }
  adapt_operands();
}

void PointwiseOp::resolve_dtype(Rule rule) {
  bool uniform = true;
  for (size_t i = 0; i < count_; ++i) {
    uniform = uniform && operands_[i]->dtype() == operands_[0]->dtype() && !operands_[i]->impl()->wrapped_number();
  }
  dtype_ = operands_[0]->dtype();
  if (!uniform) {
    TensorList all;
    for (size_t i = 0; i < count_; ++i) all.push_back(*operands_[i]);
    dtype_ = result_type(std::span<const Tensor>(all.data(), all.size()));
  }
  if (rule == Rule::Float && !is_differentiable(dtype_)) dtype_ = default_dtype();
  result_dtype_ = rule == Rule::Compare ? DType::Bool : dtype_;
}

void PointwiseOp::adapt_operands() {
  for (size_t i = 0; i < count_; ++i) {
    const Tensor& t = *operands_[i];
    const bool cast = t.dtype() != dtype_;
    const bool broadcast = !one_shape_ && recording_ && t.requires_grad() && !same(t.sizes(), shape_);
    if (!cast && !broadcast) continue;
    if (made_.empty()) made_.resize(count_);  // sized once: pointers into it stay good
    made_[i] = cast ? ops::to_dtype(t, dtype_) : t;
    if (broadcast) made_[i] = ops::expand(made_[i], shape_);
    operands_[i] = &made_[i];
  }
}

InlineVector<Edge, 3> PointwiseOp::edges() const {
  InlineVector<Edge, 3> edges;
  for (size_t i = 0; i < count_; ++i) edges.push_back(gradient_edge(*operands_[i]));
  return edges;
}

Tensor PointwiseOp::run(const Kernel& kernel, std::initializer_list<Scalar> params) {
  to_.check_recording(recording_);
  return compute(kernel, params);
}

Tensor PointwiseOp::compute(const Kernel& kernel, std::initializer_list<Scalar> params) {
  const InnerLoop loop = kernel.loop(dtype_);  // before anything is touched: it may not exist
  Tensor out = to_.prepare(shape_, result_dtype_);
  if (to_.is_fresh()) {
    compute_into(out, loop, params.begin());
    return out;
  }
  bool apart = out.dtype() != result_dtype_;
  for (size_t i = 0; i < count_; ++i) {
    const Tensor& t = *operands_[i];
    const bool identical = same(t.sizes(), out.sizes()) && same(t.strides(), out.strides()) && t.bytes() == out.bytes();
    apart = apart || (share_memory(out, t) && !identical);
  }
  if (apart) {
    const Tensor temporary = Tensor::empty(shape_, result_dtype_);
    compute_into(temporary, loop, params.begin());
    copy_elements(out, temporary);
  } else {
    compute_into(out, loop, params.begin());
  }
  to_.written(out);
  return out;
}

void PointwiseOp::compute_into(const Tensor& out, InnerLoop loop, const Scalar* params) const {
  constexpr int64_t kSmall = 32768;
  bool simple = one_shape_ && out.numel() <= kSmall && out.is_contiguous();
  for (size_t i = 0; i < count_ && simple; ++i) simple = operands_[i]->is_contiguous();
  if (simple) {  // the common case needs no plan
    char* data[kMaxLoopOperands];
    int64_t strides[kMaxLoopOperands];
    data[0] = out.bytes();
    strides[0] = static_cast<int64_t>(out.item_bytes());
    for (size_t i = 0; i < count_; ++i) {
      data[i + 1] = operands_[i]->bytes();
      strides[i + 1] = static_cast<int64_t>(operands_[i]->item_bytes());
    }
    if (out.numel() > 0) loop(data, strides, out.numel(), params);
    return;
  }
  std::array<LoopOperand, kMaxLoopOperands> all;
  all[0] = {out.bytes(), loop_strides(out.sizes(), out.strides(), out.item_bytes(), shape_)};
  for (size_t i = 0; i < count_; ++i) {
    const Tensor& t = *operands_[i];
    all[i + 1] = {t.bytes(), loop_strides(t.sizes(), t.strides(), t.item_bytes(), shape_)};
  }
  run_loop(shape_, std::span(all.data(), count_ + 1), loop, params);
}

void run_kernel(const Kernel& kernel, const Tensor& out, std::initializer_list<Tensor> inputs, const Scalar* params) {
  std::array<LoopOperand, kMaxLoopOperands> loop;
  loop[0] = {out.bytes(), loop_strides(out.sizes(), out.strides(), out.item_bytes(), out.sizes())};
  size_t n = 1;
  DType dtype = out.dtype();
  for (const Tensor& in : inputs) {
    if (n == 1) dtype = in.dtype();
    loop[n++] = {in.bytes(), loop_strides(in.sizes(), in.strides(), in.item_bytes(), out.sizes())};
  }
  run_loop(out.sizes(), std::span(loop.data(), n), kernel.loop(dtype), params);
}

}  // namespace onetape
