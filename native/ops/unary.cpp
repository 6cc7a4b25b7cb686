#include "ops/unary.h"

#include <cmath>
#include <limits>

#include "ops.h"

namespace onetape {
namespace {

Tensor zero_gradient(const Tensor& grad) { return ops::zeros_like(grad); }

void check_real(const Tensor& self, const char* name) {
  if (is_complex(self.dtype())) fail(ErrorKind::NotImplemented, name, " is not supported for complex inputs");
}

/// The absolute value of complex numbers is real.
Tensor abs_complex(const Target& to, const Tensor& self) {
  check(!to.is_in_place(), "In-place abs is not supported for complex tensors.");
  const bool wide = self.dtype() == DType::C128;
  const bool recorded = recording(self);
  to.check_recording(recorded);
  Tensor result = Tensor::empty(self.sizes(), to_real(self.dtype()));
  run_kernel(find_kernel(wide ? "abs_complex128" : "abs_complex64"), result, {self});
  result = to.deliver(result);
  if (!recorded) return result;
  return record(std::move(result), "AbsBackward0", {self}, saving(save(self)),
                [](Backward& g) { g.set(0, ops::mul(g.grad(), ops::sgn(g.saved(0)))); });
}

}  // namespace

namespace impl {

// ---- abs ----
Tensor abs(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("abs_cpu");
  if (is_complex(self.dtype())) return abs_complex(to, self);
  return by_operand("AbsBackward0", kernel, to, self, Rule::Same,
                    [](const Tensor& grad, const Tensor& x) { return ops::mul(grad, ops::sgn(x)); });
}

// ---- sign ----
Tensor sign(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("sgn");
  if (is_complex(self.dtype())) {
    fail(
        ErrorKind::NotImplemented,
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.");
  }
  return by_gradient("SignBackward0", kernel, to, self, Rule::Same, zero_gradient);
}

// ---- sgn ----
Tensor sgn(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("sgn");
  if (!is_complex(self.dtype()))
    return by_gradient("SgnBackward0", kernel, to, self, Rule::Same, zero_gradient);
  return by_operand("SgnBackward0", kernel, to, self, Rule::Same, [](const Tensor& grad, const Tensor& z) {
    // s = z/|z| turns with z only: the part of grad along s is lost.
    const Tensor s = ops::sgn(z);
    const Tensor across = ops::mul(grad, ops::conj(s));
    const Tensor turned =
        ops::div(ops::mul(ops::sub(across, ops::conj(across)), s), ops::mul(ops::abs(z), 2));
    return ops::where(ops::eq(z, 0), wrapped_number(0), turned);
  });
}

// ---- square ----
Tensor square(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("square");
  const Tensor x = self.dtype() == DType::Bool ? ops::to_dtype(self, DType::I64) : self;
  return by_operand("PowBackward0", kernel, to, x, Rule::Same, [](const Tensor& grad, const Tensor& base) {
    return ops::mul(grad, ops::conj(ops::mul(base, 2)));
  });
}

// ---- sqrt ----
Tensor sqrt(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("sqrt");
  return by_result("SqrtBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& y) {
    return ops::div(grad, ops::mul(ops::conj(y), 2));
  });
}

// ---- rsqrt ----
Tensor rsqrt(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("rsqrt");
  return by_result("RsqrtBackward0", kernel, to, self, Rule::Float, [](const Tensor& grad, const Tensor& y) {
    return ops::mul(ops::mul(grad, -0.5), ops::conj(ops::mul(ops::mul(y, y), y)));
  });
}

// ---- reciprocal ----
Tensor reciprocal(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("reciprocal");
  return by_result("ReciprocalBackward0", kernel, to, self, Rule::Float,
                   [](const Tensor& grad, const Tensor& y) {
                     return ops::mul(ops::neg(grad), ops::conj(ops::mul(y, y)));
                   });
}

// ---- floor ----
Tensor floor(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("floor_vml_cpu");
  check_real(self, "floor");
  return by_gradient("FloorBackward0", kernel, to, self, Rule::Same, zero_gradient);
}

// ---- ceil ----
Tensor ceil(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("ceil_vml_cpu");
  check_real(self, "ceil");
  return by_gradient("CeilBackward0", kernel, to, self, Rule::Same, zero_gradient);
}

// ---- trunc ----
Tensor trunc(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("trunc_vml_cpu");
  check_real(self, "trunc");
  return by_gradient("TruncBackward0", kernel, to, self, Rule::Same, zero_gradient);
}

// ---- round ----
Tensor round(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("round_vml_cpu");
  return by_gradient("RoundBackward0", kernel, to, self, Rule::Same, zero_gradient);
}

Tensor round(Target to, const Tensor& self, int64_t decimals) {
  static const Kernel& whole = find_kernel("round_vml_cpu");
  static const Kernel& places = find_kernel("round_cpu");
  if (decimals == 0 && !is_floating(self.dtype())) {
    fail(ErrorKind::NotImplemented, "\"round_vml_cpu\" not implemented for '", scalar_type_name(self.dtype()),
         "'");
  }
  const double power = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  return by_gradient("RoundBackward1", decimals == 0 ? whole : places, to, self, Rule::Same, zero_gradient,
                     {power, decimals < 0});
}

// ---- frac ----
Tensor frac(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("frac_cpu");
  return by_gradient("FracBackward0", kernel, to, self, Rule::Same, [](const Tensor& grad) { return grad; });
}

// ---- nan_to_num ----
Tensor nan_to_num(Target to, const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
  static const Kernel& kernel = find_kernel("nan_to_num");
  if (!is_differentiable(self.dtype())) return to.is_in_place() ? self : to.deliver(ops::clone(self));
  const double largest = visit_floating("nan_to_num", to_real(self.dtype()), [](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, Half>) return 65504.0;
    if constexpr (std::is_same_v<T, BFloat16>) return 0x1.fep127;
    return static_cast<double>(std::numeric_limits<compute_t<T>>::max());
  });
  return by_operand("NanToNumBackward0", kernel, to, self, Rule::Same,
                    [](const Tensor& grad, const Tensor& x) { return ops::mul(grad, ops::isfinite(x)); },
                    {nan.value_or(0), posinf.value_or(largest), neginf.value_or(-largest)});
}

}  // namespace impl

namespace ops {

// ---- positive ----
Tensor positive(Body, const Tensor& self) {
  if (self.dtype() == DType::Bool) {
    fail(ErrorKind::NotImplemented, "The `+` operator, on a bool tensor is not supported.");
  }
  return self;
}

// ---- conj ----
Tensor conj(Body, const Tensor& self) {
  static const Kernel& kernel = find_kernel("conj");
  if (!is_complex(self.dtype())) return self;
  return by_gradient("ConjBackward0", kernel, Target::fresh(), self, Rule::Same,
                     [](const Tensor& grad) { return conj(grad); });
}

// ---- isnan ----
Tensor isnan(Body, const Tensor& self) {
  static const Kernel& kernel = find_kernel("isnan");
  return PointwiseOp("isnan", Target::fresh(), {self}, Rule::Compare).run(kernel);
}

// ---- isinf ----
Tensor isinf(Body, const Tensor& self) {
  static const Kernel& kernel = find_kernel("isinf");
  return PointwiseOp("isinf", Target::fresh(), {self}, Rule::Compare).run(kernel);
}

// ---- isfinite ----
Tensor isfinite(Body, const Tensor& self) {
  static const Kernel& kernel = find_kernel("isfinite");
  return PointwiseOp("isfinite", Target::fresh(), {self}, Rule::Compare).run(kernel);
}

}  // namespace ops
}  // namespace onetape
