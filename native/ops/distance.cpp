#include "ops.h"
#include "ops/composed.h"

namespace onetape::ops {

// ---- pairwise_distance ----
Tensor pairwise_distance(Body, const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  const int64_t last = std::max(x1.dim(), x2.dim()) - 1;
  return norm(add(sub(x1, x2), Scalar(eps)), Scalar(p), IntSpan(&last, 1), keepdim);
}

// ---- pdist ----
Tensor pdist(Body, const Tensor& input, double p) {
  check(input.dim() == 2, "pdist only supports 2D tensors, got: ", input.dim(), "D");
  check(is_floating(input.dtype()), "pdist only supports floating-point dtypes");
  check(p >= 0, "pdist only supports non-negative p values");
  if (input.dtype() != DType::F32 && input.dtype() != DType::F64) {
    fail(ErrorKind::NotImplemented, "\"pdist\" not implemented for '", scalar_type_name(input.dtype()), "'");
  }
  const auto parts = [p](std::span<const Tensor> in) {
    const int64_t rows = in[0].sizes()[0];
    const Tensor pairs = triu_indices(rows, rows, 1);
    const Tensor first = index_select(in[0], 0, select(pairs, 0, 0));
    const Tensor second = index_select(in[0], 0, select(pairs, 0, 1));
    const int64_t last = 1;
    return linalg_vector_norm(sub(first, second), Scalar(p), IntSpan(&last, 1));
  };
  return composed("PdistBackward0", std::array{input}, parts);
}

}  // namespace onetape::ops
