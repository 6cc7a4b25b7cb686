#include "ops.h"
#include "ops/copy.h"
#include "ops/promotion.h"
#include "ops/view.h"

namespace onetape {
namespace {

/// Empty vectors may stand in a cat of any shapes, for old programs.
bool passed_over(const Tensor& t) { return t.dim() == 1 && t.sizes()[0] == 0; }

/// The shape of the result; checks that the tensors fit.
Ints joined_shape(std::span<const Tensor> tensors, int64_t dim) {
  const Tensor* first = nullptr;
  Ints shape = tensors[0].shape();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    if (passed_over(t)) continue;
    if (!first) {
      first = &t;
      shape = t.shape();
      continue;
    }
    check(t.dim() == first->dim(), "Tensors must have same number of dimensions: got ", first->dim(), " and ",
          t.dim());
    for (int64_t d = 0; d < t.dim(); ++d) {
      check(d == dim || t.sizes()[d] == shape[d], "Sizes of tensors must match except in dimension ", dim,
            ". Expected size ", shape[d], " but got size ", t.sizes()[d], " for tensor number ", i,
            " in the list.");
    }
    shape[dim] += t.sizes()[dim];
  }
  return shape;
}

/// Tensors of one dtype; a graph node for each conversion while recording.
std::vector<Tensor> converted(std::span<const Tensor> tensors, DType dtype, bool recorded) {
  std::vector<Tensor> result(tensors.begin(), tensors.end());
  if (!recorded) return result;
  for (Tensor& t : result) {
    if (tracked(t)) t = ops::to_dtype(t, dtype);
  }
  return result;
}

/// Copies a tensor into the place of the result that starts at `at` along dim.
void place(const Tensor& result, const Tensor& t, int64_t dim, int64_t at) {
  Ints sizes = result.shape();
  sizes[dim] = t.sizes()[dim];
  const int64_t offset = result.storage_offset() + at * result.strides()[dim];
  copy_elements(Tensor(TensorImpl::view(result.storage(), sizes, result.strides(), offset, result.dtype())),
                t);
}

}  // namespace

