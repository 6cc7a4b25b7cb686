#include "ops/pointwise.h"

#include <array>

#include "ops.h"
#include "ops/copy.h"

namespace onetape {
void PointwiseOp::take(const char* name, std::initializer_list<TensorRef> operands, Rule rule) {
  count_ = 0;
  bool uniform = true;  // all of one dtype, none a mere number
  bool grads = false;
  for (const TensorRef& ref : operands) {
    const Tensor& t = ref.get();
    check(t.defined(), name, ": an operand is an undefined tensor");
    operands_[count_++] = &t;
    const Tensor& first = *operands_[0];
    uniform = uniform && t.dtype() == first.dtype() && !t.impl()->wrapped_number();
    one_shape_ = one_shape_ && same(t.sizes(), first.sizes());
    grads = grads || t.requires_grad();
  }
  if (!to_.is_fresh()) to_.check_partly_apart({operands_.data(), count_});
  dtype_ = operands_[0]->dtype();
  shape_ = operands_[0]->sizes();
  if (!uniform || !one_shape_ || (rule == Rule::Float && !is_differentiable(dtype_)))
    adapt_operands(uniform, rule);
  result_dtype_ = rule == Rule::Compare ? DType::Bool : dtype_;
  decide_recording(grads, rule);
  if (recording_ && !one_shape_) expand_operands();
}

void PointwiseOp::adapt_operands(bool uniform, Rule rule) {
  if (!uniform) {
    TensorList all;
    for (size_t i = 0; i < count_; ++i) all.push_back(*operands_[i]);
    dtype_ = result_type(std::span<const Tensor>(all.data(), all.size()));
  }
  if (rule == Rule::Float && !is_differentiable(dtype_)) dtype_ = default_dtype();
  Adapted& adapted = adapted_.emplace();
  adapted.given = operands_;
  if (!one_shape_) {
    Ints& shape = adapted.broadcast;
    shape = Ints(shape_);
    for (size_t i = 1; i < count_; ++i) shape = broadcast_shapes(shape, operands_[i]->sizes());
    shape_ = shape;
  }
  adapted.made.resize(count_);  // sized once: pointers into it stay good
  for (size_t i = 0; i < count_; ++i) {
    if (operands_[i]->dtype() == dtype_) continue;
    adapted.made[i] = ops::to_dtype(*operands_[i], dtype_);
    operands_[i] = &adapted.made[i];
  }
}

bool PointwiseOp::any_tangent() const {
  for (size_t i = 0; i < count_; ++i) {
    if (tangent_of(*operands_[i]).defined()) return true;
  }
  return false;
}

void PointwiseOp::expand_operands() {
  for (size_t i = 0; i < count_; ++i) {
    if (!tracked(*operands_[i]) || same(operands_[i]->sizes(), shape_)) continue;
    Tensor& made = adapted_->made[i];
    made = ops::expand(*operands_[i], shape_);
    operands_[i] = &made;
  }
}

Tensor PointwiseOp::run(const Kernel& kernel, std::initializer_list<Scalar> params) {
  return compute(kernel, params);
}

void PointwiseOp::refuse(const Kernel& kernel) const {
  if (!to_.is_fresh()) to_.check_fit(shape_, result_dtype_);
  kernel.fail_missing(dtype_);
}

Tensor PointwiseOp::compute_seen(InnerLoop loop, std::span<const Scalar> params) {
  Tensor out = plain_ ? compute_plain(loop, params.data()) : compute_any(loop, params.data());
  const auto& given = adapted_ ? adapted_->given : operands_;
  thread_modes.launches->launched({loop,
                                   out,
                                   {given.data(), count_},
                                   {operands_.data(), count_},
                                   params,
                                   !apart_ && out.dtype() == result_dtype_});
  return out;
}

Tensor PointwiseOp::compute_any(InnerLoop loop, const Scalar* params) {
  if (!to_.is_fresh()) return compute_to_target(loop, params);
  Tensor out = Tensor::empty(shape_, result_dtype_);
  compute_into(out, loop, params);
  return out;
}

Tensor PointwiseOp::compute_plain(InnerLoop loop, const Scalar* params) const {
  Tensor out = Tensor::empty(shape_, result_dtype_);
  const auto step = static_cast<int64_t>(item_size(dtype_));
  char* data[kMaxLoopOperands];
  int64_t strides[kMaxLoopOperands];
  data[0] = out.bytes();
  strides[0] = static_cast<int64_t>(item_size(result_dtype_));
  for (size_t i = 0; i < count_; ++i) {
    data[i + 1] = operands_[i]->impl()->address();  // that of the CPU: see take_plain
    strides[i + 1] = step;
  }
  const int64_t numel = out.numel();
  if (numel > 0) loop(data, strides, numel, params);
  return out;
}

Tensor PointwiseOp::compute_to_target(InnerLoop loop, const Scalar* params) {
  to_.check_recording(recording_);
  Tensor out = to_.prepare(shape_, result_dtype_, recording_);
  bool apart = apart_ || out.dtype() != result_dtype_;
  for (size_t i = 0; i < count_; ++i) {
    const Tensor& t = *operands_[i];
    const bool identical =
        same(t.sizes(), out.sizes()) && same(t.strides(), out.strides()) && t.address() == out.address();
    apart = apart || (share_memory(out, t) && !identical);
  }
  if (apart) {
    const Tensor temporary = Tensor::empty(shape_, result_dtype_);
    compute_into(temporary, loop, params);
    copy_elements(out, temporary);
  } else {
    compute_into(out, loop, params);
  }
  to_.written(out);
  return out;
}

void PointwiseOp::compute_into(const Tensor& out, InnerLoop loop, const Scalar* params) const {
  if (!out.has_data()) [[unlikely]]
    return;
  // The common case, few elements that all stand in order, needs no plan.
  const int64_t numel = out.numel();
  bool simple = one_shape_ && numel <= kSmall && out.is_contiguous();
  char* data[kMaxLoopOperands];
  int64_t strides[kMaxLoopOperands];
  data[0] = out.bytes();
  strides[0] = static_cast<int64_t>(out.item_bytes());
  for (size_t i = 0; i < count_; ++i) {
    const TensorImpl& t = *operands_[i]->impl();
    simple = simple && t.is_contiguous();
    data[i + 1] = t.data();
    strides[i + 1] = static_cast<int64_t>(item_size(t.dtype()));
  }
  if (!simple) {
    run_planned(out, loop, params);
  } else if (numel > 0) {
    loop(data, strides, numel, params);
  }
}

void PointwiseOp::run_planned(const Tensor& out, InnerLoop loop, const Scalar* params) const {
  std::array<LoopOperand, kMaxLoopOperands> all;
  all[0] = {out.bytes(), loop_strides(out.sizes(), out.strides(), out.item_bytes(), shape_)};
  for (size_t i = 0; i < count_; ++i) {
    const Tensor& t = *operands_[i];
    all[i + 1] = {t.bytes(), loop_strides(t.sizes(), t.strides(), t.item_bytes(), shape_)};
  }
  run_loop(shape_, std::span(all.data(), count_ + 1), loop, params);
}

void run_kernel(const Kernel& kernel, const Tensor& out, std::initializer_list<Tensor> inputs,
                const Scalar* params) {
  if (!out.has_data()) return;
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
