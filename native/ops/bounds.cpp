#include <algorithm>
#include <limits>
#include <optional>

#include "ops.h"
#include "ops/creation.h"
#include "ops/pointwise.h"
#include "ops/type_words.h"

namespace onetape {
namespace {

using Relation = Tensor (*)(const Tensor&, const Tensor&);

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // no bound

void check_ordered(const char* name, const Tensor& self, const Tensor& other) {
  check_type(!is_complex(self.dtype()) && !is_complex(other.dtype()), name,
             " not implemented for complex tensors.");
}

constexpr auto maximum_gradient = [](const Tensor& grad, const Tensor& x, const Tensor& y) {
  return ops::maximum_backward(grad, x, y);
};
constexpr auto minimum_gradient = [](const Tensor& grad, const Tensor& x, const Tensor& y) {
  return ops::minimum_backward(grad, x, y);
};

/// A kernel of two operands whose gradient for one is that of the other with the places changed.
template <typename F>
Tensor extremum(const char* name, const char* node, const Kernel& kernel, const Target& to,
                const Tensor& self, const Tensor& other, F gradient) {
  PointwiseOp op(name, to, {self, other});
  return op.record(kernel, {}, node, saving(op.keep_if(true, 0), op.keep_if(true, 1)),
                   [gradient](Backward& g) {
                     const Tensor a = g.saved(0);
                     const Tensor b = g.saved(1);
                     if (g.needs(0)) g.set(0, gradient(g.grad(), a, b));
                     if (g.needs(1)) g.set(1, gradient(g.grad(), b, a));
                   });
}

/// The gradients of fmax and fmin: all of it goes to the one that was taken, half to each of two equal ones.
Tensor record_choice(const char* node, const Kernel& kernel, const Target& to, const Tensor& self,
                     const Tensor& other, Relation took_self) {
  PointwiseOp op(node, to, {self, other});
  return op.record(kernel, {}, node, saving(op.keep_if(true, 0), op.keep_if(true, 1)),
                   [took_self](Backward& g) {
                     const Tensor other = g.saved(1);
                     const Tensor took = ops::bitwise_or(took_self(g.saved(0), other), ops::isnan(other));
                     const Tensor equal = ops::eq(g.saved(0), other);
                     const Tensor zero = wrapped_number(0);
                     const Tensor half = ops::mul(g.grad(), 0.5);
                     if (g.needs(0)) g.set(0, ops::where(took, g.grad(), ops::where(equal, half, zero)));
                     if (g.needs(1)) g.set(1, ops::where(took, zero, ops::where(equal, half, g.grad())));
                   });
}

enum class Side : uint8_t { Min, Max };

/// A bound as the dtype can hold it. One beyond the range of an integer dtype bounds nothing on its own side,
/// and leaves no value on the other.
Scalar held(Side side, const Scalar& bound, DType dtype) {
  if (!is_integral(dtype)) {
    check_convertible(bound, dtype);
    return bound;
  }
  return visit_real("clamp", dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      using Limits = std::numeric_limits<T>;
      const bool beyond = bound.is_beyond_int64();
      const auto value = beyond ? std::numeric_limits<int64_t>::max() : bound.to<int64_t>();
      const bool possible = side == Side::Min ? !beyond && value <= static_cast<int64_t>(Limits::max())
                                              : value >= static_cast<int64_t>(Limits::min());
      check(possible, "Clamp ", side == Side::Min ? "min" : "max", " value ", bound.to<double>(),
            " is outside the representable range of ", scalar_type_name(dtype));
      return Scalar(std::clamp<int64_t>(value, Limits::min(), Limits::max()));
    }
    return bound;
  });
}

bool is_nan(const std::optional<Scalar>& bound) {
  return bound && bound->kind() == DTypeKind::Floating && bound->to<double>() != bound->to<double>();
}

/// self in the dtype of the result of bounding it by numbers.
Tensor promoted(const Target& to, const Tensor& self, const std::optional<Scalar>& min,
                const std::optional<Scalar>& max) {
  const auto is_complex_bound = [](const auto& bound) {
    return bound && bound->kind() == DTypeKind::Complex;
  };
  if (is_complex(self.dtype()) || is_complex_bound(min) || is_complex_bound(max))
    fail(ErrorKind::NotImplemented, "clamp is not supported for complex types");
  const Tensor low = min ? wrapped_number(*min) : Tensor();
  const Tensor high = max ? wrapped_number(*max) : Tensor();
  const DType dtype = result_type({self, low, high});
  check(!to.is_in_place() || can_cast(dtype, self.dtype()), "result type ", scalar_type_name(dtype),
        " can't be cast to the desired output type ", type_words(self.dtype()));
  return ops::to_dtype(self, dtype);
}

