#include "ops.h"
#include "ops/promotion.h"

namespace onetape::ops {
namespace {

Tensor length(const Tensor& t, int64_t dim) {
  return linalg_vector_norm(t, Scalar(2), IntSpan(&dim, 1), true);
}

}  // namespace

// ---- normalize ----
Tensor normalize(Body, const Tensor& input, double p, int64_t dim, double eps) {
  if (!is_differentiable(input.dtype())) {
    fail(ErrorKind::NotImplemented,
         "linalg.vector_norm: Expected a floating point or complex tensor as input. Got ",
         scalar_type_name(input.dtype()));
  }
  const Tensor size = clamp_min(norm(input, Scalar(p), IntSpan(&dim, 1), true), Scalar(eps));
  return div(input, expand(size, input.sizes()));
}

// ---- cosine_similarity ----
Tensor cosine_similarity(Body, const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  const DType dtype = result_type({x1, x2});
  check(is_floating(dtype), "expected common dtype to be floating point, yet common dtype is ",
        scalar_type_name(dtype));
  const Ints sizes = broadcast_shapes(x1.sizes(), x2.sizes());
  const Tensor a = expand(to_dtype(x1, dtype), sizes);
  const Tensor b = expand(to_dtype(x2, dtype), sizes);
  const Tensor length_a = clone(length(a, dim));
  const Tensor length_b = clone(length(b, dim));
  {
    const GradModeGuard no_grad(false);  // the gradient is that of the lengths themselves
    clamp_min_(length_a, Scalar(eps));
    clamp_min_(length_b, Scalar(eps));
  }
  return sum(mul(div(a, length_a), div(b, length_b)), IntSpan(&dim, 1), false);
}

}  // namespace onetape::ops
