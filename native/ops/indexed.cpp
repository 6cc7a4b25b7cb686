#include <array>

#include "kernels/index.h"
#include "ops.h"
#include "ops/copy.h"
#include "ops/creation.h"
#include "ops/view.h"

namespace onetape {
namespace {

/// Plan for slices of `memory` along dim at the indices, and `dense`, which has one slice for each index.
IndexPlan slices(const Tensor& memory, int64_t dim, const std::vector<int64_t>& indices,
                 IntSpan dense_strides) {
  IndexPlan plan;
  for (int64_t d = 0; d < memory.dim(); ++d) {
    if (d < dim) plan.add_before(memory.sizes()[d], memory.strides()[d], dense_strides[d]);
    if (d > dim) plan.add_after(memory.sizes()[d], memory.strides()[d], dense_strides[d]);
  }
  plan.points = indices;
  for (int64_t& point : plan.points) point *= memory.strides()[dim];
  plan.dense_point = dense_strides[dim];
  return plan;
}

std::vector<int64_t> values_of(const Tensor& index) {
  const Tensor flat = dense(index.dtype() == DType::I64 ? index : ops::to_dtype(index, DType::I64));
  if (!flat.has_data()) return std::vector<int64_t>(static_cast<size_t>(flat.numel()));
  return {flat.data<int64_t>(), flat.data<int64_t>() + flat.numel()};
}

/// The gradient flows to self or to source, and each needs the index.
bool needs_index(bool recorded, const Tensor& self, const Tensor& source, bool for_self) {
  return recorded && ((for_self && tracked(self)) || tracked(source));
}

void check_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  check_index(index.dim() <= 1, "index_add_(): Index is supposed to be a vector, but got dim: ", index.dim(),
              " with type: ", scalar_type_name(index.dtype()), " and size: ", index.shape());
  check(index.dtype() == DType::I64 || index.dtype() == DType::I32,
        "index_add_(): Expected dtype int32/int64 for index but got: ", scalar_type_name(index.dtype()));
  check(self.dtype() == source.dtype(), "index_add_(): self (", scalar_type_name(self.dtype()),
        ") and source (", scalar_type_name(source.dtype()), ") must have the same scalar type");
  const Tensor from = at_least_vector(source);
  const Tensor to = at_least_vector(self);
  check(dim < from.dim() && index.numel() == from.sizes()[dim], "index_add_(): Number of indices (",
        index.numel(), ") should be equal to source.size(dim): (", dim < from.dim() ? from.sizes()[dim] : 1,
        "), for dim: ", dim);
  bool fits = from.dim() == to.dim();
  for (int64_t d = 0; fits && d < to.dim(); ++d) fits = d == dim || from.sizes()[d] == to.sizes()[d];
  check(fits,
        "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape "
        "= ",
        self.shape(), " source.shape = ", source.shape());
}

void check_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  check_index(index.dim() <= 1, "index_copy_(): Index should have dimension 1 or 0 (got ", index.dim(), ")");
  check(index.dtype() == DType::I64, "index_copy_(): Expected a long tensor for index, but got ",
        scalar_type_name(index.dtype()));
  check(self.dtype() == source.dtype(),
        "index_copy_(): self and source expected to have the same dtype, but got (self) ",
        scalar_type_name(self.dtype()), " and (source) ", scalar_type_name(source.dtype()));
  const Tensor from = at_least_vector(source);
  const Tensor to = at_least_vector(self);
  check_index(from.dim() == to.dim(),
              "index_copy_(): When source and destination are not scalars, their dimensionality must "
              "match. Source dimensionality (",
              source.dim(), "), destination dimensionality (", self.dim(), ")");
  const auto outside = [dim](const Tensor& t) {
    std::ostringstream text;
    for (int64_t d = 0; d < t.dim(); ++d) {
      if (d != dim) text << t.sizes()[d] << ' ';
    }
    return text.str();
  };
  check(outside(from) == outside(to),
        "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: ",
        outside(to), "at dimension ", dim, " and source slice shape: ", outside(from), "at dimension ", dim,
        ".");
  check_index(index.numel() == from.sizes()[dim], "index_copy_(): Number of indices (", index.numel(),
              ") should be equal to source.size(dim) (", from.sizes()[dim], ")");
}

}  // namespace

