#include <mutex>
#include <numbers>

#include "kernels/random.h"
#include "ops.h"
#include "ops/pointwise.h"

namespace onetape {
namespace impl {

// ---- relu ----
Tensor relu(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("relu");
  check(self.dtype() != DType::Bool, "Boolean inputs not supported for relu");
  return PointwiseOp("relu", to, {self}).record_with_result(kernel, {}, "ReluBackward0", [](Backward& g) {
    g.set(0, ops::threshold_backward(g.grad(), g.saved(0), Scalar(0)));
  });
}

// ---- leaky_relu ----
Tensor leaky_relu(Target to, const Tensor& self, double negative_slope) {
  static const Kernel& kernel = find_kernel("leaky_relu_cpu");
  PointwiseOp op("leaky_relu", to, {self});
  return op.record(kernel, {negative_slope}, "LeakyReluBackward0", saving(op.keep_if(true, 0)), [negative_slope](Backward& g) {
    g.set(0, ops::leaky_relu_backward(g.grad(), g.saved(0), negative_slope));
  });
}

}  // namespace impl

namespace ops {
namespace {

/// 0.5 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))
Tensor tanh_gate(const Tensor& x) {
  const Tensor cubic = add(x, mul(mul(square(x), x), Scalar(0.044715)));
  const Tensor inner = mul(cubic, Scalar(std::numbers::sqrt2 * std::numbers::inv_sqrtpi));
  return mul(add(tanh(inner), Scalar(1)), Scalar(0.5));
}

Tensor gelu_slope(const Tensor& x) {
  const Tensor below = mul(add(erf(mul(x, Scalar(std::numbers::sqrt2 / 2))), Scalar(1)), Scalar(0.5));
  const Tensor density = mul(exp(mul(square(x), Scalar(-0.5))), Scalar(std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2));
  return add(below, mul(x, density));
}

Tensor tanh_gelu_slope(const Tensor& x) {
  const Tensor gate = tanh_gate(x);
  const Tensor rate = add(mul(square(x), Scalar(3 * 0.044715)), Scalar(1));
  // d gate / dx = 2 · gate · (1 − gate) · √(2/π) · (1 + 3 · 0.044715 x²)
  const Tensor slope = mul(mul(gate, add(neg(gate), Scalar(1))), rate);
  return add(gate, mul(mul(x, slope), Scalar(2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi)));
}

/// 1 / keep with that probability, else 0.
Tensor dropout_scale(const Tensor& like, double keep, Generator* given) {
  Tensor scale = empty_like(like);
  Generator& generator = given ? *given : default_generator();
  const std::lock_guard guard(generator.mutex);
  visit_floating("bernoulli_scalar_cpu_", scale.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* out = scale.data<T>();
    for (int64_t i = 0; i < scale.numel(); ++i) {
      out[i] = uniform_double(generator) < keep ? T(static_cast<float>(1 / keep)) : T(0.0f);
    }
  });
  return scale;
}

}  // namespace

// ---- gelu ----
Tensor gelu(const Tensor& self, std::string_view approximate) {
  if (approximate == "tanh") {
    const bool is_recording = recording(self);
    Tensor result;
    {
      const GradModeGuard off(false);
      result = mul(self, tanh_gate(self));
    }
    if (!is_recording) return result;
    return record(result, "GeluBackward0", {self}, saving(save(self)),
                  [](Backward& g) { g.set(0, mul(g.grad(), tanh_gelu_slope(g.saved(0)))); });
  }
  check(approximate == "none", "approximate argument must be either none or tanh.");
  static const Kernel& kernel = find_kernel("GeluKernelImpl");
  PointwiseOp op("gelu", Target::fresh(), {self});
  return op.record(kernel, {}, "GeluBackward0", saving(op.keep_if(true, 0)),
                   [](Backward& g) { g.set(0, mul(g.grad(), gelu_slope(g.saved(0)))); });
}

// ---- silu ----
Tensor silu(const Tensor& self) {
  const bool is_recording = recording(self);
  Tensor result;
  {
    const GradModeGuard off(false);
    result = mul(self, sigmoid(self));
  }
  if (!is_recording) return result;
  return record(result, "SiluBackward0", {self}, saving(save(self)), [](Backward& g) {
    const Tensor& x = g.saved(0);
    const Tensor s = sigmoid(x);
    // s · (1 + x · (1 − s))
    g.set(0, mul(g.grad(), mul(s, add(mul(x, add(neg(s), Scalar(1))), Scalar(1)))));
  });
}

// ---- dropout ----
Tensor dropout(const Tensor& input, double p, bool training, Generator* generator) {
  check_value(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
  if (!training || p == 0 || input.numel() == 0) return input;
  if (p == 1) return mul(input, zeros_like(input));
  return mul(input, dropout_scale(input, 1 - p, generator));
}

// ---- threshold_backward ----
Tensor threshold_backward(const Tensor& grad_output, const Tensor& self, const Scalar& threshold) {
  static const Kernel& kernel = find_kernel("threshold_backward");
  PointwiseOp op("threshold_backward", Target::fresh(), {grad_output, self});
  return op.record(kernel, {threshold}, "ThresholdBackwardBackward0", saving(op.keep_if(true, 1)), [threshold](Backward& g) {
    if (g.needs(0)) g.set(0, threshold_backward(g.grad(), g.saved(0), threshold));
    if (g.needs(1)) g.set(1, zeros_like(g.grad()));
  });
}

// ---- leaky_relu_backward ----
Tensor leaky_relu_backward(const Tensor& grad_output, const Tensor& self, double negative_slope) {
  static const Kernel& kernel = find_kernel("leaky_relu_backward_cpu");
  PointwiseOp op("leaky_relu_backward", Target::fresh(), {grad_output, self});
  return op.record(kernel, {negative_slope}, "LeakyReluBackwardBackward0", saving(op.keep_if(true, 1)),
                   [negative_slope](Backward& g) {
                     if (g.needs(0)) g.set(0, leaky_relu_backward(g.grad(), g.saved(0), negative_slope));
                     if (g.needs(1)) g.set(1, zeros_like(g.grad()));
                   });
}

}  // namespace ops
}  // namespace onetape