Tensor clamp_number(const char* node, const Target& to, const Tensor& self, const std::optional<Scalar>& min,
                    const std::optional<Scalar>& max) {
  const Tensor x = promoted(to, self, min, max);
  const double low = min ? min->to<double>() : kNone;
  const double high = max ? max->to<double>() : kNone;
  const auto gradient = [low, high](Backward& g) {
    g.set(0, ops::clamp_backward(g.grad(), g.saved(0), low, high));
  };
  static const Kernel& both = find_kernel("clamp_scalar_cpu");
  static const Kernel& least = find_kernel("clamp_min_scalar_cpu");
  static const Kernel& largest = find_kernel("clamp_max_scalar_cpu");
  static const Kernel& with_tensor = find_kernel("maximum_cpu");
  if (is_nan(min) || is_nan(max)) {  // so is the result, everywhere
    const Tensor nan = wrapped_number(std::numeric_limits<double>::quiet_NaN());
    PointwiseOp op("clamp", to, {x, nan});
    return op.record(with_tensor, {}, node, saving(op.keep_if(true, 0)),
                     [](Backward& g) { g.set(0, ops::zeros_like(g.grad())); });
  }
  PointwiseOp op("clamp", to, {x});
  auto saved = saving(op.keep_if(true, 0));
  const Scalar lowest = min ? held(Side::Min, *min, x.dtype()) : Scalar();
  const Scalar highest = max ? held(Side::Max, *max, x.dtype()) : Scalar();
  if (!max) return op.record(least, {lowest}, node, std::move(saved), gradient);
  if (!min) return op.record(largest, {highest}, node, std::move(saved), gradient);
  return op.record(both, {lowest, highest}, node, std::move(saved), gradient);
}

/// The gradients of two bounds: all goes to what stands in the result, half to each of self and a bound that
/// are equal.
void clamp_gradients(Backward& g) {
  const Tensor x = g.saved(0);
  const Tensor min = g.saved(1);
  const Tensor max = g.saved(2);
  const Tensor ordered = ops::lt(min, max);
  const Tensor at_min = ops::bitwise_and(ops::eq(x, min), ordered);
  const Tensor at_max = ops::bitwise_and(ops::eq(x, max), ordered);
  const Tensor half = ops::mul(g.grad(), 0.5);
  const Tensor zero = wrapped_number(0);
  const auto pass = [&](size_t i, const Tensor& all, const Tensor& shared) {
    g.set(i, ops::where(all, g.grad(), ops::where(shared, half, zero)));
  };
  if (g.needs(0)) {
    const Tensor shared = ops::bitwise_or(at_min, at_max);
    const Tensor outside = ops::bitwise_or(ops::lt(x, min), ops::gt(x, max));
    pass(0, ops::logical_not(ops::bitwise_or(outside, shared)), shared);
  }
  if (g.needs(1)) pass(1, ops::bitwise_and(ops::lt(x, min), ordered), at_min);
  if (g.needs(2)) pass(2, ops::bitwise_or(ops::gt(x, max), ops::lt(max, min)), at_max);
}

}  // namespace

