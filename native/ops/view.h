#pragma once

#include "autograd/record.h"
#include "core/tensor.h"

namespace onetape {

/// A view of self's storage known to autograd as a view of self; no history yet. The caller has checked the
/// bounds.
ONETAPE_API Tensor make_view(const Tensor& self, IntSpan sizes, IntSpan strides, int64_t offset,
                             ViewOrigin origin = ViewOrigin::Default);

/// Makes the view and, where recording, its node.
template <typename F>
Tensor view_op(const Tensor& self, IntSpan sizes, IntSpan strides, int64_t offset, const char* node,
               F gradient) {
  Tensor result = make_view(self, sizes, strides, offset);
  if (!recording(self)) return result;
  return record(std::move(result), node, {self}, std::move(gradient));
}

/// Strides under which a tensor of these sizes and strides has the new shape without a copy; false if there
/// are none.
bool view_strides(IntSpan sizes, IntSpan strides, IntSpan shape, Ints* out);
/// The tensor, or one element as a vector, for code that needs a dimension. No view to autograd, no history.
Tensor at_least_vector(const Tensor& t);
/// Replaces one -1 in `shape` by the size that fits numel; RuntimeError with PyTorch's text if none does.
Ints infer_shape(IntSpan shape, int64_t numel);

}  // namespace onetape
