#include "ops.h"
#include "ops/view.h"

namespace onetape::ops {
namespace {

/// Fails as an allocation does where the machine has no room for so many views: those of an empty tensor cost
/// no data, so nothing else would stop a count of 2^60.
void check_room(int64_t views) {
  constexpr int64_t kViewBytes = 192;
  constexpr int64_t kMany = 1 << 20;
  if (views < kMany) return;
  check(views <= INT64_MAX / kViewBytes, "cannot split into ", views, " views");
  Tensor::empty(Ints{views * kViewBytes}, DType::U8);
}

/// Hangs views of self into the graph as the outputs of one node.
template <typename F>
std::vector<Tensor> record_views(const Tensor& self, std::vector<Tensor> views, const char* node,
                                 F gradient) {
  if (!recording(self) || views.empty()) return views;
  const Ref<Node> made = make_function(node, std::span<const Tensor>(&self, 1), std::array<SavedTensor, 0>{},
                                       std::move(gradient), static_cast<uint32_t>(views.size()));
  for (uint32_t i = 0; i < views.size(); ++i) set_history(views[i], made, i);
  return views;
}

/// Views of the given sizes along dim, one after the other.
std::vector<Tensor> parts(const Tensor& self, const Ints& lengths, int64_t dim, const char* node) {
  std::vector<Tensor> views;
  Ints sizes = self.shape();
  int64_t offset = self.storage_offset();
  for (const int64_t length : lengths) {
    sizes[dim] = length;
    views.push_back(make_view(self, sizes, self.strides(), offset, ViewOrigin::MultiOutput));
    offset += length * self.strides()[dim];
  }
  return record_views(
      self, std::move(views), node, [from = self.shape(), lengths, dim, dtype = self.dtype()](Backward& g) {
        std::vector<Tensor> grads;
        Ints shape = from;
        for (size_t i = 0; i < lengths.size(); ++i) {
          shape[dim] = lengths[i];
          grads.push_back(g.grad(i).defined() ? g.grad(i) : zeros(shape, Options{.dtype = dtype}));
        }
        g.set(0, cat(grads, dim));
      });
}

/// Lengths of pieces of `step` elements of which the last may be shorter; one empty piece of nothing.
Ints equal_lengths(int64_t size, int64_t step) {
  if (step > 0) check_room(size / step);
  Ints lengths;
  for (int64_t at = 0; at < size; at += std::min(step, size - at))
    lengths.push_back(std::min(step, size - at));
  if (lengths.empty()) lengths.push_back(0);
  return lengths;
}

}  // namespace

// ---- split ----
std::vector<Tensor> split(Body, const Tensor& self, int64_t split_size, int64_t dim) {
  check(self.dim() != 0, "split expects at least a 1-dimensional tensor");
  check(split_size >= 0, "split expects split_size be non-negative, but got split_size=", split_size);
  const int64_t at = wrap_dim(dim, self.dim());
  const int64_t size = self.sizes()[at];
  check(split_size > 0 || size == 0,
        "split_size can only be 0 if dimension size is 0, but got dimension size of ", size);
  return parts(self, equal_lengths(size, split_size), at, "SplitBackward0");
}

std::vector<Tensor> split(Body, const Tensor& self, IntSpan split_size, int64_t dim) {
  return split_with_sizes(self, split_size, dim);
}

// ---- split_with_sizes ----
std::vector<Tensor> split_with_sizes(Body, const Tensor& self, IntSpan split_sizes, int64_t dim) {
  check(self.dim() != 0, "split expects at least a 1-dimensional tensor");
  const int64_t at = wrap_dim(dim, self.dim());
  const int64_t size = self.sizes()[at];
  int64_t left = size;
  for (const int64_t length : split_sizes) {
    check(length >= 0,
          "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=",
          Ints(split_sizes));
    left = length > left ? -1 : left - length;
    if (left < 0) break;
  }
  check(left == 0, "split_with_sizes expects split_sizes to sum exactly to ", size,
        " (input tensor's size at dimension ", at, "), but got split_sizes=", Ints(split_sizes));
  return parts(self, Ints(split_sizes), at, "SplitWithSizesBackward0");
}

// ---- chunk ----
std::vector<Tensor> chunk(Body, const Tensor& self, int64_t chunks, int64_t dim) {
  check(self.dim() > 0, "chunk expects at least a 1-dimensional tensor");
  check(chunks > 0, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  const int64_t size = self.size(dim);
  const int64_t step = size / chunks + (size % chunks != 0 ? 1 : 0);
  if (step == 0) check_room(chunks);
  if (step == 0) return split_with_sizes(self, Ints(static_cast<size_t>(chunks), 0), dim);
  return split(self, step, dim);
}

// ---- tensor_split ----
std::vector<Tensor> tensor_split(Body, const Tensor& self, int64_t sections, int64_t dim) {
  check(self.dim() > 0, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with ",
        self.dim(), " dims");
  const int64_t at = wrap_dim(dim, self.dim());
  check(sections > 0, "number of sections must be larger than 0, got ", sections);
  check_room(sections);
  const int64_t size = self.sizes()[at];
  std::vector<Tensor> views;
  int64_t start = 0;
  for (int64_t i = 0; i < sections; ++i) {
    const int64_t length = size / sections + (i < size % sections ? 1 : 0);
    views.push_back(slice(self, at, start, start + length));
    start += length;
  }
  return views;
}

std::vector<Tensor> tensor_split(Body, const Tensor& self, IntSpan indices, int64_t dim) {
  check(self.dim() > 0, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with ",
        self.dim(), " dims");
  const int64_t at = wrap_dim(dim, self.dim());
  std::vector<Tensor> views;
  int64_t start = 0;
  for (const int64_t end : indices) {
    views.push_back(slice(self, at, start, end));
    start = end;
  }
  views.push_back(slice(self, at, start));
  return views;
}

// ---- unbind ----
std::vector<Tensor> unbind(Body, const Tensor& self, int64_t dim) {
  const int64_t at = wrap_dim(dim, self.dim());
  check_index(self.dim() > 0, "Dimension specified as ", dim, " but tensor has no dimensions");
  Ints sizes = self.shape();
  Ints strides(self.strides());
  const int64_t count = sizes[at];
  const int64_t step = strides[at];
  check_room(count);
  sizes.erase(at);
  strides.erase(at);
  std::vector<Tensor> views;
  for (int64_t i = 0; i < count; ++i) {
    views.push_back(
        make_view(self, sizes, strides, self.storage_offset() + i * step, ViewOrigin::MultiOutput));
  }
  return record_views(
      self, std::move(views), "UnbindBackward0", [sizes, count, at, dtype = self.dtype()](Backward& g) {
        std::vector<Tensor> grads;
        for (int64_t i = 0; i < count; ++i) {
          grads.push_back(g.grad(i).defined() ? g.grad(i) : zeros(sizes, Options{.dtype = dtype}));
        }
        g.set(0, stack(grads, at));
      });
}

}  // namespace onetape::ops
