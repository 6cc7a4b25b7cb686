#include "ops/view.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "kernels/scatter.h"
#include "ops.h"
#include "ops/copy.h"

namespace onetape {

Tensor make_view(const Tensor& self, IntSpan sizes, IntSpan strides, int64_t offset, ViewOrigin origin) {
  Tensor view(TensorImpl::view(self.storage(), sizes, strides, offset, self.dtype()));
  if (!grad_enabled()) origin = inference_mode() ? ViewOrigin::Inference : ViewOrigin::NoGrad;
  set_view(view, self, origin);
  return view;
}

bool view_strides(IntSpan sizes, IntSpan strides, IntSpan shape, Ints* out) {
  *out = Ints(shape.size(), 0);
  int64_t numel = 1;
  for (const int64_t size : sizes) numel *= size;
  if (numel == 0) {
    *out = contiguous_strides(shape);
    return true;
  }
  // Walk both shapes from the back; a run of old dimensions that lie dense in memory can be cut up anew.
  auto next = static_cast<int64_t>(shape.size()) - 1;
  int64_t run = 1;
  int64_t cut = 1;
  int64_t base = sizes.empty() ? 1 : strides.back();
  for (int64_t d = static_cast<int64_t>(sizes.size()) - 1; d >= 0; --d) {
    run *= sizes[d];
    if (d != 0 && (sizes[d - 1] == 1 || strides[d - 1] == run * base)) continue;
    while (next >= 0 && (cut < run || shape[next] == 1)) {
      (*out)[next] = cut * base;
      cut *= shape[next--];
    }
    if (cut != run) return false;
    if (d > 0) {
      base = strides[d - 1];
      run = cut = 1;
    }
  }
  while (next >= 0) (*out)[next--] = 1;
  return true;
}

Tensor at_least_vector(const Tensor& t) {
  if (t.dim() > 0) return t;
  return Tensor(TensorImpl::view(t.storage(), Ints{1}, Ints{1}, t.storage_offset(), t.dtype()));
}

Ints infer_shape(IntSpan shape, int64_t numel) {
  Ints result(shape);
  int64_t known = 1;
  int64_t unknown = -1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1) {
      check(unknown < 0, "only one dimension can be inferred");
      unknown = static_cast<int64_t>(d);
    } else {
      check(shape[d] >= 0, "invalid shape dimension ", shape[d], " at index ", d, " of shape ", Ints(shape));
      check(!__builtin_mul_overflow(known, shape[d], &known), "shape '", Ints(shape), "' is too large");
    }
  }
  if (unknown >= 0) {
    check(known != 0 || numel != 0, "cannot reshape tensor of 0 elements into shape ", Ints(shape),
          " because the unspecified dimension size -1 can be any value and is ambiguous");
  }
  const bool fits = unknown >= 0 ? known > 0 && numel % known == 0 : known == numel;
  check(fits, "shape '", Ints(shape), "' is invalid for input of size ", numel);
  if (unknown >= 0) result[unknown] = numel / known;
  return result;
}

namespace {

/// The bytes from the start of the storage to the end of a view's last element, as far as they can be
/// counted.
int64_t bytes_reached(IntSpan size, IntSpan stride, int64_t offset, size_t item_bytes) {
  double items = static_cast<double>(offset) + 1;
  for (size_t d = 0; d < size.size(); ++d)
    items += static_cast<double>(size[d] - 1) * static_cast<double>(stride[d]);
  return static_cast<int64_t>(std::min(items * static_cast<double>(item_bytes), 9.2e18));
}

/// How many elements behind the first one the last one of a view lies.
int64_t reach(IntSpan size, IntSpan stride) {
  int64_t last = 0;
  for (size_t d = 0; d < size.size(); ++d) last += std::max<int64_t>(size[d] - 1, 0) * stride[d];
  return last;
}

/// False only if no two places of a view show the same element.
bool may_overlap(IntSpan size, IntSpan stride) {
  std::vector<std::pair<int64_t, int64_t>> steps;  // stride and size
  for (size_t d = 0; d < size.size(); ++d) {
    if (size[d] > 1) steps.emplace_back(stride[d], size[d]);
  }
  std::sort(steps.begin(), steps.end());
  int64_t last = 0;
  for (const auto& [step, count] : steps) {
    if (step <= last) return true;
    last += step * (count - 1);
  }
  return false;
}

}  // namespace

