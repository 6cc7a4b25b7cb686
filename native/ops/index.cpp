#include "kernels/index.h"

#include <array>

#include "core/backend.h"
#include "kernels/loop.h"
#include "kernels/nonzero.h"
#include "ops.h"
#include "ops/copy.h"
#include "ops/creation.h"
#include "ops/view.h"

namespace onetape {
namespace {

/// An index expression x[i, :, j] after masks became indices and all of them one shape.
struct Indexing {
  std::vector<Tensor> indices;  // one a dimension of self; undefined where every element is taken
  Ints points;                  // the common shape of the indices
  size_t place = 0;             // where the dimensions of `points` stand in the result
  Ints shape;                   // of the result
};

bool is_mask(const Tensor& index) { return index.dtype() == DType::Bool || index.dtype() == DType::U8; }

/// Puts an index for each dimension of a mask in its place.
void append_mask(const Tensor& self, const Tensor& mask, std::vector<Tensor>* indices) {
  const size_t at = indices->size();
  const size_t n = mask.sizes().size();
  check_index(at + n <= static_cast<size_t>(self.dim()), "too many indices for tensor of dimension ",
              self.dim());
  for (size_t d = 0; d < n; ++d) {
    check_index(mask.sizes()[d] == self.sizes()[at + d], "The shape of the mask ", mask.shape(), " at index ",
                d, " does not match the shape of the indexed tensor ", self.shape(), " at index ", at + d);
  }
  const DeviceScope scope(mask.device().type);  // which may be another than that of self
  const int64_t count = nonzero_count(mask);
  const Tensor columns = Tensor::empty(std::array<int64_t, 2>{static_cast<int64_t>(n), count}, DType::I64);
  write_nonzero(mask, columns.data<int64_t>(), count, 1, count);
  for (size_t d = 0; d < n; ++d) {
    indices->emplace_back(TensorImpl::view(columns.storage(), std::array<int64_t, 1>{count},
                                           std::array<int64_t, 1>{1}, static_cast<int64_t>(d) * count,
                                           DType::I64));
  }
}

/// The indices one a dimension, int64, masks replaced.
std::vector<Tensor> plain_indices(const Tensor& self, std::span<const Tensor> given) {
  check_index(given.size() <= static_cast<size_t>(self.dim()), "too many indices for tensor of dimension ",
              self.dim(), " (got ", given.size(), ")");
  std::vector<Tensor> indices;
  for (const Tensor& index : given) {
    if (!index.defined()) {
      indices.emplace_back();
      continue;
    }
    check_index(is_mask(index) || index.dtype() == DType::I64 || index.dtype() == DType::I32,
                "tensors used as indices must be long, int, byte or bool tensors");
    if (is_mask(index)) {
      append_mask(self, index, &indices);
    } else {
      indices.push_back(index.dtype() == DType::I64 ? index : ops::to_dtype(index, DType::I64));
    }
  }
  check_index(indices.size() <= static_cast<size_t>(self.dim()), "too many indices for tensor of dimension ",
              self.dim());
  indices.resize(self.sizes().size());
  return indices;
}

[[noreturn]] void fail_indices_differ(std::span<const Tensor> indices) {
  std::ostringstream shapes;
  const char* separator = " ";
  for (const Tensor& index : indices) {
    if (!index.defined()) continue;
    shapes << separator << index.shape();
    separator = ", ";
  }
  fail(ErrorKind::Index, "shape mismatch: indexing tensors could not be broadcast together with shapes",
       shapes.str());
}

/// Brings the indices to their common shape.
void broadcast_indices(Indexing* x) {
  for (const Tensor& index : x->indices) {
    if (!index.defined()) continue;
    const size_t n = std::max(x->points.size(), index.sizes().size());
    for (size_t d = 1; d <= std::min(x->points.size(), index.sizes().size()); ++d) {
      const int64_t a = x->points[x->points.size() - d];
      const int64_t b = index.sizes()[index.sizes().size() - d];
      if (a != b && a != 1 && b != 1) fail_indices_differ(x->indices);
    }
    x->points = n == 0 ? Ints() : broadcast_shapes(x->points, index.sizes());
  }
  const GradModeGuard no_grad(false);
  for (Tensor& index : x->indices) {
    if (index.defined())
      index = dense(same(index.sizes(), x->points) ? index : ops::expand(index, x->points));
  }
}

Indexing prepare(const Tensor& self, std::span<const Tensor> given) {
  Indexing x;
  x.indices = plain_indices(self, given);
  broadcast_indices(&x);
  // Indices that stand side by side are replaced in place; else their dimensions come first.
  size_t first = x.indices.size();
  size_t last = 0;
  size_t count = 0;
  for (size_t d = 0; d < x.indices.size(); ++d) {
    if (!x.indices[d].defined()) continue;
    first = std::min(first, d);
    last = d;
    ++count;
  }
  x.place = count > 0 && last - first + 1 == count ? first : 0;
  for (size_t d = 0; d < x.indices.size(); ++d) {
    if (d == x.place) x.shape.append(x.points);
    if (!x.indices[d].defined()) x.shape.push_back(self.sizes()[d]);
  }
  if (x.indices.empty()) x.shape = x.points;
  return x;
}

/// Adds where each index points along a dimension of self.
void add_offsets(const Tensor& index, int64_t size, int64_t stride, size_t which,
                 std::vector<int64_t>* points) {
  const int64_t* at = index.data<int64_t>();
  for (size_t i = 0; i < points->size(); ++i) {
    const int64_t value = at[i];
    check_index(value >= -size && value < size, "index ", value, " is out of bounds for dimension ", which,
                " with size ", size);
    (*points)[i] += (value < 0 ? value + size : value) * stride;
  }
}

int64_t product(IntSpan sizes) {
  int64_t n = 1;
  for (const int64_t size : sizes) n *= size;
  return n;
}

/// The stride between neighbours of the points if they are evenly spaced under these strides.
bool even_spacing(IntSpan sizes, IntSpan strides, int64_t* step) {
  *step = 0;
  bool any = false;
  int64_t expected = 0;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) continue;
    if (!any) {
      *step = strides[d];
    } else if (strides[d] != expected) {
      return false;
    }
    any = true;
    expected = strides[d] * sizes[d];
  }
  return true;
}

