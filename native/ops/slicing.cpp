#include <limits>

#include "ops.h"
#include "ops/copy.h"
#include "ops/view.h"

namespace onetape::ops {
namespace {

/// The gradient of a view: zeros of its base's shape with `grad` in the part that `part` picks.
template <typename Part>
Tensor embedded(const Tensor& grad, IntSpan sizes, const char* node, Part part) {
  Tensor result = zeros(sizes, Options{.dtype = grad.dtype()});
  {
    const GradModeGuard no_grad(false);
    copy_elements(part(result), grad);
  }
  if (!recording(grad)) return result;
  return record(result, node, {grad}, [part](Backward& g) { g.set(0, part(g.grad())); });
}

/// Strides of the windows that unfold shows.
Ints unfold_strides(IntSpan strides, size_t dim, int64_t step) {
  Ints result(strides);
  const int64_t along = strides.empty() ? 1 : strides[dim];
  if (!strides.empty()) result[dim] = along * step;
  result.push_back(along);
  return result;
}

}  // namespace

// ---- select ----
Tensor select(Body, const Tensor& self, int64_t dim, int64_t index) {
  check_index(self.dim() > 0, "select() cannot be applied to a 0-dim tensor.");
  dim = wrap_dim(dim, self.dim());
  const int64_t size = self.sizes()[dim];
  check_index(index >= -size && index < size, "select(): index ", index, " out of range for tensor of size ",
              self.shape(), " at dimension ", dim);
  if (index < 0) index += size;
  Ints sizes = self.shape();
  Ints strides(self.strides());
  const int64_t offset = self.storage_offset() + index * strides[dim];
  sizes.erase(dim);
  strides.erase(dim);
  const Ints from = self.shape();
  return view_op(self, sizes, strides, offset, "SelectBackward0", [from, dim, index](Backward& g) {
    g.set(0, embedded(g.grad(), from, "SelectBackwardBackward0",
                      [dim, index](const Tensor& t) { return select(t, dim, index); }));
  });
}

// ---- slice ----
Tensor slice(Body, const Tensor& self, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end,
             int64_t step) {
  check_index(self.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
  dim = wrap_dim(dim, self.dim());
  check(step > 0, "slice step must be positive");
  const int64_t size = self.sizes()[dim];
  const auto within = [size](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
  const int64_t first = within(start.value_or(0));
  const int64_t last = std::max(first, within(end.value_or(std::numeric_limits<int64_t>::max())));
  Ints sizes = self.shape();
  Ints strides(self.strides());
  sizes[dim] = (last - first) / step + ((last - first) % step != 0 ? 1 : 0);
  const int64_t offset = self.storage_offset() + (sizes[dim] > 0 || first < size ? first * strides[dim] : 0);
  if (__builtin_mul_overflow(strides[dim], step, &strides[dim]))
    strides[dim] = 1;  // then there is one element at most
  const Ints from = self.shape();
  return view_op(self, sizes, strides, offset, "SliceBackward0", [from, dim, first, last, step](Backward& g) {
    g.set(0, embedded(g.grad(), from, "SliceBackwardBackward0",
                      [=](const Tensor& t) { return slice(t, dim, first, last, step); }));
  });
}

// ---- narrow ----
Tensor narrow(Body, const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  check(self.dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  check(length >= 0, "narrow(): length must be non-negative.");
  const int64_t size = self.size(dim);
  check_index(start >= -size && start <= size, "start out of range (expected to be in range of [", -size,
              ", ", size, "], but got ", start, ")");
  if (start < 0) start += size;
  check(start <= size - length, "start (", start, ") + length (", length, ") exceeds dimension size (", size,
        ").");
  return slice(self, dim, start, start + length, 1);
}

Tensor narrow(Body, const Tensor& self, int64_t dim, const Tensor& start, int64_t length) {
  check(start.dim() == 0 && is_integral(start.dtype()), "start must be an 0-dim integral Tensor.");
  return narrow(self, dim, item(start).to<int64_t>(), length);
}

// ---- diagonal ----
Tensor diagonal(Body, const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t a = wrap_dim(dim1, self.dim());
  const int64_t b = wrap_dim(dim2, self.dim());
  check(a != b, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  const int64_t rows = self.sizes()[a];
  const int64_t columns = self.sizes()[b];
  // Compared before they are subtracted: the offset can be any int64.
  const int64_t below = offset < 0 ? (offset <= -rows ? rows : -offset) : 0;
  const int64_t right = offset > 0 ? std::min(offset, columns) : 0;
  const int64_t length = std::max<int64_t>(std::min(rows - below, columns - right), 0);
  Ints sizes;
  Ints strides;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (d == a || d == b) continue;
    sizes.push_back(self.sizes()[d]);
    strides.push_back(self.strides()[d]);
  }
  sizes.push_back(length);
  strides.push_back(self.strides()[a] + self.strides()[b]);
  const int64_t start = length == 0 ? 0 : below * self.strides()[a] + right * self.strides()[b];
  const Ints from = self.shape();
  return view_op(self, sizes, strides, self.storage_offset() + start, "DiagonalBackward0",
                 [from, offset, a, b](Backward& g) {
                   g.set(0, embedded(g.grad(), from, "DiagonalBackwardBackward0",
                                     [offset, a, b](const Tensor& t) { return diagonal(t, offset, a, b); }));
                 });
}

// ---- unfold ----
Tensor unfold(Body, const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  const int64_t dim = wrap_dim(dimension, self.dim());
  const int64_t have = self.dim() == 0 ? 1 : self.sizes()[dim];
  check(size >= 0, "size is ", size, " but must be >= 0");
  check(size <= have, "maximum size for tensor at dimension ", dim, " is ", have, " but size is ", size);
  check(step > 0, "step is ", step, " but must be > 0");
  Ints sizes = self.shape();
  if (self.dim() > 0) sizes[dim] = (have - size) / step + 1;
  sizes.push_back(size);
  const Ints strides = unfold_strides(self.strides(), dim, std::min(step, std::max<int64_t>(have, 1)));
  const Ints from = self.shape();
  return view_op(
      self, sizes, strides, self.storage_offset(), "UnfoldBackward0", [from, sizes, dim, step](Backward& g) {
        // Windows overlap, so their gradients add up, in memory laid out as a contiguous base.
        const Ints base = contiguous_strides(from);
        g.set(0, as_strided_backward(g.grad(), from, base, 0, sizes, unfold_strides(base, dim, step), 0));
      });
}

}  // namespace onetape::ops
