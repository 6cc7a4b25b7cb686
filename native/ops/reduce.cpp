#include <array>

#include "kernels/reduce.h"
#include "ops.h"
#include "ops/copy.h"
#include "ops/promotion.h"

namespace onetape::ops {
namespace {

/// dims wrapped, checked and marked: which dimensions of self go away.
std::vector<bool> reduced_dims(const Tensor& self, std::optional<IntSpan> dim) {
  std::vector<bool> reduced(self.dim(), !dim || dim->empty());
  if (!dim) return reduced;
  for (const int64_t d : *dim) {
    const int64_t at = wrap_dim(d, self.dim());
    if (self.dim() == 0) continue;
    check(!reduced[at] || dim->empty(), "dim ", at, " appears multiple times in the list of dims");
    reduced[at] = true;
  }
  return reduced;
}

Ints kept_shape(const Tensor& self, const std::vector<bool>& reduced, bool keepdim) {
  Ints shape;
  for (int d = 0; d < self.dim(); ++d) {
    if (!reduced[d]) {
      shape.push_back(self.sizes()[d]);
    } else if (keepdim) {
      shape.push_back(1);
    }
  }
  return shape;
}

Tensor sum_elements(const Tensor& self, const std::vector<bool>& reduced, DType dtype) {
  Tensor out = zeros(kept_shape(self, reduced, true), Options{.dtype = dtype});
  const Tensor in = self.dtype() == dtype ? self : to_dtype(detach(self), dtype);
  reduce_sum(out, in);
  return out;
}

}  // namespace

// ---- sum ----
Tensor sum(const Tensor& self, std::optional<IntSpan> dim, bool keepdim, std::optional<DType> dtype) {
  const std::vector<bool> reduced = reduced_dims(self, dim);
  const DType out_dtype = dtype.value_or(sum_type(self.dtype()));
  const Tensor in = recording(self) && is_differentiable(out_dtype) ? to_dtype(self, out_dtype) : self;
  Tensor result = sum_elements(in, reduced, out_dtype);
  const Ints with_ones = result.shape();
  if (!keepdim) {
    const Ints shape = kept_shape(self, reduced, false);
    result = Tensor(TensorImpl::view(result.storage(), shape, contiguous_strides(shape), 0, out_dtype));
  }
  if (!is_differentiable(out_dtype) || !recording(in)) return result;
  const Ints from = self.shape();
  return record(result, "SumBackward1", {in}, [from, with_ones](Backward& g) {
    g.set(0, expand(reshape(g.grad(), with_ones), from));
  });
}

Tensor sum(const Tensor& self, std::optional<DType> dtype) {
  const DType out_dtype = dtype.value_or(sum_type(self.dtype()));
  const Tensor in = recording(self) && is_differentiable(out_dtype) ? to_dtype(self, out_dtype) : self;
  const Tensor kept = sum_elements(in, std::vector<bool>(self.dim(), true), out_dtype);
  Tensor result(TensorImpl::view(kept.storage(), {}, {}, 0, out_dtype));
  if (!is_differentiable(out_dtype) || !recording(in)) return result;
  const Ints from = self.shape();
  return record(result, "SumBackward0", {in}, [from](Backward& g) { g.set(0, expand(g.grad(), from)); });
}

// ---- sum_to_size ----
Tensor sum_to_size(const Tensor& self, IntSpan size) {
  if (same(self.sizes(), size)) return self;
  const int64_t lead = self.dim() - static_cast<int64_t>(size.size());
  Ints dims;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (d < lead || (size[d - lead] == 1 && self.sizes()[d] != 1)) dims.push_back(d);
  }
  const Tensor summed = dims.empty() ? self : sum(self, IntSpan(dims), true);
  return lead > 0 ? reshape(summed, size) : summed;
}

}  // namespace onetape::ops
