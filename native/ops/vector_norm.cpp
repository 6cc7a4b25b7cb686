#include <array>
#include <cmath>

#include "ops.h"
#include "ops/promotion.h"
#include "ops/reduction.h"

namespace onetape::ops {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor zero_where(const Tensor& condition, const Tensor& t) { return where(condition, wrapped_number(0), t); }
Tensor power(const Tensor& t, double exponent) { return pow(t, wrapped_number(Scalar(exponent))); }
Tensor is_zero(const Tensor& t) { return eq(t, wrapped_number(0)); }

/// |x| = |result| marks the elements that made an infinite norm; they share its gradient.
Tensor infinity_gradient(const Tensor& grad, const Tensor& self, const Tensor& result,
                         const ReducedDims& dims) {
  const Tensor size = abs(self);
  const Tensor chosen =
      to_dtype(logical_or(eq(size, result), logical_and(isnan(size), isnan(result))), size.dtype());
  const Ints list = dims.list(self.sizes());
  const Tensor count = self.dim() == 0 ? chosen : sum(chosen, IntSpan(list), true);
  return mul(sgn(self), mul(div(chosen, count), grad));
}

/// Gradient of the p-norm of self over dims.
Tensor norm_gradient(const Tensor& narrow_grad, const Tensor& self, const Tensor& narrow_result, double p,
                     const ReducedDims& dims) {
  const Tensor grad = with_reduced(narrow_grad, dims, self.sizes());
  const Tensor result = with_reduced(narrow_result, dims, self.sizes());
  if (p == 0) return zeros_like(self);
  if (p == 1) return mul(sgn(self), grad);
  if (p == 2) return mul(grad, zero_where(is_zero(result), div(self, result)));
  if (std::isinf(p)) return infinity_gradient(grad, self, result, dims);
  if (p < 1) {
    const Tensor slope = zero_where(is_zero(self), mul(sgn(self), power(abs(self), p - 1)));
    return mul(mul(slope, grad), power(result, 1 - p));
  }
  const Tensor slope = p < 2 ? mul(sgn(self), power(abs(self), p - 1)) : mul(self, power(abs(self), p - 2));
  return mul(slope, zero_where(is_zero(result), div(grad, power(result, p - 1))));
}

/// How the error texts write the order.
std::string order_text(double p) {
  std::ostringstream text;
  text << p;
  return text.str();
}

/// A largest or smallest element needs an element.
void check_infinite(const Tensor& self, double p, std::optional<IntSpan> dim) {
  if (!(std::isinf(p) || p < 0) || self.numel() > 0) return;
  check(dim && !dim->empty(), "linalg.vector_norm cannot compute the ", order_text(p),
        " norm on an empty tensor because the operation does not ", "have an identity");
  for (const int64_t d : *dim) {
    check(self.size(d) != 0, "linalg.vector_norm cannot compute the ", order_text(p),
          " norm on the dimension ", d,
          "because this dimension is empty and the operation does not have an identity");
  }
}

DType checked_dtype(const Tensor& self, std::optional<DType> dtype) {
  if (!is_differentiable(self.dtype())) {
    fail(ErrorKind::NotImplemented,
         "linalg.vector_norm: Expected a floating point or complex tensor as input. Got ",
         scalar_type_name(self.dtype()));
  }
  if (!dtype) return self.dtype();
  check(is_differentiable(*dtype), "linalg.vector_norm: dtype should be floating point or complex, but got ",
        scalar_type_name(*dtype));
  check(is_complex(*dtype) == is_complex(self.dtype()), "linalg.vector_norm: dtype should be ",
        is_complex(self.dtype()) ? "complex" : "real", " for ", is_complex(self.dtype()) ? "complex" : "real",
        " inputs, but got ", scalar_type_name(*dtype));
  check(promote(self.dtype(), *dtype) == *dtype, "linalg.vector_norm: the dtype of the input (",
        scalar_type_name(self.dtype()), ") should be convertible without narrowing to the specified dtype (",
        scalar_type_name(*dtype), ")");
  return *dtype;
}

/// The p-norm without a graph.
Tensor plain_norm(const Tensor& in, double p, const ReducedDims& dims, bool keepdim) {
  const Scalar parameter(p);
  const char* kernel = p == 0            ? "norm0_cpu"
                       : p == 1          ? "norm1_cpu"
                       : p == 2          ? "norm2_cpu"
                       : p == kInfinity  ? "norm_inf_cpu"
                       : p == -kInfinity ? "norm_minus_inf_cpu"
                                         : "norm_cpu";
  return reduce(kernel, in, dims, keepdim, to_real(in.dtype()), &parameter);
}

Tensor vector_norm(const Tensor& self, const Scalar& ord, std::optional<IntSpan> dim, bool keepdim,
                   std::optional<DType> dtype) {
  const double p = ord.to<double>();
  const Tensor in = to_dtype(self, checked_dtype(self, dtype));
  const ReducedDims dims(self, dim);
  check_infinite(in, p, dim);
  Tensor result = plain_norm(in, p, dims, keepdim);
  if (!recording(in)) return result;
  return record(
      result, "LinalgVectorNormBackward0", {in}, saving(save(in), save_result(result)),
      [p, dims](Backward& g) { g.set(0, norm_gradient(g.grad(), g.saved(0), g.saved(1), p, dims)); });
}

}  // namespace

// ---- norm ----
Tensor norm(Body, const Tensor& self, const std::optional<Scalar>& p, std::optional<IntSpan> dim,
            bool keepdim, std::optional<DType> dtype) {
  return vector_norm(self, p.value_or(Scalar(2)), dim, keepdim, dtype);
}

Tensor norm(Body, const Tensor& self, std::string_view p, std::optional<IntSpan> dim, bool keepdim,
            std::optional<DType> dtype) {
  check(p == "fro", "linalg.matrix_norm: Order ", p, " not supported.");
  return vector_norm(self, Scalar(2), dim, keepdim, dtype);
}

// ---- linalg_vector_norm ----
Tensor linalg_vector_norm(Body, const Tensor& self, const Scalar& ord, std::optional<IntSpan> dim,
                          bool keepdim, std::optional<DType> dtype) {
  return vector_norm(self, ord, dim, keepdim, dtype);
}

// ---- dist ----
Tensor dist(Body, const Tensor& self, const Tensor& other, const Scalar& p) {
  const double order = p.to<double>();
  const Tensor difference = sub(detach(self), detach(other));
  if (!is_differentiable(difference.dtype())) {
    fail(ErrorKind::NotImplemented, "norm(): input dtype should be either floating point or complex. Got ",
         scalar_type_name(difference.dtype()), " instead.");
  }
  check_infinite(difference, order, std::nullopt);
  Tensor result = plain_norm(difference, order, ReducedDims::all(difference), false);
  if (!recording(self, other)) return result;
  return record(result, "DistBackward0", {self, other}, saving(save(self), save(other), save_result(result)),
                [order](Backward& g) {
                  const Tensor self = g.saved(0);
                  const Tensor other = g.saved(1);
                  const Tensor difference = sub(self, other);
                  const Tensor gradient =
                      norm_gradient(g.grad(), difference, g.saved(2), order, ReducedDims::all(difference));
                  if (g.needs(0)) g.set(0, to_dtype(sum_to_size(gradient, self.sizes()), self.dtype()));
                  if (g.needs(1))
                    g.set(1, to_dtype(neg(sum_to_size(gradient, other.sizes())), other.dtype()));
                });
}

}  // namespace onetape::ops
