#include "ops/pointwise.h"

#include <array>

#include "ops.h"
#include "ops/copy.h"

namespace onetape {
namespace {

Ints common_shape(const TensorList& operands) {
  Ints shape = operands[0].shape();
  for (size_t i = 1; i < operands.size(); ++i) {
    if (!same(shape, operands[i].sizes())) shape = broadcast_shapes(shape, operands[i].sizes());
  }
  return shape;
}

bool all_of_one_shape(const Tensor& out, std::span<const Tensor> inputs) {
  if (!out.is_contiguous()) return false;
  for (const Tensor& in : inputs) {
    if (!same(in.sizes(), out.sizes()) || !in.is_contiguous()) return false;
  }
  return true;
}

}  // namespace

PointwiseOp::PointwiseOp(const char* name, const Target& to, std::initializer_list<Tensor> operands, Rule rule)
    : to_(to), operands_(operands) {
  for (const Tensor& t : operands_) check(t.defined(), name, ": an operand is an undefined tensor");
  const std::span<const Tensor> all(operands_.data(), operands_.size());
  dtype_ = result_type(all);
  if (rule == Rule::Float && !is_differentiable(dtype_)) dtype_ = default_dtype();
  result_dtype_ = rule == Rule::Compare ? DType::Bool : dtype_;
  shape_ = common_shape(operands_);
  recording_ = rule != Rule::Compare && is_differentiable(dtype_) && onetape::recording(all);
  for (Tensor& t : operands_) {
    if (t.dtype() != dtype_) t = ops::to_dtype(t, dtype_);
    if (recording_ && t.requires_grad() && !same(t.sizes(), shape_)) t = ops::expand(t, shape_);
  }
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
  for (const Tensor& t : operands_) {
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
  const std::span<const Tensor> in = inputs();
  if (out.numel() <= kSmall && all_of_one_shape(out, in)) {  // the common case needs no plan
    std::array<char*, kMaxLoopOperands> data{out.bytes()};
    std::array<int64_t, kMaxLoopOperands> strides{static_cast<int64_t>(out.item_bytes())};
    for (size_t i = 0; i < in.size(); ++i) {
      data[i + 1] = in[i].bytes();
      strides[i + 1] = static_cast<int64_t>(in[i].item_bytes());
    }
    if (out.numel() > 0) loop(data.data(), strides.data(), out.numel(), params);
    return;
  }
  std::array<LoopOperand, kMaxLoopOperands> all;
  all[0] = {out.bytes(), loop_strides(out.sizes(), out.strides(), out.item_bytes(), shape_)};
  for (size_t i = 0; i < in.size(); ++i) {
    all[i + 1] = {in[i].bytes(), loop_strides(in[i].sizes(), in[i].strides(), in[i].item_bytes(), shape_)};
  }
  run_loop(shape_, std::span(all.data(), in.size() + 1), loop, params);
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
