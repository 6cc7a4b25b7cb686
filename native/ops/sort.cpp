#include "kernels/sort.h"

#include <algorithm>
#include <array>

#include "ops.h"
#include "ops/copy.h"
#include "ops/promotion.h"
#include "ops/view.h"

namespace onetape::ops {
namespace {

using Pair = std::tuple<Tensor, Tensor>;

/// Records the node of values that were picked from self along dim at the indices.
Tensor record_picked(const Tensor& values, const Tensor& indices, const Tensor& self, int64_t dim,
                     const char* node) {
  if (!recording(self)) return values;
  return record(values, node, {self}, saving(save(indices)), [dim, from = self.shape()](Backward& g) {
    g.set(0, scatter(zeros(from, Options{.dtype = g.grad().dtype()}), dim, g.saved(0), g.grad()));
  });
}

Pair sorted(const Tensor& self, int64_t dim, bool descending, const char* node) {
  const int64_t at = wrap_dim(dim, self.dim());
  check_type(!is_complex(self.dtype()), " Sort does not support complex dtypes on CPU");
  const Tensor values = Tensor::empty(self.sizes(), self.dtype());
  const Tensor indices = Tensor::empty(self.sizes(), DType::I64);
  if (self.numel() > 0) {
    sort_lines(at_least_vector(values), at_least_vector(indices), at_least_vector(self), at, descending);
  }
  return {record_picked(values, indices, self, at, node), indices};
}

/// Places as the dtype asked for.
Tensor places_as(const Tensor& places, bool out_int32) {
  return out_int32 ? to_dtype(places, DType::I32) : places;
}

void check_search(const Tensor& sequence, const Tensor& numbers, bool right,
                  std::optional<std::string_view> side, const Tensor& sorter) {
  const char* name = "torch.searchsorted(): ";
  if (side) {
    check(*side == "left" || *side == "right", name, "side can only be 'left' or 'right' but got ", *side);
    check(!right || *side == "right", name, "side and right can't be set to opposites, got side of ", *side,
          " while right was True");
  }
  check(numbers.dim() > 0 || sequence.dim() == 1, name,
        "input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries "
        "tensor dim(",
        sequence.dim(), ") and input value's dim(", numbers.dim(), ") numel(", numbers.numel(), ")");
  check(sequence.dim() > 0, name, "boundaries tensor should have positive dimension, but got 0 dimension");
  const size_t n = sequence.sizes().size() - 1;
  const bool rows =
      sequence.dim() == numbers.dim() && same(sequence.sizes().first(n), numbers.sizes().first(n));
  check(sequence.dim() == 1 || rows, name,
        "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
        "tensor and input value tensor must match, but we got boundaries tensor ",
        sequence.shape(), " and input value tensor ", numbers.shape());
  if (!sorter.defined()) return;
  check(sorter.dtype() == DType::I64, name, "sorter must be a tensor of long dtype but got dtype ",
        scalar_type_name(sorter.dtype()));
  check(same(sorter.sizes(), sequence.sizes()), name,
        "boundary and sorter must have the same size, but got boundary tensor ", sequence.shape(),
        "and got sorter tensor ", sorter.shape());
  if (!sorter.has_data()) return;
  const Tensor flat = dense(sorter);
  const int64_t* at = flat.data<int64_t>();
  const int64_t size = sequence.sizes().back();
  check(std::all_of(at, at + flat.numel(), [size](int64_t i) { return i >= 0 && i < size; }), name,
        "sorter index out of range");
}

Tensor in_dtype(const Tensor& t, DType dtype) {
  const GradModeGuard no_grad(false);
  return dense(to_dtype(t, dtype));
}

}  // namespace

// ---- sort ----
Pair sort(Body, const Tensor& self, int64_t dim, bool descending) {
  return sorted(self, dim, descending, "SortBackward0");
}

Pair sort(Body, const Tensor& self, std::optional<bool> /*stable*/, int64_t dim, bool descending) {
  return sorted(self, dim, descending, "SortBackward1");
}

// ---- argsort ----
Tensor argsort(Body, const Tensor& self, int64_t dim, bool descending) {
  return std::get<1>(sorted(detach(self), dim, descending, "SortBackward0"));
}

Tensor argsort(Body, const Tensor& self, bool /*stable*/, int64_t dim, bool descending) {
  return argsort(self, dim, descending);
}

// ---- msort ----
Tensor msort(Body, const Tensor& self) { return std::get<0>(sorted(self, 0, false, "SortBackward0")); }

// ---- topk ----
Pair topk(Body, const Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted) {
  const int64_t at = wrap_dim(dim, self.dim());
  const Tensor in = at_least_vector(self);
  check(k >= 0 && k <= in.sizes()[at], "selected index k out of range");
  check_type(!is_complex(self.dtype()), " topk does not support complex dtypes on CPU");
  if (self.dtype() == DType::Bool)
    fail(ErrorKind::NotImplemented, "topk does not support bool dtypes on CPU");
  Ints shape = in.shape();
  shape[at] = k;
  const IntSpan sizes = self.dim() == 0 ? IntSpan() : IntSpan(shape);
  // A 0-dim tensor keeps its shape, also for k = 0: there is no smaller one.
  const Tensor values = Tensor::empty(sizes, self.dtype());
  const Tensor indices = Tensor::empty(sizes, DType::I64);
  if (values.numel() > 0)
    select_lines(at_least_vector(values), at_least_vector(indices), in, at, largest, sorted);
  return {record_picked(values, indices, self, at, "TopkBackward0"), indices};
}

// ---- searchsorted ----
Tensor searchsorted(Body, const Tensor& sorted_sequence, const Tensor& self, bool out_int32, bool right,
                    std::optional<std::string_view> side, const Tensor& sorter) {
  check_search(sorted_sequence, self, right, side, sorter);
  const DType dtype = result_type({sorted_sequence, self});
  if (dtype == DType::Bool)
    fail(ErrorKind::NotImplemented, "\"searchsorted_out_cpu\" not implemented for 'Bool'");
  const Tensor places = Tensor::empty(self.sizes(), DType::I64);
  search_lines(places, in_dtype(sorted_sequence, dtype), at_least_vector(in_dtype(self, dtype)),
               sorter.defined() ? dense(sorter) : Tensor(), right || side == "right");
  return places_as(places, out_int32);
}

// ---- bucketize ----
Tensor bucketize(Body, const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
  check(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(), ")");
  return searchsorted(boundaries, self, out_int32, right);
}

}  // namespace onetape::ops
