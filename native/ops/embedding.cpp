#include "kernels/embedding.h"

#include <array>

#include "ops.h"
#include "ops/copy.h"

namespace onetape::ops {
namespace {

/// How error texts name a tensor's type.
std::string legacy_name(const Tensor& t) {
  if (t.dtype() == DType::Bool) return "CPUBoolType";
  return "torch." + std::string(scalar_type_name(t.dtype())) + "Tensor";
}

}  // namespace

// ---- embedding ----
Tensor embedding(Body, const Tensor& weight, const Tensor& indices, int64_t padding_idx,
                 bool scale_grad_by_freq, bool /*sparse*/) {
  check(weight.dim() == 2, "'weight' must be 2-D");
  check(indices.dtype() == DType::I64 || indices.dtype() == DType::I32,
        "Expected tensor for argument #1 'indices' to have one of the ",
        "following scalar types: Long, Int; but got ", legacy_name(indices),
        " instead (while checking arguments for embedding)");
  const Tensor at = dense(to_dtype(indices, DType::I64));
  const Tensor table = dense(weight);
  Ints sizes = indices.shape();
  sizes.push_back(weight.sizes()[1]);
  Tensor result = Tensor::empty(sizes, weight.dtype());
  const int64_t row_bytes = weight.sizes()[1] * static_cast<int64_t>(weight.item_bytes());
  const bool found = !result.has_data() || gather_rows(table.bytes(), weight.sizes()[0], row_bytes,
                                                       at.data<int64_t>(), at.numel(), result.bytes());
  check_index(found, "index out of range in self");
  if (!recording(weight)) return result;
  return record(
      result, "EmbeddingBackward0", {weight}, saving(save(at)),
      [rows = weight.sizes()[0], padding_idx, scale_grad_by_freq](Backward& g) {
        g.set(0, embedding_dense_backward(g.grad(), g.saved(0), rows, padding_idx, scale_grad_by_freq));
      });
}

// ---- embedding_dense_backward ----
Tensor embedding_dense_backward(Body, const Tensor& grad_output, const Tensor& indices, int64_t num_weights,
                                int64_t padding_idx, bool scale_grad_by_freq) {
  const Tensor grad = dense(grad_output);
  const std::array<int64_t, 2> sizes = {num_weights, grad.sizes().back()};
  Tensor result = zeros(sizes, Options{.dtype = grad.dtype()});
  if (result.has_data())
    add_rows(grad.dtype(), result.bytes(), num_weights, sizes[1], indices.data<int64_t>(), indices.numel(),
             grad.bytes(), padding_idx, scale_grad_by_freq);
  if (!recording(grad_output)) return result;
  return record(result, "EmbeddingDenseBackwardBackward0", {grad_output}, saving(save(indices)),
                [padding_idx, scale_grad_by_freq](Backward& g) {
                  const Tensor at = g.saved(0);
                  check(!scale_grad_by_freq,
                        "embedding: a second derivative with scale_grad_by_freq is not supported");
                  Tensor rows = embedding(g.grad(), at);
                  if (padding_idx >= 0) {
                    Ints wide = at.shape();
                    wide.push_back(1);
                    const Tensor kept = ne(reshape(at, wide), wrapped_number(Scalar(padding_idx)));
                    rows = mul(rows, kept);
                  }
                  g.set(0, rows);
                });
}

}  // namespace onetape::ops