/// The plan for self and a tensor of the result's shape (or that broadcasts to it, with strides 0).
IndexPlan make_plan(const Indexing& x, const Tensor& self, IntSpan dense_strides, int64_t dense_point) {
  IndexPlan plan;
  plan.dense_point = dense_point;
  const size_t first_after = x.place + x.points.size();
  size_t before = 0;
  size_t after = first_after;
  size_t which = 0;
  const bool empty = product(x.shape) == 0;
  if (!empty) plan.points.assign(static_cast<size_t>(product(x.points)), 0);
  for (size_t d = 0; d < x.indices.size(); ++d) {
    const int64_t size = self.sizes()[d];
    const int64_t stride = self.strides()[d];
    if (x.indices[d].defined()) {
      check_index(size > 0 || x.indices[d].numel() == 0, "index is out of bounds for dimension with size 0");
      if (!empty && self.has_data()) add_offsets(x.indices[d], size, stride, which++, &plan.points);
    } else if (before < x.place) {
      plan.add_before(size, stride, dense_strides[before++]);
    } else {
      plan.add_after(size, stride, dense_strides[after++]);
    }
  }
  return plan;
}

/// Strides of `t` broadcast to a shape.
Ints broadcast_strides(const Tensor& t, IntSpan shape) {
  return loop_strides(t.sizes(), t.strides(), 1, shape);
}

/// Writes values (which broadcast to the result's shape) to the places of self.
void put(const Indexing& x, const Tensor& self, const Tensor& values, bool accumulate) {
  Tensor from = values;
  Ints strides = broadcast_strides(from, x.shape);
  int64_t step = 0;
  const IntSpan of_points(strides.data() + x.place, x.points.size());
  if (!even_spacing(x.points, of_points, &step)) {
    const GradModeGuard no_grad(false);
    from = dense(ops::expand(from, x.shape));
    strides = Ints(from.strides());
    step = product(IntSpan(x.shape).subspan(x.place + x.points.size()));
  }
  const IndexPlan plan = make_plan(x, self, strides, step);
  if (accumulate) {
    index_accumulate(plan, self, from, 1);
  } else {
    index_write(plan, self, from);
  }
}

std::vector<SavedTensor> save_all(std::span<const Tensor> tensors) {
  std::vector<SavedTensor> saved;
  for (const Tensor& t : tensors) saved.emplace_back(t);
  return saved;
}

