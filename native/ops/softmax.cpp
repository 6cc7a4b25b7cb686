#include "kernels/softmax.h"

#include <array>

#include "ops.h"
#include "ops/copy.h"

namespace onetape::ops {
namespace {

AlongDim along(const Tensor& t, int64_t dim) {
  AlongDim shape{1, 1, 1};
  for (int64_t d = 0; d < t.dim(); ++d) {
    int64_t& part = d < dim ? shape.outer : d == dim ? shape.n : shape.inner;
    part *= t.sizes()[d];
  }
  return shape;
}

Tensor sum_along(const Tensor& t, int64_t dim) { return t.dim() == 0 ? t : sum(t, IntSpan(&dim, 1), true); }

Tensor apply(const char* op, const char* op_inside, bool log, const Tensor& self, int64_t dim) {
  const Tensor in = dense(self);
  Tensor result = Tensor::empty(in.sizes(), in.dtype());
  const AlongDim shape = along(in, dim);
  if (result.numel() == 0 || !result.has_data()) return result;
  onetape::softmax(shape.inner == 1 ? op : op_inside, in.dtype(), log, shape, in.bytes(), result.bytes());
  return result;
}

Tensor apply_backward(bool log, const Tensor& grad_output, const Tensor& output, int64_t dim) {
  const Tensor grad = dense(grad_output);
  const Tensor y = dense(output);
  Tensor result = Tensor::empty(y.sizes(), y.dtype());
  if (result.has_data())
    onetape::softmax_backward(y.dtype(), log, along(y, dim), grad.bytes(), y.bytes(), result.bytes());
  return result;
}

}  // namespace

// ---- softmax ----
Tensor softmax(Body, const Tensor& self, int64_t dim, std::optional<DType> dtype) {
  const Tensor in = dtype ? to_dtype(self, *dtype) : self;
  dim = wrap_dim(dim, in.dim());
  Tensor result = apply("softmax_lastdim_kernel_impl", "softmax_kernel_impl", false, in, dim);
  if (!recording(in)) return result;
  return record(result, "SoftmaxBackward0", {in}, saving(save_result(result)),
                [dim](Backward& g) { g.set(0, softmax_backward_data(g.grad(), g.saved(0), dim)); });
}

// ---- log_softmax ----
Tensor log_softmax(Body, const Tensor& self, int64_t dim, std::optional<DType> dtype) {
  const Tensor in = dtype ? to_dtype(self, *dtype) : self;
  dim = wrap_dim(dim, in.dim());
  Tensor result = apply("log_softmax_lastdim_kernel_impl", "log_softmax_kernel_impl", true, in, dim);
  if (!recording(in)) return result;
  return record(result, "LogSoftmaxBackward0", {in}, saving(save_result(result)),
                [dim](Backward& g) { g.set(0, log_softmax_backward_data(g.grad(), g.saved(0), dim)); });
}

// ---- softmin ----
Tensor softmin(Body, const Tensor& input, int64_t dim, std::optional<DType> dtype) {
  return softmax(neg(input), dim, dtype);
}

// ---- softmax_backward_data ----
Tensor softmax_backward_data(Body, const Tensor& grad_output, const Tensor& output, int64_t dim) {
  Tensor result = apply_backward(false, grad_output, output, dim);
  if (!recording(grad_output, output)) return result;
  return record(result, "SoftmaxBackwardDataBackward0", {grad_output, output},
                saving(save_if(tracked(output), grad_output), save(output)), [dim](Backward& g) {
                  const Tensor y = g.saved(1);
                  if (g.needs(0)) g.set(0, softmax_backward_data(g.grad(), y, dim));
                  if (!g.needs(1)) return;
                  // y appears as the factor and in the sum: r = (grad − Σ grad·y) · y
                  const Tensor grad = g.saved(0);
                  const Tensor direct = mul(g.grad(), sub(grad, sum_along(mul(grad, y), dim)));
                  g.set(1, sub(direct, mul(grad, sum_along(mul(g.grad(), y), dim))));
                });
}

// ---- log_softmax_backward_data ----
Tensor log_softmax_backward_data(Body, const Tensor& grad_output, const Tensor& output, int64_t dim) {
  Tensor result = apply_backward(true, grad_output, output, dim);
  if (!recording(grad_output, output)) return result;
  return record(result, "LogSoftmaxBackwardDataBackward0", {grad_output, output},
                saving(save_if(tracked(output), grad_output), save(output)), [dim](Backward& g) {
                  // r = grad − e^y · Σ grad
                  const Tensor weighted = mul(g.grad(), exp(g.saved(1)));
                  if (g.needs(0)) g.set(0, sub(g.grad(), sum_along(weighted, dim)));
                  if (g.needs(1)) g.set(1, neg(mul(weighted, sum_along(g.saved(0), dim))));
                });
}

}  // namespace onetape::ops