namespace impl {

// ---- maximum ----
Tensor maximum(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("maximum_cpu");
  check_ordered("maximum", self, other);
  return extremum("maximum", "MaximumBackward0", kernel, to, self, other, maximum_gradient);
}

// ---- minimum ----
Tensor minimum(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("minimum_cpu");
  check_ordered("minimum", self, other);
  return extremum("minimum", "MinimumBackward0", kernel, to, self, other, minimum_gradient);
}

// ---- fmax ----
Tensor fmax(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("fmax");
  check_ordered("fmax", self, other);
  return record_choice("FmaxBackward0", kernel, to, self, other, ops::gt);
}

// ---- fmin ----
Tensor fmin(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("fmin");
  check_ordered("fmin", self, other);
  return record_choice("FminBackward0", kernel, to, self, other, ops::lt);
}

// ---- clamp ----
Tensor clamp(Target to, const Tensor& self, const std::optional<Scalar>& min,
             const std::optional<Scalar>& max) {
  check(min || max, "torch.clamp: At least one of 'min' or 'max' must not be None");
  return clamp_number("ClampBackward1", to, self, min, max);
}

Tensor clamp(Target to, const Tensor& self, const Tensor& min, const Tensor& max) {
  static const Kernel& both = find_kernel("clamp_cpu");
  static const Kernel& least = find_kernel("maximum_cpu");
  static const Kernel& largest = find_kernel("minimum_cpu");
  check(min.defined() || max.defined(), "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (is_complex(self.dtype())) fail(ErrorKind::NotImplemented, "clamp is not supported for complex types");
  if (!max.defined()) return extremum("clamp", "ClampBackward0", least, to, self, min, maximum_gradient);
  if (!min.defined()) return extremum("clamp", "ClampBackward0", largest, to, self, max, minimum_gradient);
  if (result_type({self, min, max}) == DType::Bool) {
    fail(ErrorKind::NotImplemented, "\"clamp_cpu\" not implemented for 'Bool'");
  }
  PointwiseOp op("clamp", to, {self, min, max});
  return op.record(both, {}, "ClampBackward0",
                   saving(op.keep_if(true, 0), op.keep_if(true, 1), op.keep_if(true, 2)), clamp_gradients);
}

// ---- clamp_min ----
Tensor clamp_min(Target to, const Tensor& self, const Tensor& min) {
  static const Kernel& kernel = find_kernel("maximum_cpu");
  if (min.impl()->wrapped_number()) return clamp_number("ClampMinBackward0", to, self, item(min), {});
  return extremum("clamp", "ClampMinBackward1", kernel, to, self, min, maximum_gradient);
}

// ---- clamp_max ----
Tensor clamp_max(Target to, const Tensor& self, const Tensor& max) {
  static const Kernel& kernel = find_kernel("minimum_cpu");
  if (max.impl()->wrapped_number()) return clamp_number("ClampMaxBackward0", to, self, {}, item(max));
  return extremum("clamp", "ClampMaxBackward1", kernel, to, self, max, minimum_gradient);
}

}  // namespace impl

namespace ops {

namespace {

/// An operand that only says where the gradient goes, so that no second derivative flows to it.
Tensor without_history(const Tensor& t) { return recording(t) ? detach(t) : t; }

}  // namespace

// ---- maximum_backward ----
Tensor maximum_backward(Body, const Tensor& grad, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("maximum_backward");
  const Tensor a = without_history(self);
  const Tensor b = without_history(other);
  PointwiseOp op("maximum_backward", Target::fresh(), {grad, a, b});
  return op.record(kernel, {}, "MaximumBackwardBackward0", saving(op.keep_if(true, 1), op.keep_if(true, 2)),
                   [](Backward& g) {
                     if (g.needs(0)) g.set(0, maximum_backward(g.grad(), g.saved(0), g.saved(1)));
                   });
}

// ---- minimum_backward ----
Tensor minimum_backward(Body, const Tensor& grad, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("minimum_backward");
  const Tensor a = without_history(self);
  const Tensor b = without_history(other);
  PointwiseOp op("minimum_backward", Target::fresh(), {grad, a, b});
  return op.record(kernel, {}, "MinimumBackwardBackward0", saving(op.keep_if(true, 1), op.keep_if(true, 2)),
                   [](Backward& g) {
                     if (g.needs(0)) g.set(0, minimum_backward(g.grad(), g.saved(0), g.saved(1)));
                   });
}

// ---- clamp_backward ----
Tensor clamp_backward(Body, const Tensor& grad, const Tensor& self, double min, double max) {
  static const Kernel& kernel = find_kernel("clamp_backward");
  const Tensor x = without_history(self);
  PointwiseOp op("clamp_backward", Target::fresh(), {grad, x});
  return op.record(kernel, {min, max}, "ClampBackwardBackward0", saving(op.keep_if(true, 1)),
                   [min, max](Backward& g) {
                     if (g.needs(0)) g.set(0, clamp_backward(g.grad(), g.saved(0), min, max));
                   });
}

}  // namespace ops
}  // namespace onetape
