#include <optional>

#include "ops.h"
#include "ops/creation.h"
#include "ops/pointwise.h"

namespace onetape {
namespace {

bool is_number(const Tensor& t) { return t.impl()->wrapped_number(); }

/// Powers that have a kernel of their own; null for others.
const Kernel* kernel_of_exponent(const Scalar& exponent, DType dtype) {
  static const Kernel& zeroth = find_kernel("zeroth_power");
  static const Kernel& first = find_kernel("first_power");
  static const Kernel& square = find_kernel("square");
  static const Kernel& cube = find_kernel("cube");
  static const Kernel& root = find_kernel("sqrt");
  static const Kernel& inverse_root = find_kernel("rsqrt");
  static const Kernel& inverse = find_kernel("reciprocal");
  static const Kernel& inverse_square = find_kernel("inverse_square");
  const auto number = exponent.to<complex128>();
  if (number.imag() != 0) return nullptr;
  const double e = number.real();
  if (e == 0) return &zeroth;
  if (e == 1) return &first;
  if (exponent.kind() == DTypeKind::Complex) return nullptr;
  if (e == 2) return &square;
  if (e == 3) return &cube;
  if (!is_differentiable(dtype)) return nullptr;
  return e == 0.5    ? &root
         : e == -0.5 ? &inverse_root
         : e == -1   ? &inverse
         : e == -2   ? &inverse_square
                     : nullptr;
}

/// grad · exponent · self^(exponent − 1), and 0 where the exponent is 0.
Tensor gradient_of_base(const Tensor& grad, const Tensor& self, const Scalar& exponent) {
  if (exponent.kind() == DTypeKind::Complex) {
    const auto e = exponent.to<complex128>();
    const Tensor slope = ops::mul(ops::pow(self, wrapped_number(e - 1.0)), e);
    return e == 0.0 ? ops::zeros_like(grad) : ops::mul(grad, ops::conj(slope));
  }
  const auto e = exponent.to<double>();
  if (e == 0) return ops::zeros_like(grad);
  const Tensor power = e == 2 ? self : ops::pow(self, wrapped_number(e - 1));
  return ops::mul(grad, ops::conj(ops::mul(power, e)));
}

/// A number as a tensor that keeps its precision: promotion would treat it as one of the default dtype.
Tensor unwrapped(const Tensor& t) { return is_number(t) ? detach(t) : t; }

/// grad · log(self) · self^exponent, and 0 where that has the limit 0.
Tensor gradient_of_exponent(const Tensor& grad, const Tensor& self, const Tensor& exponent) {
  const Tensor slope = ops::mul(grad, ops::conj(ops::mul(ops::pow(self, exponent), ops::log(self))));
  Tensor flat = ops::eq(self, 0);
  if (!is_complex(exponent.dtype())) flat = ops::bitwise_and(flat, ops::ge(exponent, 0));
  return ops::where(flat, wrapped_number(0), slope);
}

Tensor number_power(const Target& to, const Tensor& self, const Tensor& exponent) {
  static const Kernel& general = find_kernel("pow");
  const Scalar e = item(exponent);
  const DType dtype = result_type({self, exponent});
  check(!(!is_differentiable(dtype) && e.to<double>() < 0),
        "Integers to negative integer powers are not allowed.");
  if (dtype == DType::Bool) return to.deliver(e.to<bool>() ? self : ops::ones_like(self));
  const Tensor base = ops::to_dtype(self, dtype);
  const auto gradient = [e](Backward& g) { g.set(0, gradient_of_base(g.grad(), g.saved(0), e)); };
  if (const Kernel* own = kernel_of_exponent(e, dtype)) {
    PointwiseOp op("pow", to, {base});
    return op.record(*own, {}, "PowBackward0", saving(op.keep_if(true, 0)), gradient);
  }
  if (dtype != DType::F32) check_convertible(e, dtype);  // which PyTorch lets become infinite
  PointwiseOp op("pow", to, {base, exponent});
  return op.record(general, {}, "PowBackward0", saving(op.keep_if(true, 0)), gradient);
}

}  // namespace

// ---- pow ----
Tensor impl::pow(Target to, const Tensor& self, const Tensor& exponent) {
  static const Kernel& kernel = find_kernel("pow");
  if (is_number(exponent) && !is_number(self)) return number_power(to, self, exponent);
  PointwiseOp op("pow", to, {self, exponent});
  const char* node = is_number(self) ? "PowBackward2" : "PowBackward1";
  return op.record(kernel, {}, node, saving(op.keep_if(true, 0), op.keep_if(true, 1)), [](Backward& g) {
    const Tensor base = unwrapped(g.saved(0));
    const Tensor power = g.saved(1);
    if (g.needs(0)) {
      const Tensor slope = ops::mul(power, ops::pow(base, ops::sub(power, 1)));
      g.set(0, ops::where(ops::eq(power, 0), wrapped_number(0), ops::mul(g.grad(), ops::conj(slope))));
    }
    if (g.needs(1)) g.set(1, gradient_of_exponent(g.grad(), base, power));
  });
}

}  // namespace onetape
