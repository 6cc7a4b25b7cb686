#include "ops/reduction.h"

#include "kernels/reduce.h"
#include "ops.h"
#include "ops/copy.h"
#include "ops/pointwise.h"

namespace onetape {

ReducedDims::ReducedDims(const Tensor& self, std::optional<IntSpan> dim) : every_(!dim || dim->empty()) {
  const int64_t ndim = self.dim();
  if (every_) {
    bits_ = ndim == 64 ? ~uint64_t{0} : (uint64_t{1} << ndim) - 1;
    return;
  }
  for (const int64_t d : *dim) {
    const int64_t at = wrap_dim(d, ndim);
    check(!has(at), "dim ", at, " appears multiple times in the list of dims");
    bits_ |= uint64_t{1} << at;
  }
  if (ndim == 0) bits_ = 0;
}

int64_t ReducedDims::count(IntSpan sizes) const {
  int64_t n = 1;
  for (size_t d = 0; d < sizes.size(); ++d) n *= has(d) ? sizes[d] : 1;
  return n;
}

Ints ReducedDims::shape(IntSpan sizes, bool keepdim) const {
  Ints shape;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!has(d)) {
      shape.push_back(sizes[d]);
    } else if (keepdim) {
      shape.push_back(1);
    }
  }
  return shape;
}

Ints ReducedDims::list(IntSpan sizes) const {
  Ints dims;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (has(d)) dims.push_back(static_cast<int64_t>(d));
  }
  return dims;
}

Tensor with_reduced(const Tensor& reduced, const ReducedDims& dims, IntSpan sizes) {
  const Ints shape = dims.shape(sizes, true);
  return same(shape, reduced.sizes()) ? reduced : ops::reshape(reduced, shape);
}

Tensor expand_reduced(const Tensor& reduced, const ReducedDims& dims, IntSpan sizes) {
  if (dims.every() && reduced.dim() == 0) return ops::expand(reduced, sizes);
  return ops::expand(with_reduced(reduced, dims, sizes), sizes);
}

namespace {

/// The results stand in the order the kernel liked best; gives them the order of the dimensions.
Tensor in_row_major(const Tensor& results, const ReduceShape& shape, IntSpan in_sizes,
                    const ReducedDims& dims, bool keepdim) {
  Ints strides(in_sizes.size(), 0);
  int64_t step = 1;
  for (size_t i = shape.order.size(); i-- > 0;) {
    strides[shape.order[i]] = step;
    step *= in_sizes[shape.order[i]];
  }
  Ints kept;
  for (size_t d = 0; d < in_sizes.size(); ++d) {
    if (keepdim || !dims.has(d)) kept.push_back(strides[d]);
  }
  return dense(Tensor(TensorImpl::view(results.storage(), results.sizes(), kept, 0, results.dtype())));
}

}  // namespace

std::array<Tensor, 2> reduce_pair(std::string_view kernel, const Tensor& self, const ReducedDims& dims,
                                  bool keepdim, DType first, std::optional<DType> second,
                                  const Scalar* params) {
  const Reduction& reduction = find_reduction(kernel, self.dtype());
  const int64_t item = static_cast<int64_t>(self.item_bytes());
  const Ints sizes = dims.shape(self.sizes(), keepdim);
  std::array<Tensor, 2> results{Tensor::empty(sizes, first),
                                second ? Tensor::empty(sizes, *second) : Tensor()};
  const ReduceShape shape = reduce_shape(self.sizes(), self.strides(), item, dims.bits());
  if (self.has_data()) {
    const std::array<char*, 2> out = {results[0].bytes(), second ? results[1].bytes() : nullptr};
    run_reduction(reduction, shape, item, self.bytes(), out.data(), params);
    if (thread_modes.launches) [[unlikely]]
      thread_modes.launches->reduced({reduction, shape, self, results[0], params});
  }
  if (shape.row_major || results[0].numel() == 0) return results;
  for (Tensor& result : results) {
    if (result.defined()) result = in_row_major(result, shape, self.sizes(), dims, keepdim);
  }
  return results;
}

Tensor reduce(std::string_view kernel, const Tensor& self, const ReducedDims& dims, bool keepdim, DType dtype,
              const Scalar* params) {
  return reduce_pair(kernel, self, dims, keepdim, dtype, std::nullopt, params)[0];
}

Tensor share_gradient(const Tensor& grad, const Tensor& self, const Tensor& result) {
  const Tensor both_nan = ops::logical_and(ops::isnan(self), ops::isnan(result));
  const Tensor equal = ops::to_dtype(ops::logical_or(ops::eq(self, result), both_nan), grad.dtype());
  return ops::mul(ops::div(grad, ops::sum(equal)), equal);
}

Tensor place_gradient(const Tensor& grad, int64_t dim, const Tensor& indices, IntSpan sizes, bool keepdim) {
  if (sizes.empty()) return grad;
  const Tensor at = keepdim ? indices : ops::unsqueeze(indices, dim);
  return ops::scatter(ops::zeros(sizes, Options{.dtype = grad.dtype()}), dim, at,
                      keepdim ? grad : ops::unsqueeze(grad, dim));
}

}  // namespace onetape