namespace impl {

// ---- cat ----
Tensor cat(Target to, std::span<const Tensor> tensors, int64_t dim) {
  check_value(!tensors.empty(), "torch.cat(): expected a non-empty list of Tensors");
  int64_t ndim = 1;
  for (size_t i = 0; i < tensors.size(); ++i) {
    check(tensors[i].dim() > 0, "zero-dimensional tensor (at position ", i, ") cannot be concatenated");
    if (ndim == 1 && !passed_over(tensors[i])) ndim = tensors[i].dim();
  }
  dim = wrap_dim(dim, ndim);
  const Ints shape = joined_shape(tensors, dim);
  const DType dtype = result_type(tensors);
  const bool is_recording = is_differentiable(dtype) && recording(tensors);
  to.check_recording(is_recording);
  for (const Tensor& t : tensors) to.check_apart({t});
  const std::vector<Tensor> inputs = converted(tensors, dtype, is_recording);
  Tensor result = Tensor::empty(shape, dtype);
  Ints lengths;
  int64_t at = 0;
  for (const Tensor& t : inputs) {
    lengths.push_back(passed_over(t) ? -1 : t.sizes()[dim]);
    if (lengths.back() <= 0) continue;
    place(result, t, dim, at);
    at += lengths.back();
  }
  result = to.deliver(result);
  if (!is_recording) return result;
  return to.attach(result, make_function("CatBackward0", std::span<const Tensor>(inputs),
                                         std::array<SavedTensor, 0>{}, [lengths, dim](Backward& g) {
                                           int64_t start = 0;
                                           for (size_t i = 0; i < lengths.size(); ++i) {
                                             const int64_t length = std::max<int64_t>(lengths[i], 0);
                                             if (g.needs(i)) {
                                               g.set(i, lengths[i] < 0
                                                            ? ops::zeros(Ints{0}, {.dtype = g.grad().dtype()})
                                                            : ops::narrow(g.grad(), dim, start, length));
                                             }
                                             start += length;
                                           }
                                         }));
}

// ---- stack ----
Tensor stack(Target to, std::span<const Tensor> tensors, int64_t dim) {
  check(!tensors.empty(), "stack expects a non-empty TensorList");
  dim = wrap_dim(dim, tensors[0].dim() + 1);
  for (size_t i = 1; i < tensors.size(); ++i) {
    check(same(tensors[i].sizes(), tensors[0].sizes()),
          "stack expects each tensor to be equal size, but got ", tensors[0].shape(), " at entry 0 and ",
          tensors[i].shape(), " at entry ", i);
  }
  const DType dtype = result_type(tensors);
  const bool is_recording = is_differentiable(dtype) && recording(tensors);
  to.check_recording(is_recording);
  const std::vector<Tensor> inputs = converted(tensors, dtype, is_recording);
  Ints shape = tensors[0].shape();
  shape.insert(static_cast<size_t>(dim), static_cast<int64_t>(tensors.size()));
  Tensor result = Tensor::empty(shape, dtype);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Ints strides(result.strides());
    const int64_t offset = static_cast<int64_t>(i) * strides[dim];
    strides.erase(static_cast<size_t>(dim));
    copy_elements(Tensor(TensorImpl::view(result.storage(), inputs[i].sizes(), strides, offset, dtype)),
                  inputs[i]);
  }
  result = to.deliver(result);
  if (!is_recording) return result;
  return to.attach(result, make_function("StackBackward0", std::span<const Tensor>(inputs),
                                         std::array<SavedTensor, 0>{}, [dim](Backward& g) {
                                           const std::vector<Tensor> grads = ops::unbind(g.grad(), dim);
                                           for (size_t i = 0; i < grads.size(); ++i) {
                                             if (g.needs(i)) g.set(i, grads[i]);
                                           }
                                         }));
}

}  // namespace impl

namespace ops {

// ---- hstack, vstack ----
Tensor hstack(Body, std::span<const Tensor> tensors) {
  check(!tensors.empty(), "hstack expects a non-empty TensorList");
  std::vector<Tensor> rows;
  for (const Tensor& t : tensors) rows.push_back(t.dim() == 0 ? reshape(t, Ints{1}) : t);
  return cat(rows, rows[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(Body, std::span<const Tensor> tensors) {
  check(!tensors.empty(), "vstack expects a non-empty TensorList");
  std::vector<Tensor> rows;
  for (const Tensor& t : tensors) {
    rows.push_back(t.dim() == 0 ? reshape(t, Ints{1, 1}) : t.dim() == 1 ? unsqueeze(t, 0) : t);
  }
  return cat(rows, 0);
}

// ---- meshgrid ----
std::vector<Tensor> meshgrid(Body, std::span<const Tensor> tensors,
                             std::optional<std::string_view> indexing) {
  check(!tensors.empty(), "meshgrid expects a non-empty TensorList");
  const std::string_view order = indexing.value_or("ij");
  check(order == "ij" || order == "xy",
        "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ", order);
  const bool exchange = order == "xy" && tensors.size() >= 2;
  // The dimension that a tensor runs along.
  const auto along = [exchange](size_t i) { return exchange && i < 2 ? 1 - i : i; };
  Ints shape(tensors.size(), 1);
  for (size_t i = 0; i < tensors.size(); ++i) {
    check(tensors[i].dtype() == tensors[0].dtype(), "meshgrid expects all tensors to have the same dtype");
    check(tensors[i].dim() <= 1, "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got shape ",
          tensors[i].shape());
    shape[along(i)] = tensors[i].numel();
  }
  std::vector<Tensor> grids;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Ints alone(shape.size(), 1);
    alone[along(i)] = tensors[i].numel();
    grids.push_back(expand(view(tensors[i], alone), shape));
  }
  return grids;
}

}  // namespace ops
}  // namespace onetape