std::vector<Tensor> saved_indices(const Backward& g, size_t count) {
  std::vector<Tensor> indices;
  for (size_t i = 0; i < count; ++i) indices.push_back(g.saved(i));
  return indices;
}

}  // namespace

namespace ops {

// ---- index ----
Tensor index(Body, const Tensor& self, std::span<const Tensor> indices) {
  check_index(!indices.empty(), "at least one index must be provided");
  const Indexing x = prepare(self, indices);
  Tensor result = Tensor::empty(x.shape, self.dtype());
  const int64_t step = product(IntSpan(x.shape).subspan(x.place + x.points.size()));
  index_read(make_plan(x, self, result.strides(), step), self, result);
  if (!recording(self)) return result;
  const Ints from = self.shape();
  const size_t count = indices.size();
  set_history(result,
              make_function("IndexBackward0", std::span<const Tensor>(&self, 1), save_all(indices),
                            [from, count](Backward& g) {
                              const Tensor zero = zeros(from, Options{.dtype = g.grad().dtype()});
                              g.set(0, index_put(zero, saved_indices(g, count), g.grad(), true));
                            }),
              0);
  return result;
}

}  // namespace ops

namespace {

/// Does one mask, and nothing else, choose the elements?
bool only_a_mask(std::span<const Tensor> indices) {
  size_t masks = 0;
  for (const Tensor& index : indices) {
    if (!index.defined()) continue;
    if (index.dtype() != DType::Bool) return false;
    ++masks;
  }
  return masks == 1;
}

/// A single value for all that a mask chooses may have any shape, and is converted to the dtype of self.
Tensor masked_value(const Tensor& self, const Tensor& value) {
  Tensor number = value.dim() == 0 ? value : ops::reshape(value, IntSpan());
  if (number.dtype() == self.dtype()) return number;
  return recording(number) ? ops::to_dtype(number, self.dtype())
                           : checked_scalar_tensor(item(number), self.dtype());
}

}  // namespace

namespace impl {

// ---- index_put ----
Tensor index_put(Target to, const Tensor& self, std::span<const Tensor> indices, const Tensor& given,
                 bool accumulate) {
  const bool fills = !accumulate && given.numel() == 1 && only_a_mask(indices);
  const Tensor values = fills ? masked_value(self, given) : given;
  const Indexing x = prepare(self, indices);
  bool fits = values.sizes().size() <= x.shape.size();
  for (size_t d = 1; fits && d <= values.sizes().size(); ++d) {
    const int64_t size = values.sizes()[values.sizes().size() - d];
    fits = size == 1 || size == x.shape[x.shape.size() - d];
  }
  check(fits, "shape mismatch: value tensor of shape ", values.shape(),
        " cannot be broadcast to indexing result of shape ", x.shape);
  check(values.dtype() == self.dtype(), "Index put requires the source and destination dtypes match, got ",
        scalar_type_name(self.dtype()), " for the destination and ", scalar_type_name(values.dtype()),
        " for the source.");
  const bool is_recording = recording(self, values);
  to.check_recording(is_recording);
  to.check_apart({values});
  for (const Tensor& index : indices) to.check_apart({index});
  Tensor from = values;
  if (is_recording && tracked(values) && !same(values.sizes(), x.shape)) from = ops::expand(values, x.shape);
  std::vector<SavedTensor> saved;
  for (const Tensor& index : indices) saved.push_back(to.save_if(is_recording && index.defined(), index));
  const Tensor separate = to.is_in_place() && share_memory(self, from) ? ops::clone(detach(from)) : from;
  auto edges = edges_of(is_recording, {self, from});
  Tensor result = to.edit_expanded(self);
  put(x, result, separate, accumulate);
  to.written(result);
  if (!is_recording) return result;
  const size_t count = indices.size();
  return to.attach(
      result, make_function("IndexPutBackward0", std::move(edges), std::move(saved),
                            [count, accumulate](Backward& g) {
                              const std::vector<Tensor> at = saved_indices(g, count);
                              if (g.needs(0)) {
                                const Tensor zero = scalar_tensor(0, g.grad().dtype());
                                g.set(0, accumulate ? g.grad() : ops::index_put(g.grad(), at, zero, false));
                              }
                              if (g.needs(1)) g.set(1, ops::index(g.grad(), at));
                            }));
}

}  // namespace impl
}  // namespace onetape
