#include <numbers>

#include "ops.h"
#include "ops/unary.h"

namespace onetape {
namespace {

/// 1 − x²
Tensor one_minus_square(const Tensor& x) { return ops::add(ops::neg(ops::mul(x, x)), 1); }
/// x² + c
Tensor square_plus(const Tensor& x, int c) { return ops::add(ops::mul(x, x), c); }

}  // namespace

namespace impl {

// ---- exp ----
Tensor exp(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("exp");
  return by_result("ExpBackward0", kernel, to, self, Rule::Float,
                   [](const Tensor& grad, const Tensor& y) { return ops::mul(grad, ops::conj(y)); });
}

// ---- exp2 ----
Tensor exp2(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("exp2");
  return by_result("Exp2Backward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& y) {
    return ops::mul(ops::mul(grad, ops::conj(y)), std::numbers::ln2);
  });
}

// ---- expm1 ----
Tensor expm1(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("expm1");
  return by_result("Expm1Backward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& y) {
    return ops::mul(grad, ops::add(ops::conj(y), 1));
  });
}

// ---- log ----
Tensor log(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("log");
  return by_operand("LogBackward0", kernel, to, self, Rule::Float,
                    [](const Tensor& grad, const Tensor& x) { return ops::div(grad, ops::conj(x)); });
}

// ---- log2 ----
Tensor log2(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("log2");
  return by_operand("Log2Backward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::div(grad, ops::mul(ops::conj(x), std::numbers::ln2));
  });
}

// ---- log10 ----
Tensor log10(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("log10");
  return by_operand("Log10Backward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::div(grad, ops::mul(ops::conj(x), std::numbers::ln10));
  });
}

// ---- log1p ----
Tensor log1p(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("log1p");
  return by_operand("Log1PBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::div(grad, ops::conj(ops::add(x, 1)));
  });
}

// ---- sin ----
Tensor sin(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("sin");
  return by_operand("SinBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::mul(grad, ops::conj(ops::cos(x)));
  });
}

// ---- cos ----
Tensor cos(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("cos");
  return by_operand("CosBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::mul(grad, ops::conj(ops::neg(ops::sin(x))));
  });
}

// ---- tan ----
Tensor tan(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("tan");
  return by_result("TanBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& y) {
    return ops::mul(grad, ops::conj(square_plus(y, 1)));
  });
}

// ---- asin ----
Tensor asin(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("asin");
  return by_operand("AsinBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::mul(grad, ops::conj(ops::rsqrt(one_minus_square(x))));
  });
}

// ---- acos ----
Tensor acos(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("acos");
  return by_operand("AcosBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::mul(grad, ops::neg(ops::conj(ops::rsqrt(one_minus_square(x)))));
  });
}

// ---- atan ----
Tensor atan(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("atan");
  return by_operand("AtanBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::div(grad, ops::conj(square_plus(x, 1)));
  });
}

// ---- sinh ----
Tensor sinh(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("sinh");
  return by_operand("SinhBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::mul(grad, ops::conj(ops::cosh(x)));
  });
}

// ---- cosh ----
Tensor cosh(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("cosh");
  return by_operand("CoshBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::mul(grad, ops::conj(ops::sinh(x)));
  });
}

// ---- tanh ----
Tensor tanh(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("tanh");
  return by_result("TanhBackward0", kernel, to, self, Rule::Float,
                   [](const Tensor& grad, const Tensor& y) { return ops::tanh_backward(grad, y); });
}

// ---- asinh ----
Tensor asinh(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("asinh");
  return by_operand("AsinhBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::mul(grad, ops::conj(ops::rsqrt(square_plus(x, 1))));
  });
}

// ---- acosh ----
Tensor acosh(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("acosh");
  return by_operand("AcoshBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::mul(grad, ops::conj(ops::rsqrt(square_plus(x, -1))));
  });
}

// ---- atanh ----
Tensor atanh(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("atanh");
  return by_operand("AtanhBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& x) {
    return ops::mul(grad, ops::conj(ops::reciprocal(one_minus_square(x))));
  });
}

}  // namespace impl

// ---- tanh_backward ----
Tensor ops::tanh_backward(Body, const Tensor& grad, const Tensor& result) {
  static const Kernel& kernel = find_kernel("tanh_backward");
  if (is_complex(grad.dtype())) return mul(grad, conj(one_minus_square(result)));
  PointwiseOp op("tanh_backward", Target::fresh(), {grad, result});
  return op.record(kernel, {}, "TanhBackwardBackward0",
                   saving(op.keep_if(op.needs(1), 0), op.keep_if(true, 1)), [](Backward& g) {
                     const Tensor y = g.saved(1);
                     if (g.needs(0)) g.set(0, tanh_backward(g.grad(), y));
                     if (g.needs(1)) g.set(1, mul(g.grad(), mul(mul(y, -2), g.saved(0))));
                   });
}

}  // namespace onetape
