#include <limits>
#include <numbers>

#include "ops.h"
#include "ops/unary.h"

namespace onetape {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

}  // namespace

namespace impl {

// ---- sigmoid ----
Tensor sigmoid(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("sigmoid");
  return by_result("SigmoidBackward0", kernel, to, self, Rule::Float,
                   [](const Tensor& grad, const Tensor& y) { return ops::sigmoid_backward(grad, y); });
}

// ---- logit ----
Tensor logit(Target to, const Tensor& self, std::optional<double> eps) {
  static const Kernel& kernel = find_kernel("logit_cpu");
  const double margin = eps && *eps >= 0 ? *eps : -1;
  return by_operand("LogitBackward0", kernel, to, self, Rule::Float,
                    [margin](const Tensor& grad, const Tensor& p) {
                      const Tensor slope = ops::div(grad, ops::mul(p, ops::add(ops::neg(p), 1)));
                      const double low = margin < 0 ? 0 : margin;
                      const Tensor inside = ops::bitwise_and(ops::ge(p, low), ops::le(p, 1 - low));
                      const double outside = margin < 0 ? std::numeric_limits<double>::quiet_NaN() : 0;
                      return ops::where(inside, slope, wrapped_number(outside));
                    },
                    {margin});
}

// ---- erf ----
Tensor erf(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("erf_vml_cpu");
  return by_operand("ErfBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::mul(ops::mul(ops::exp(ops::neg(ops::mul(x, x))), 2 * std::numbers::inv_sqrtpi), grad);
  });
}

// ---- erfc ----
Tensor erfc(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("erfc_vml_cpu");
  return by_operand("ErfcBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::mul(ops::mul(ops::exp(ops::neg(ops::mul(x, x))), -2 * std::numbers::inv_sqrtpi), grad);
  });
}

// ---- erfinv ----
Tensor erfinv(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("erfinv_vml_cpu");
  return by_result("ErfinvBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& y) {
    return ops::mul(ops::mul(ops::exp(ops::mul(y, y)), 0.5 / std::numbers::inv_sqrtpi), grad);
  });
}

// ---- lgamma ----
Tensor lgamma(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("lgamma_vml_cpu");
  return by_operand("LgammaBackward0", kernel, to, self, Rule::Float,
                    [](const Tensor& grad, const Tensor& x) { return ops::mul(grad, ops::digamma(x)); });
}

// ---- digamma ----
Tensor digamma(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("digamma");
  return by_operand("DigammaBackward0", kernel, to, self, Rule::Float,
                    [](const Tensor& grad, const Tensor& x) { return ops::mul(grad, ops::polygamma(1, x)); });
}

// ---- sinc ----
Tensor sinc(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("sinc");
  return by_operand("SincBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    const Tensor pi_x = ops::mul(x, std::numbers::pi);
    const Tensor square = ops::mul(ops::mul(x, x), std::numbers::pi);
    const Tensor slope = ops::div(ops::sub(ops::mul(pi_x, ops::cos(pi_x)), ops::sin(pi_x)), square);
    return ops::where(ops::eq(square, 0), wrapped_number(0.0), ops::mul(grad, ops::conj(slope)));
  });
}

// ---- deg2rad ----
Tensor deg2rad(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("scale");
  if (is_complex(self.dtype()))
    fail(ErrorKind::NotImplemented, "deg2rad is not supported for complex tensors.");
  return by_gradient("Deg2RadBackward0", kernel, to, self, Rule::Float,
                     [](const Tensor& grad) { return ops::mul(grad, kDegree); }, {kDegree});
}

// ---- rad2deg ----
Tensor rad2deg(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("scale");
  if (is_complex(self.dtype()))
    fail(ErrorKind::NotImplemented, "rad2deg is not supported for complex tensors.");
  return by_gradient("Rad2DegBackward0", kernel, to, self, Rule::Float,
                     [](const Tensor& grad) { return ops::mul(grad, 1 / kDegree); }, {1 / kDegree});
}

}  // namespace impl

namespace ops {

// ---- sigmoid_backward ----
Tensor sigmoid_backward(Body, const Tensor& grad, const Tensor& result) {
  static const Kernel& kernel = find_kernel("sigmoid_backward");
  if (is_complex(grad.dtype())) return mul(grad, conj(mul(add(neg(result), 1), result)));
  PointwiseOp op("sigmoid_backward", Target::fresh(), {grad, result});
  return op.record(kernel, {}, "SigmoidBackwardBackward0",
                   saving(op.keep_if(op.needs(1), 0), op.keep_if(true, 1)), [](Backward& g) {
                     const Tensor y = g.saved(1);
                     if (g.needs(0)) g.set(0, sigmoid_backward(g.grad(), y));
                     if (g.needs(1)) g.set(1, mul(mul(g.grad(), g.saved(0)), add(mul(y, -2), 1)));
                   });
}

// ---- polygamma ----
Tensor polygamma(Body, int64_t n, const Tensor& self) {
  check(n >= 0, "polygamma(n, x) does not support negative n.");
  const Kernel& kernel = find_kernel(n == 0 ? "digamma" : n == 1 ? "trigamma" : "polygamma");
  return by_operand("PolygammaBackward0", kernel, Target::fresh(), self, Rule::Float,
                    [n](const Tensor& grad, const Tensor& x) { return mul(grad, polygamma(n + 1, x)); }, {n});
}

}  // namespace ops
}  // namespace onetape