namespace ops {

// ---- as_strided ----
Tensor as_strided(Body, const Tensor& self, IntSpan size, IntSpan stride,
                  std::optional<int64_t> storage_offset) {
  check(size.size() == stride.size(), "mismatch in length of strides and shape");
  for (const int64_t step : stride) {
    check(step >= 0,
          "as_strided: Negative strides are not supported at the moment, got strides: ", Ints(stride));
  }
  const int64_t offset = storage_offset.value_or(self.storage_offset());
  check(offset >= 0, "Tensor: invalid storage offset ", offset);
  checked_numel(size, self.dtype());
  check(within_storage(self.storage(), size, stride, offset, self.dtype()), "setStorage: sizes ", Ints(size),
        ", strides ", Ints(stride), ", storage offset ", offset, ", and itemsize ", self.item_bytes(),
        " requiring a storage size of ", bytes_reached(size, stride, offset, self.item_bytes()),
        " are out of bounds for storage of size ", self.storage()->nbytes());
  const Ints from = self.shape();
  const Ints from_strides(self.strides());
  const int64_t from_offset = self.storage_offset();
  const Ints sizes(size);
  const Ints strides(stride);
  return view_op(
      self, size, stride, offset, "AsStridedBackward0",
      [from, from_strides, from_offset, sizes, strides, offset](Backward& g) {
        g.set(0, as_strided_backward(g.grad(), from, from_strides, from_offset, sizes, strides, offset));
      });
}

// ---- expand ----
Tensor expand(Body, const Tensor& self, IntSpan size, bool /*implicit*/) {
  check(size.size() >= static_cast<size_t>(self.dim()), "expand(torch.", scalar_type_name(self.dtype()),
        "Tensor{", self.shape(), "}, size=", Ints(size), "): the number of sizes provided (", size.size(),
        ") must be greater or equal to the number of dimensions in the tensor (", self.dim(), ")");
  Ints sizes(size);
  Ints strides(size.size(), 0);
  const size_t lead = size.size() - self.sizes().size();
  for (size_t d = size.size(); d-- > 0;) {
    const bool old = d >= lead;
    const int64_t have = old ? self.sizes()[d - lead] : 1;
    if (size[d] == -1) {
      check(old, "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension ",
            d);
      sizes[d] = have;
    }
    check(sizes[d] >= 0 && (have == 1 || have == sizes[d]), "The expanded size of the tensor (", size[d],
          ") must match the existing size (", have, ") at non-singleton dimension ", d,
          ".  Target sizes: ", Ints(size), ".  Tensor sizes: ", self.shape());
    if (have != sizes[d]) continue;
    if (old) {
      strides[d] = self.strides()[d - lead];
    } else if (self.dim() > 0) {  // a new dimension of one element: what goes on in front of the next
      strides[d] = sizes[d + 1] * strides[d + 1];
    }
  }
  const Ints from = self.shape();
  return view_op(self, sizes, strides, self.storage_offset(), "ExpandBackward0",
                 [from](Backward& g) { g.set(0, sum_to_size(g.grad(), from)); });
}

// ---- view ----
Tensor view(Body, const Tensor& self, IntSpan size) {
  const Ints shape = infer_shape(size, self.numel());
  Ints strides;
  check(view_strides(self.sizes(), self.strides(), shape, &strides),
        "view size is not compatible with input tensor's size and stride (at least one dimension spans "
        "across two contiguous "
        "subspaces). Use .reshape(...) instead.");
  const Ints from = self.shape();
  return view_op(self, shape, strides, self.storage_offset(), "ViewBackward0",
                 [from](Backward& g) { g.set(0, reshape(g.grad(), from)); });
}

// ---- as_strided_backward ----
Tensor as_strided_backward(Body, const Tensor& grad, IntSpan base_size, IntSpan base_stride,
                           int64_t base_offset, IntSpan size, IntSpan stride, int64_t offset) {
  // A view may show an element several times, so gradients are added, over memory that covers base and view.
  const int64_t low = std::min(base_offset, offset);
  const int64_t high = std::max(base_offset + reach(base_size, base_stride), offset + reach(size, stride));
  const Ints flat{high - low + 1};
  const Ints one{1};
  if (may_overlap(base_size, base_stride)) {  // each place of the base that shows an element gets its part
    const Tensor ones = ops::ones(base_size, Options{.dtype = grad.dtype()});
    const Tensor counts = as_strided_backward(ones, flat, one, low, base_size, base_stride, base_offset);
    const Tensor memory = as_strided_backward(grad, flat, one, low, size, stride, offset);
    const Tensor parts = div(memory, maximum(counts, wrapped_number(1)));
    return clone(as_strided(parts, base_size, base_stride, base_offset - low));
  }
  const Tensor memory = zeros(flat, Options{.dtype = grad.dtype()});
  add_strided(memory, offset - low, size, stride, grad);
  Tensor result(TensorImpl::view(memory.storage(), base_size, base_stride, base_offset - low, grad.dtype()));
  result = result.is_contiguous() && result.numel() == flat[0] ? result : dense(result);
  if (!recording(grad)) return result;
  const Ints sizes(size);
  const Ints strides(stride);
  const Ints base_sizes(base_size);
  const Ints base_strides(base_stride);
  return record(result, "AsStridedBackwardBackward0", {grad},
                [flat, one, low, base_sizes, base_strides, base_offset, sizes, strides, offset](Backward& g) {
                  const Tensor memory =
                      as_strided_backward(g.grad(), flat, one, low, base_sizes, base_strides, base_offset);
                  g.set(0, clone(as_strided(memory, sizes, strides, offset - low)));
                });
}

// ---- reshape ----
Tensor reshape(Body, const Tensor& self, IntSpan shape) {
  const Ints sizes = infer_shape(shape, self.numel());
  Ints strides;
  if (!view_strides(self.sizes(), self.strides(), sizes, &strides))
    return unsafe_view(contiguous(self), sizes);
  if (self.is_contiguous()) return view(self, sizes);
  const Ints from = self.shape();
  return view_op(self, sizes, strides, self.storage_offset(), "ReshapeAliasBackward0",
                 [from](Backward& g) { g.set(0, reshape(g.grad(), from)); });
}

// ---- unsafe_view ----
/// The shape of a tensor that nobody else has: not known as a view, so it may be changed in place freely.
Tensor unsafe_view(Body, const Tensor& self, IntSpan size) {
  Tensor result(
      TensorImpl::view(self.storage(), size, contiguous_strides(size), self.storage_offset(), self.dtype()));
  if (!recording(self)) return result;
  const Ints from = self.shape();
  return record(result, "UnsafeViewBackward0", {self},
                [from](Backward& g) { g.set(0, reshape(g.grad(), from)); });
}

// ---- alias ----
Tensor alias(Body, const Tensor& self) {
  return view_op(self, self.sizes(), self.strides(), self.storage_offset(), "AliasBackward0",
                 [](Backward& g) { g.set(0, g.grad()); });
}

// ---- expand_as, broadcast_to, broadcast_tensors ----
Tensor expand_as(Body, const Tensor& self, const Tensor& other) { return expand(self, other.sizes()); }

Tensor broadcast_to(Body, const Tensor& self, IntSpan size) { return expand(self, size); }

std::vector<Tensor> broadcast_tensors(Body, std::span<const Tensor> tensors) {
  Ints shape;
  for (const Tensor& t : tensors) shape = broadcast_shapes(shape, t.sizes());
  std::vector<Tensor> result;
  for (const Tensor& t : tensors) result.push_back(same(t.sizes(), shape) ? t : expand(t, shape));
  return result;
}

// ---- view_as, reshape_as ----
Tensor view_as(Body, const Tensor& self, const Tensor& other) { return view(self, other.sizes()); }

Tensor reshape_as(Body, const Tensor& self, const Tensor& other) { return reshape(self, other.sizes()); }

// ---- view (as another dtype) ----
Tensor view(Body, const Tensor& self, DType dtype) {
  const auto from = static_cast<int64_t>(self.item_bytes());
  const auto to = static_cast<int64_t>(item_size(dtype));
  Ints sizes = self.shape();
  Ints strides(self.strides());
  int64_t offset = self.storage_offset();
  if (from != to) {
    check(self.dim() > 0, "self.dim() cannot be 0 to view ", scalar_type_name(self.dtype()), " as ",
          scalar_type_name(dtype), " (different element sizes)");
    check(strides.back() == 1, "self.stride(-1) must be 1 to view ", scalar_type_name(self.dtype()), " as ",
          scalar_type_name(dtype), " (different element sizes), but got ", strides.back());
  }
  const size_t last = sizes.size() - 1;
  if (from > to) {
    const int64_t ratio = from / to;
    for (size_t d = 0; d < last; ++d) strides[d] *= ratio;
    sizes[last] *= ratio;
    offset *= ratio;
  } else if (from < to) {
    const int64_t ratio = to / from;
    check(sizes[last] % ratio == 0, "self.size(-1) must be divisible by ", ratio, " to view ",
          scalar_type_name(self.dtype()), " as ", scalar_type_name(dtype),
          " (different element sizes), but got ", sizes[last]);
    check(offset % ratio == 0, "self.storage_offset() must be divisible by ", ratio, " to view ",
          scalar_type_name(self.dtype()), " as ", scalar_type_name(dtype),
          " (different element sizes), but got ", offset);
    for (size_t d = 0; d < last; ++d) {
      check(strides[d] % ratio == 0, "self.stride(", d, ") must be divisible by ", ratio, " to view ",
            scalar_type_name(self.dtype()), " as ", scalar_type_name(dtype),
            " (different element sizes), but got ", strides[d]);
      strides[d] /= ratio;
    }
    sizes[last] /= ratio;
    offset /= ratio;
  }
  return Tensor(TensorImpl::view(self.storage(), sizes, strides, offset, dtype));
}

// ---- flatten ----
Tensor flatten(Body, const Tensor& self, int64_t start_dim, int64_t end_dim) {
  start_dim = wrap_dim(start_dim, self.dim());
  end_dim = wrap_dim(end_dim, self.dim());
  check(start_dim <= end_dim, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (self.dim() == 0) return reshape(self, Ints{1});
  if (start_dim == end_dim) return self;
  Ints shape(self.sizes().first(start_dim));
  int64_t together = 1;
  for (int64_t d = start_dim; d <= end_dim; ++d) together *= self.sizes()[d];
  shape.push_back(together);
  shape.append(self.sizes().subspan(end_dim + 1));
  return reshape(self, shape);
}

// ---- unflatten ----
Tensor unflatten(Body, const Tensor& self, int64_t dim, IntSpan sizes) {
  dim = wrap_dim(dim, self.dim());
  check(self.dim() > 0,
        "unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions");
  check(!sizes.empty(), "unflatten: sizes must be non-empty");
  const int64_t size = self.size(dim);
  Ints parts(sizes);
  int64_t known = 1;
  int64_t unknown = -1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1) {
      check(unknown < 0, "only one dimension can be inferred");
      unknown = static_cast<int64_t>(d);
    } else {
      check(sizes[d] >= 0, "invalid shape dimension ", sizes[d]);
      if (__builtin_mul_overflow(known, sizes[d], &known)) known = -1;
    }
  }
  const bool fits = unknown < 0 ? known == size : known > 0 && size % known == 0;
  check(fits, "unflatten: Provided sizes ", parts, " don't multiply up to the size of dim ", dim, " (", size,
        ") in the input tensor");
  if (unknown >= 0) parts[unknown] = size / known;
  Ints shape(self.sizes().first(dim));
  shape.append(parts);
  shape.append(self.sizes().subspan(dim + 1));
  return view(self, shape);
}

// ---- ravel ----
Tensor ravel(Body, const Tensor& self) { return view(contiguous(self), Ints{-1}); }

}  // namespace ops
}  // namespace onetape
