#include <array>
#include <numbers>

#include "autograd/mode.h"
#include "ops.h"
#include "ops/slope.h"
#include "ops/unary.h"

namespace onetape {
namespace {

bool parse_approximate(std::string_view approximate) {
  check(approximate == "none" || approximate == "tanh", "approximate argument must be either none or tanh.");
  return approximate == "tanh";
}

/// (2 − x²) φ(x), the second derivative of x Φ(x)
Tensor gelu_curvature(const Tensor& x) {
  const Tensor square = ops::mul(x, x);
  const Tensor density =
      ops::mul(ops::exp(ops::mul(square, -0.5)), std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2);
  return ops::mul(density, ops::rsub(square, 2));
}

/// The second derivative of x (1 + tanh u) / 2 with u = √(2/π) (x + c x³).
Tensor gelu_tanh_curvature(const Tensor& x) {
  constexpr double c = 0.044715;
  constexpr double k = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  const Tensor square = ops::mul(x, x);
  const Tensor t = ops::tanh(ops::mul(ops::mul(x, ops::add(ops::mul(square, c), 1)), k));
  const Tensor rate = ops::mul(ops::add(ops::mul(square, 3 * c), 1), k);
  const Tensor flat = ops::rsub(ops::mul(t, t), 1);  // 1 − tanh² u
  const Tensor bend = ops::sub(ops::mul(x, 6 * c * k), ops::mul(ops::mul(ops::mul(t, rate), rate), 2));
  return ops::mul(flat, ops::add(rate, ops::mul(ops::mul(x, bend), 0.5)));
}

/// s (1 − s) (2 + x (1 − 2s)) with s = sigmoid(x)
Tensor silu_curvature(const Tensor& x) {
  const Tensor s = ops::sigmoid(x);
  const Tensor slope = ops::mul(s, ops::rsub(s, 1));
  return ops::mul(slope, ops::add(ops::mul(x, ops::rsub(ops::mul(s, 2), 1)), 2));
}

/// s (1 − t²) (2 + x (1 − s − 2 t s)) with s = sigmoid(x) and t = tanh(softplus(x))
Tensor mish_curvature(const Tensor& x) {
  const Tensor s = ops::sigmoid(x);
  const Tensor t = ops::tanh(ops::softplus(x));
  const Tensor slope = ops::mul(s, ops::rsub(ops::mul(t, t), 1));
  const Tensor bend = ops::sub(ops::rsub(s, 1), ops::mul(ops::mul(t, s), 2));
  return ops::mul(slope, ops::add(ops::mul(x, bend), 2));
}

/// scale · (self above 0, alpha (exp(rate · self) − 1) below)
Tensor elu_by(const char* node, const Target& to, const Tensor& self, double alpha, double scale,
              double rate) {
  static const Kernel& kernel = find_kernel("elu_cpu");
  return by_operand(
      node, kernel, to, self, Rule::Same,
      [=](const Tensor& grad, const Tensor& x) { return ops::elu_backward(grad, x, alpha, scale, rate); },
      {scale, alpha * scale, rate});
}

}  // namespace

namespace impl {

// ---- selu ----
Tensor selu(Target to, const Tensor& self) {
  constexpr double alpha = 1.6732632423543772848170429916717;
  constexpr double scale = 1.0507009873554804934193349852946;
  return elu_by("EluBackward0", to, self, alpha, scale, 1);
}

// ---- celu ----
Tensor celu(Target to, const Tensor& self, const Scalar& alpha) {
  const auto a = alpha.to<double>();
  check(a != 0, "ZeroDivisionError: alpha cannot be 0 for CELU");
  return elu_by("CeluBackward0", to, self, a, 1, 1 / a);
}

}  // namespace impl

namespace ops {

// ---- gelu ----
Tensor gelu(Body, const Tensor& self, std::string_view approximate) {
  static const Kernel& exact = find_kernel("GeluKernelImpl");
  static const Kernel& by_tanh = find_kernel("gelu_tanh");
  const bool approximately = parse_approximate(approximate);
  visit_floating("GeluKernelImpl", self.dtype(), [](auto) {});
  return by_operand("GeluBackward0", approximately ? by_tanh : exact, Target::fresh(), self, Rule::Same,
                    [approximately](const Tensor& grad, const Tensor& x) {
                      return gelu_backward(grad, x, approximately ? "tanh" : "none");
                    });
}

// ---- silu ----
Tensor silu(Body, const Tensor& self) {
  static const Kernel& kernel = find_kernel("silu_cpu");
  return by_operand("SiluBackward0", kernel, Target::fresh(), self, Rule::Same,
                    [](const Tensor& grad, const Tensor& x) { return silu_backward(grad, x); });
}

// ---- mish ----
Tensor mish(Body, const Tensor& self) {
  static const Kernel& kernel = find_kernel("mish_cpu");
  return by_operand("MishBackward0", kernel, Target::fresh(), self, Rule::Same,
                    [](const Tensor& grad, const Tensor& x) { return mish_backward(grad, x); });
}

// ---- elu ----
Tensor elu(Body, const Tensor& self, const Scalar& alpha) {
  return elu_by("EluBackward0", Target::fresh(), self, alpha.to<double>(), 1, 1);
}

// ---- softplus ----
Tensor softplus(Body, const Tensor& self, const Scalar& beta, const Scalar& threshold) {
  static const Kernel& kernel = find_kernel("softplus_cpu");
  return by_operand("SoftplusBackward0", kernel, Target::fresh(), self, Rule::Same,
                    [beta, threshold](const Tensor& grad, const Tensor& x) {
                      return softplus_backward(grad, x, beta, threshold);
                    },
                    {beta, threshold});
}

// ---- logsigmoid ----
Tensor logsigmoid(Body, const Tensor& self) {
  static const Kernel& kernel = find_kernel("log_sigmoid_cpu");
  return by_operand("LogSigmoidBackward0", kernel, Target::fresh(), self, Rule::Same,
                    [](const Tensor& grad, const Tensor& x) { return mul(grad, sigmoid(neg(x))); });
}

// ---- tanhshrink ----
Tensor tanhshrink(Body, const Tensor& input) { return sub(input, tanh(input)); }

// ---- glu ----
Tensor glu(Body, const Tensor& self, int64_t dim) {
  check(self.dim() > 0, "glu does not support scalars because halving size must be even");
  dim = wrap_dim(dim, self.dim());
  const int64_t size = self.sizes()[dim];
  check(size % 2 == 0, "Halving dimension must be even, but dimension ", dim, " is size ", size);
  visit_floating("glu_cpu", self.dtype(), [](auto) {});
  const bool recorded = recording(self);
  Tensor result;
  {
    const GradModeGuard off(false);
    result = mul(narrow(self, dim, 0, size / 2), sigmoid(narrow(self, dim, size / 2, size / 2)));
  }
  if (!recorded) return result;
  return record(std::move(result), "GluBackward0", {self}, saving(save(self)), [dim, size](Backward& g) {
    const Tensor value = narrow(g.saved(0), dim, 0, size / 2);
    const Tensor gate = sigmoid(narrow(g.saved(0), dim, size / 2, size / 2));
    const std::array<Tensor, 2> halves = {mul(g.grad(), gate), sigmoid_backward(mul(g.grad(), value), gate)};
    g.set(0, cat(halves, dim));
  });
}

// ---- gelu_backward ----
Tensor gelu_backward(Body, const Tensor& grad_output, const Tensor& self, std::string_view approximate) {
  static const Kernel& exact = find_kernel("GeluBackwardKernelImpl");
  static const Kernel& by_tanh = find_kernel("gelu_tanh_backward");
  if (parse_approximate(approximate)) {
    return times_slope(
        "GeluBackwardBackward0", by_tanh, {}, grad_output, self,
        [](const Tensor& grad, const Tensor& x) { return gelu_backward(grad, x, "tanh"); },
        gelu_tanh_curvature);
  }
  return times_slope(
      "GeluBackwardBackward0", exact, {}, grad_output, self,
      [](const Tensor& grad, const Tensor& x) { return gelu_backward(grad, x, "none"); }, gelu_curvature);
}

// ---- silu_backward ----
Tensor silu_backward(Body, const Tensor& grad_output, const Tensor& self) {
  static const Kernel& kernel = find_kernel("silu_backward_cpu");
  return times_slope(
      "SiluBackwardBackward0", kernel, {}, grad_output, self,
      [](const Tensor& grad, const Tensor& x) { return silu_backward(grad, x); }, silu_curvature);
}

// ---- mish_backward ----
Tensor mish_backward(Body, const Tensor& grad_output, const Tensor& self) {
  static const Kernel& kernel = find_kernel("mish_backward_cpu");
  return times_slope(
      "MishBackwardBackward0", kernel, {}, grad_output, self,
      [](const Tensor& grad, const Tensor& x) { return mish_backward(grad, x); }, mish_curvature);
}

// ---- elu_backward ----
Tensor elu_backward(Body, const Tensor& grad_output, const Tensor& self, double alpha, double scale,
                    double input_scale) {
  static const Kernel& kernel = find_kernel("elu_backward_cpu");
  const double below = alpha * scale * input_scale;
  return times_slope(
      "EluBackwardBackward0", kernel, {scale, below, input_scale}, grad_output, self,
      [=](const Tensor& grad, const Tensor& x) { return elu_backward(grad, x, alpha, scale, input_scale); },
      [=](const Tensor& x) {
        const Tensor bent = mul(exp(mul(x, input_scale)), below * input_scale);
        return where(le(x, 0), bent, wrapped_number(0));
      });
}

// ---- softplus_backward ----
Tensor softplus_backward(Body, const Tensor& grad_output, const Tensor& self, const Scalar& beta,
                         const Scalar& threshold) {
  static const Kernel& kernel = find_kernel("softplus_backward_cpu");
  return times_slope(
      "SoftplusBackwardBackward0", kernel, {beta, threshold}, grad_output, self,
      [beta, threshold](const Tensor& grad, const Tensor& x) {
        return softplus_backward(grad, x, beta, threshold);
      },
      [beta, threshold](const Tensor& x) {
        const Tensor scaled = mul(x, beta);
        const Tensor s = sigmoid(scaled);
        return where(gt(scaled, threshold), wrapped_number(0), mul(mul(s, rsub(s, 1)), beta));
      });
}

}  // namespace ops
}  // namespace onetape
