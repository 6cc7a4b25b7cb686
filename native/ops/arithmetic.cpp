#include "ops.h"
#include "ops/creation.h"
#include "ops/pointwise.h"

namespace onetape::impl {
namespace {

bool is_one(const Scalar& alpha) { return alpha.kind() == DTypeKind::Integral && alpha.to<int64_t>() == 1; }

/// alpha must not be of a higher kind than the result, and its dtype must hold it.
void check_alpha(const Scalar& alpha, DType result) {
  if (is_one(alpha)) return;
  check(alpha.kind() != DTypeKind::Bool || result == DType::Bool,
        "Boolean alpha only supported for Boolean results.");
  check(!(alpha.kind() == DTypeKind::Floating && kind_of(result) <= DTypeKind::Integral),
        "For integral input tensors, argument alpha must not be a floating point number.");
  check(!(alpha.kind() == DTypeKind::Complex && !is_complex(result)),
        "For non-complex input tensors, argument alpha must not be a complex number.");
  check_convertible(alpha, result);
}

/// a · conj(b); a real b is taken as it is.
Tensor mul_conj(const Tensor& a, const Tensor& b) {
  return is_complex(b.dtype()) ? ops::mul(a, ops::conj(b)) : ops::mul(a, b);
}

Tensor scaled(const Tensor& t, const Scalar& alpha) { return is_one(alpha) ? t : ops::mul(t, alpha); }

void check_not_bool(const Tensor& self, const Tensor& other) {
  if (self.dtype() != DType::Bool && other.dtype() != DType::Bool) return;
  const bool both = self.dtype() == other.dtype();
  fail(ErrorKind::NotImplemented, "Subtraction, the `-` operator, with ",
       both ? "two bool tensors" : "a bool tensor", " is not supported. ",
       both ? "Use the `^` or `logical_xor()` operator instead."
            : "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.");
}

}  // namespace

// ---- add ----
Tensor add(Target to, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  static const Kernel& kernel = find_kernel("add");
  PointwiseOp op("add", to, {self, other});
  check_alpha(alpha, op.dtype());
  return op.record(kernel, {alpha}, "AddBackward0", [alpha](Backward& g) {
    if (g.needs(0)) g.set(0, g.grad());
    if (g.needs(1)) g.set(1, scaled(g.grad(), alpha));
  });
}

// ---- sub ----
Tensor sub(Target to, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  static const Kernel& kernel = find_kernel("sub");
  check_not_bool(self, other);
  PointwiseOp op("sub", to, {self, other});
  check_alpha(alpha, op.dtype());
  return op.record(kernel, {alpha}, "SubBackward0", [alpha](Backward& g) {
    if (g.needs(0)) g.set(0, g.grad());
    if (g.needs(1)) g.set(1, ops::neg(scaled(g.grad(), alpha)));
  });
}

// ---- mul ----
Tensor mul(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("mul");
  PointwiseOp op("mul", to, {self, other});
  // As in PyTorch, hooks see `other` first.
  const auto save = [&op] { return std::array{op.keep_if(op.needs(0), 1), op.keep_if(op.needs(1), 0)}; };
  return op.record(kernel, {}, "MulBackward0", save, [](Backward& g) {
    if (g.needs(0)) g.set(0, mul_conj(g.grad(), g.saved(0)));
    if (g.needs(1)) g.set(1, mul_conj(g.grad(), g.saved(1)));
  });
}

// ---- neg ----
Tensor neg(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("neg");
  if (self.dtype() == DType::Bool) {
    fail(ErrorKind::NotImplemented, "Negation, the `-` operator, on a bool tensor is not supported. ",
         "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.");
  }
  return PointwiseOp("neg", to, {self}).record(kernel, {}, "NegBackward0", [](Backward& g) {
    g.set(0, ops::neg(g.grad()));
  });
}

// ---- div ----
Tensor div(Target to, const Tensor& self, const Tensor& other,
           std::optional<std::string_view> rounding_mode) {
  if (rounding_mode) {
    check(*rounding_mode == "trunc" || *rounding_mode == "floor",
          "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '", *rounding_mode,
          "'");
    const Kernel& kernel = find_kernel(*rounding_mode == "trunc" ? "div_trunc_cpu" : "div_floor_cpu");
    PointwiseOp op("div", to, {self, other});
    op.may_fail();
    return op.record(kernel, {}, "DivBackward2", [](Backward& g) {
      if (g.needs(0)) g.set(0, ops::zeros_like(g.grad()));
      if (g.needs(1)) g.set(1, ops::zeros_like(g.grad()));
    });
  }
  static const Kernel& kernel = find_kernel("div");
  PointwiseOp op("div", to, {self, other}, Rule::Float);
  return op.record(
      kernel, {}, "DivBackward0", saving(op.keep_if(op.needs(1), 0), op.keep_if(true, 1)), [](Backward& g) {
        const Tensor other = g.saved(1);
        if (g.needs(0)) g.set(0, ops::div(g.grad(), ops::conj(other)));
        if (g.needs(1))
          g.set(1, ops::neg(ops::mul(g.grad(), ops::conj(ops::div(ops::div(g.saved(0), other), other)))));
      });
}

}  // namespace onetape::impl

namespace onetape::ops {

// ---- rsub ----
Tensor rsub(Body, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  static const Kernel& kernel = find_kernel("rsub");
  impl::check_not_bool(other, self);
  PointwiseOp op("rsub", Target::fresh(), {self, other});
  impl::check_alpha(alpha, op.dtype());
  const char* node = other.impl()->wrapped_number() ? "RsubBackward1" : "RsubBackward0";
  return op.record(kernel, {alpha}, node, [alpha](Backward& g) {
    if (g.needs(0)) g.set(0, neg(impl::scaled(g.grad(), alpha)));
    if (g.needs(1)) g.set(1, g.grad());
  });
}

}  // namespace onetape::ops
