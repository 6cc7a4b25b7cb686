#include <numeric>

#include "ops.h"
#include "ops/view.h"

namespace onetape::ops {
namespace {

/// Drops the marked dimensions, which have size 1.
template <typename F>
Tensor squeezed(const Tensor& self, const std::vector<bool>& drop, const char* node, F gradient) {
  Ints sizes;
  Ints strides;
  for (size_t d = 0; d < self.sizes().size(); ++d) {
    if (drop[d] && self.sizes()[d] == 1) continue;
    sizes.push_back(self.sizes()[d]);
    strides.push_back(self.strides()[d]);
  }
  return view_op(self, sizes, strides, self.storage_offset(), node, std::move(gradient));
}

/// Gives a gradient back the dimensions of size 1 that its tensor had.
auto restore(const Tensor& self) {
  return [from = self.shape()](Backward& g) { g.set(0, reshape(g.grad(), from)); };
}

}  // namespace

// ---- transpose ----
Tensor transpose(Body, const Tensor& self, int64_t dim0, int64_t dim1) {
  dim0 = wrap_dim(dim0, self.dim());
  dim1 = wrap_dim(dim1, self.dim());
  Ints sizes = self.shape();
  Ints strides(self.strides());
  if (self.dim() > 0) {
    std::swap(sizes[dim0], sizes[dim1]);
    std::swap(strides[dim0], strides[dim1]);
  }
  return view_op(self, sizes, strides, self.storage_offset(), "TransposeBackward0",
                 [dim0, dim1](Backward& g) { g.set(0, transpose(g.grad(), dim0, dim1)); });
}

// ---- t ----
Tensor t(Body, const Tensor& self) {
  check(self.dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ", self.dim(), "D");
  Ints sizes = self.shape();
  Ints strides(self.strides());
  std::reverse(sizes.begin(), sizes.end());
  std::reverse(strides.begin(), strides.end());
  return view_op(self, sizes, strides, self.storage_offset(), "TBackward0",
                 [](Backward& g) { g.set(0, t(g.grad())); });
}

// ---- permute ----
Tensor permute(Body, const Tensor& self, IntSpan dims) {
  check(dims.size() == self.sizes().size(),
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
        "desired ordering of "
        "dimensions i.e. input.dim() = ",
        self.dim(), " is not equal to len(dims) = ", dims.size());
  Ints sizes;
  Ints strides;
  Ints back(dims.size(), -1);
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t d = wrap_dim(dims[i], self.dim());
    check(back[d] < 0, "permute(): duplicate dims are not allowed.");
    back[d] = static_cast<int64_t>(i);
    sizes.push_back(self.sizes()[d]);
    strides.push_back(self.strides()[d]);
  }
  return view_op(self, sizes, strides, self.storage_offset(), "PermuteBackward0",
                 [back](Backward& g) { g.set(0, permute(g.grad(), back)); });
}

// ---- movedim ----
Tensor movedim(Body, const Tensor& self, IntSpan source, IntSpan destination) {
  check(source.size() == destination.size(), "movedim: Invalid source or destination dims: source (",
        Ints(source), " dims) should contain the same number of dims as destination (", Ints(destination),
        " dims)");
  const size_t n = self.sizes().size();
  Ints from;
  Ints to;
  for (size_t i = 0; i < source.size(); ++i) {
    from.push_back(wrap_dim(source[i], self.dim()));
    to.push_back(wrap_dim(destination[i], self.dim()));
  }
  const auto repeated = [](Ints dims) {
    std::sort(dims.begin(), dims.end());
    return std::adjacent_find(dims.begin(), dims.end()) != dims.end();
  };
  check(!repeated(from), "movedim: repeated dim in `source` (", Ints(source), ")");
  check(!repeated(to), "movedim: repeated dim in `destination` (", Ints(destination), ")");
  if (n == 0) return alias(self);
  Ints order(n, -1);
  std::vector<bool> moved(n);
  for (size_t i = 0; i < from.size(); ++i) {
    order[to[i]] = from[i];
    moved[from[i]] = true;
  }
  size_t rest = 0;
  for (size_t place = 0; place < n; ++place) {
    if (order[place] >= 0) continue;
    while (moved[rest]) ++rest;
    order[place] = static_cast<int64_t>(rest++);
  }
  return permute(self, order);
}

// ---- squeeze ----
Tensor squeeze(Body, const Tensor& self) {
  return squeezed(self, std::vector<bool>(self.sizes().size(), true), "SqueezeBackward0", restore(self));
}

Tensor squeeze(Body, const Tensor& self, int64_t dim) {
  dim = wrap_dim(dim, self.dim());
  std::vector<bool> drop(self.sizes().size());
  if (self.dim() > 0) drop[dim] = true;
  return squeezed(self, drop, "SqueezeBackward1", restore(self));
}

Tensor squeeze(Body, const Tensor& self, IntSpan dim) {
  std::vector<bool> drop(std::max<size_t>(self.sizes().size(), 1));
  for (const int64_t d : dim) {
    const int64_t at = wrap_dim(d, self.dim());
    check(!drop[at], "dim ", at, " appears multiple times in the list of dims");
    drop[at] = true;
  }
  return squeezed(self, drop, "SqueezeBackward2", restore(self));
}

// ---- unsqueeze ----
Tensor unsqueeze(Body, const Tensor& self, int64_t dim) {
  dim = wrap_dim(dim, self.dim() + 1);
  Ints sizes = self.shape();
  Ints strides(self.strides());
  const auto at = static_cast<size_t>(dim);
  const int64_t step = at < sizes.size() ? sizes[at] * strides[at] : 1;
  sizes.insert(at, 1);
  strides.insert(at, step);
  return view_op(self, sizes, strides, self.storage_offset(), "UnsqueezeBackward0",
                 [dim](Backward& g) { g.set(0, squeeze(g.grad(), dim)); });
}

}  // namespace onetape::ops
