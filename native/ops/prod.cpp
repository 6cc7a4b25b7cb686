#include <array>

#include "ops.h"
#include "ops/product.h"
#include "ops/promotion.h"
#include "ops/reduction.h"

namespace onetape::ops {
namespace {

/// t moved by `by` places along dim, ones moving in: towards the end, or towards the start if by is negative.
Tensor shifted(const Tensor& t, int64_t dim, int64_t by) {
  const int64_t n = t.sizes()[dim];
  Ints edge = t.shape();
  edge[dim] = std::min(std::abs(by), n);
  const Tensor one = ones(edge, Options{.dtype = t.dtype()});
  const Tensor rest = narrow(t, dim, by > 0 ? 0 : edge[dim], n - edge[dim]);
  const std::array<Tensor, 2> parts =
      by > 0 ? std::array<Tensor, 2>{one, rest} : std::array<Tensor, 2>{rest, one};
  return cat(parts, dim);
}

/// Products of all elements along dim but the own one, from those before and those after it, so that zeros do
/// no harm. Each is a running product, whose reach is doubled until it covers the dimension.
Tensor products_of_others(const Tensor& self, int64_t dim) {
  const int64_t n = self.sizes()[dim];
  Tensor before = shifted(self, dim, 1);
  Tensor after = shifted(self, dim, -1);
  for (int64_t reach = 1; reach < n; reach *= 2) {
    before = mul(before, shifted(before, dim, reach));
    after = mul(after, shifted(after, dim, -reach));
  }
  return mul(before, after);
}

Tensor prod_over(const Tensor& self, std::optional<int64_t> dim, bool keepdim, std::optional<DType> dtype,
                 const char* node) {
  const DType result_dtype = dtype.value_or(sum_type(self.dtype()));
  const ReducedDims dims = dim ? ReducedDims::one(self, *dim) : ReducedDims::all(self);
  const bool widens = self.dtype() == result_dtype || result_dtype == sum_type(self.dtype());
  const Tensor in = widens ? self : to_dtype(self, result_dtype);
  Tensor result = reduce("prod_cpu", in, dims, keepdim, sum_type(in.dtype()));
  if (result.dtype() != result_dtype) result = to_dtype(result, result_dtype);
  if (!recording(in)) return result;
  return record(result, node, {in}, saving(save(in), save_result(result)), [dim, dims](Backward& g) {
    const Tensor self = g.saved(0);
    if (self.dim() == 0) return g.set(0, g.grad());
    const Tensor grad = with_reduced(g.grad(), dims, self.sizes());
    if (self.numel() == 0) return g.set(0, zeros_like(self));
    if (self.has_data() && item(all(detach(self))).to<bool>()) {
      return g.set(0, mul(grad, conjugate(div(with_reduced(g.saved(1), dims, self.sizes()), self))));
    }
    if (dim) return g.set(0, mul(grad, conjugate(products_of_others(self, wrap_dim(*dim, self.dim())))));
    const Tensor flat = reshape(self, std::array<int64_t, 1>{-1});
    g.set(0, mul(grad, conjugate(reshape(products_of_others(flat, 0), self.sizes()))));
  });
}

}  // namespace

// ---- prod ----
Tensor prod(Body, const Tensor& self, std::optional<DType> dtype) {
  return prod_over(self, std::nullopt, false, dtype, "ProdBackward0");
}

Tensor prod(Body, const Tensor& self, int64_t dim, bool keepdim, std::optional<DType> dtype) {
  return prod_over(self, dim, keepdim, dtype, "ProdBackward1");
}

}  // namespace onetape::ops