namespace impl {

// ---- index_select ----
Tensor index_select(Target to, const Tensor& self, int64_t dim, const Tensor& index) {
  const int64_t at = wrap_dim(dim, self.dim());
  check_index(index.dim() <= 1, "index_select(): Index is supposed to be a vector");
  check(index.dtype() == DType::I64 || index.dtype() == DType::I32,
        "index_select(): Expected dtype int32 or int64 for index");
  const std::vector<int64_t> indices = values_of(index);
  const Tensor from = at_least_vector(self);
  for (const int64_t i : indices) check_index(i >= 0 && i < from.sizes()[at], "index out of range in self");
  const bool is_recording = recording(self);
  to.check_recording(is_recording);
  Ints shape = from.shape();
  shape[at] = index.numel();
  Tensor result = Tensor::empty(self.dim() == 0 ? IntSpan() : IntSpan(shape), self.dtype());
  const Tensor out = at_least_vector(result);
  to.check_apart({self, index});
  index_read(slices(from, at, indices, out.strides()), from, out);
  result = to.deliver(result);
  if (!is_recording) return result;
  return to.attach(result, make_function("IndexSelectBackward0", std::span<const Tensor>(&self, 1),
                                         saving(save(index)), [from = self.shape(), at](Backward& g) {
                                           const Tensor zero =
                                               ops::zeros(from, Options{.dtype = g.grad().dtype()});
                                           g.set(0, ops::index_add(zero, at, g.saved(0), g.grad()));
                                         }));
}

// ---- index_add ----
Tensor index_add(Target to, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  const int64_t at = wrap_dim(dim, self.dim());
  check_add(self, at, index, source);
  to.check_apart({index, source});
  const std::vector<int64_t> indices = values_of(index);
  const int64_t size = at_least_vector(self).sizes()[at];
  for (const int64_t i : indices) {
    check(i >= 0 && i < size, "index ", i, " is out of bounds for dimension ", at, " with size ", size);
  }
  const bool is_recording = recording(self, source);
  to.check_recording(is_recording);
  const auto saved = saving(to.save_if(needs_index(is_recording, self, source, false), index));
  const Tensor from =
      at_least_vector(to.is_in_place() && share_memory(self, source) ? ops::clone(detach(source)) : source);
  auto edges = edges_of(is_recording, {self, source});
  Tensor result = to.edit(self);
  const Tensor memory = at_least_vector(result);
  index_accumulate(slices(memory, at, indices, from.strides()), memory, from, alpha);
  to.written(result);
  if (!is_recording) return result;
  return to.attach(result, make_function("IndexAddBackward0", std::move(edges), saved,
                                         [at, alpha, shape = source.shape()](Backward& g) {
                                           if (g.needs(0)) g.set(0, g.grad());
                                           if (!g.needs(1)) return;
                                           const Tensor part = ops::index_select(g.grad(), at, g.saved(0));
                                           g.set(1, ops::reshape(ops::mul(part, alpha), shape));
                                         }));
}

// ---- index_copy ----
Tensor index_copy(Target to, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  const int64_t at = wrap_dim(dim, self.dim());
  check_copy(self, at, index, source);
  to.check_apart({index, source});
  const std::vector<int64_t> indices = values_of(index);
  const int64_t size = at_least_vector(self).sizes()[at];
  for (const int64_t i : indices) {
    check_index(i >= 0 && i < size, "index_copy_(): index ", i, " is out of bounds for dimension ", at,
                " with size ", size);
  }
  const bool is_recording = recording(self, source);
  to.check_recording(is_recording);
  const auto saved = saving(to.save_if(needs_index(is_recording, self, source, true), index));
  const Tensor from =
      at_least_vector(to.is_in_place() && share_memory(self, source) ? ops::clone(detach(source)) : source);
  auto edges = edges_of(is_recording, {self, source});
  Tensor result = to.edit(self);
  const Tensor memory = at_least_vector(result);
  index_write(slices(memory, at, indices, from.strides()), memory, from);
  to.written(result);
  if (!is_recording) return result;
  return to.attach(
      result,
      make_function("IndexCopyBackward0", std::move(edges), saved, [at, shape = source.shape()](Backward& g) {
        const Tensor index = g.saved(0);
        if (g.needs(0)) g.set(0, ops::index_fill(g.grad(), at, index, Scalar(0)));
        if (!g.needs(1)) return;
        g.set(1, ops::reshape(ops::index_select(g.grad(), at, index), shape));
      }));
}

// ---- index_fill ----
Tensor index_fill(Target to, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  const int64_t at = wrap_dim(dim, self.dim());
  check_index(index.dtype() == DType::I64, "index_fill_(): Expected dtype int64 for index.");
  check(index.dim() <= 1, "Index has to be a vector/scalar");
  check(value.dim() == 0, "index_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
        value.dim(), " dimension(s).");
  to.check_apart({index});
  const bool number = value.impl()->wrapped_number();
  const int64_t size = at_least_vector(self).sizes()[at];
  std::vector<int64_t> indices = values_of(index);
  for (int64_t& i : indices) {
    check_index(i >= -size && i < size, "index ", i, " is out of bounds for dimension ", at, " with size ",
                size);
    if (i < 0) i += size;
  }
  const bool is_recording = is_differentiable(self.dtype()) && recording(self, value);
  to.check_recording(is_recording);
  const Tensor from = value.has_data() ? checked_scalar_tensor(item(value), self.dtype())
                                       : ops::to_dtype(detach(value), self.dtype());
  const auto saved = saving(to.save_if(is_recording, index));
  auto edges = edges_of(is_recording, {self, value});
  Tensor result = to.edit_expanded(self);
  const Tensor memory = at_least_vector(result);
  index_write(slices(memory, at, indices, Ints(memory.sizes().size(), 0)), memory, from);
  to.written(result);
  if (!is_recording) return result;
  return to.attach(result, make_function(number ? "IndexFillBackward0" : "IndexFillBackward1",
                                         std::move(edges), saved, [at, dtype = value.dtype()](Backward& g) {
                                           const Tensor index = g.saved(0);
                                           const Tensor kept =
                                               ops::index_fill(g.grad(), at, index, Scalar(0));
                                           if (g.needs(0)) g.set(0, kept);
                                           if (!g.needs(1)) return;  // a slice named twice counts once
                                           g.set(1, ops::to_dtype(ops::sum(ops::sub(g.grad(), kept)), dtype));
                                         }));
}

}  // namespace impl
}  // namespace onetape
