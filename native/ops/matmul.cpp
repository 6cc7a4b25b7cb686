#include <array>

#include "kernels/gemm.h"
#include "ops.h"
#include "ops/copy.h"
#include "ops/product.h"
#include "ops/type_words.h"
#include "ops/view.h"

namespace onetape {
namespace {

/// a · b, either perhaps conjugated and transposed: what the gradients of stacked products are made of.
Tensor bmm_of(const Tensor& a, bool a_transposed, const Tensor& b, bool b_transposed) {
  return ops::bmm(a_transposed ? ops::transpose(conjugate(a), 1, 2) : a,
                  b_transposed ? ops::transpose(conjugate(b), 1, 2) : b);
}

bool records(const Target& to, const Tensor& a, const Tensor& b) {
  const bool is_recording = is_differentiable(a.dtype()) && recording(a, b);
  to.check_recording(is_recording);
  return is_recording;
}

/// Delivers the product of two tensors and records it; its gradient needs each operand for the other's sake.
template <typename F>
Tensor finish(const Target& to, const Tensor& result, const Tensor& a, const Tensor& b, bool is_recording,
              const char* node, F gradient) {
  const Tensor delivered = to.deliver(result);
  if (!is_recording) return to.attach(delivered, nullptr);
  const std::array<Tensor, 2> inputs = {a, b};
  return to.attach(delivered,
                   make_function(node, std::span<const Tensor>(inputs),
                                 saving(save_if(tracked(b), a), save_if(tracked(a), b)), gradient));
}

}  // namespace

namespace impl {

// ---- mm ----
Tensor mm(Target to, const Tensor& self, const Tensor& mat2) {
  check_matrices("mm", self, mat2);
  check(self.dtype() == mat2.dtype(),
        "expected m1 and m2 to have the same dtype, but got: ", type_words(self.dtype()),
        " != ", type_words(mat2.dtype()));
  const bool is_recording = records(to, self, mat2);
  const Tensor result = matrix_product("addmm_impl_cpu_", self, mat2);
  return finish(to, result, self, mat2, is_recording, "MmBackward0",
                [first = is_by_columns(self), second = is_by_columns(mat2)](Backward& g) {
                  if (g.needs(0)) g.set(0, product_laid_out(g.grad(), ops::t(conjugate(g.saved(1))), first));
                  if (g.needs(1)) g.set(1, product_laid_out(ops::t(conjugate(g.saved(0))), g.grad(), second));
                });
}

// ---- bmm ----
Tensor bmm(Target to, const Tensor& self, const Tensor& mat2) {
  check_batches(self, mat2);
  check(self.dtype() == mat2.dtype(), "expected scalar type ", scalar_type_name(self.dtype()), " but found ",
        scalar_type_name(mat2.dtype()));
  const bool is_recording = records(to, self, mat2);
  const Tensor result = batch_product("bmm", self, mat2);
  return finish(to, result, self, mat2, is_recording, "BmmBackward0", [](Backward& g) {
    if (g.needs(0)) g.set(0, bmm_of(g.grad(), false, g.saved(1), true));
    if (g.needs(1)) g.set(1, bmm_of(g.saved(0), true, g.grad(), false));
  });
}

// ---- mv ----
Tensor mv(Target to, const Tensor& self, const Tensor& vec) {
  check_matrix_vector(self, vec, 1, self.dim() > 0 ? self.sizes()[0] : 0);
  check(self.dtype() == vec.dtype(), "addmv input tensors must have the same dtype, but got ",
        scalar_type_name(vec.dtype()), ", ", scalar_type_name(self.dtype()), ", and ",
        scalar_type_name(vec.dtype()));
  const bool is_recording = records(to, self, vec);
  const Tensor result = Tensor::empty(self.sizes().first(1), self.dtype());
  if (result.has_data())
    gemm("addmv_impl_cpu", self.dtype(),
         {self.bytes(), self.sizes()[0], self.sizes()[1], self.strides()[0], self.strides()[1]},
         {vec.bytes(), vec.sizes()[0], 1, vec.strides()[0], 1}, {result.bytes(), self.sizes()[0], 1, 1, 1}, 1,
         0);
  return finish(to, result, self, vec, is_recording, "MvBackward0", [](Backward& g) {
    if (g.needs(0)) g.set(0, ops::outer(g.grad(), conjugate(g.saved(1))));
    if (g.needs(1)) g.set(1, ops::mv(ops::t(conjugate(g.saved(0))), g.grad()));
  });
}

// ---- dot ----
Tensor dot(Target to, const Tensor& self, const Tensor& tensor) {
  check(self.dim() == 1 && tensor.dim() == 1, "1D tensors expected, but got ", self.dim(), "D and ",
        tensor.dim(), "D tensors");
  check(self.dtype() == tensor.dtype(), "dot : expected both vectors to have same dtype, but found ",
        scalar_type_name(self.dtype()), " and ", scalar_type_name(tensor.dtype()));
  check(self.numel() == tensor.numel(), "inconsistent tensor size, expected tensor ", self.shape(),
        " and src ", tensor.shape(), " to have the same number of elements, but got ", self.numel(), " and ",
        tensor.numel(), " elements respectively");
  const bool is_recording = records(to, self, tensor);
  const Tensor result = Tensor::empty({}, self.dtype());
  if (result.has_data())
    onetape::dot(self.dtype(), self.numel(), self.bytes(), self.strides()[0], tensor.bytes(),
                 tensor.strides()[0], result.bytes());
  return finish(to, result, self, tensor, is_recording, "DotBackward0", [](Backward& g) {
    if (g.needs(0)) g.set(0, ops::mul(g.grad(), conjugate(g.saved(1))));
    if (g.needs(1)) g.set(1, ops::mul(g.grad(), conjugate(g.saved(0))));
  });
}

}  // namespace impl

namespace ops {

// ---- outer ----
Tensor outer(Body, const Tensor& self, const Tensor& vec2) {
  check(self.dim() == 1, "outer: Expected 1-D argument self, but got ", self.dim(), "-D");
  check(vec2.dim() == 1, "outer: Expected 1-D argument vec2, but got ", vec2.dim(), "-D");
  return mul(reshape(self, std::array<int64_t, 2>{self.sizes()[0], 1}), vec2);
}

}  // namespace ops

namespace {

// ---- matmul ----

/// Leading sizes followed by others.
Ints lead_and(IntSpan lead, std::initializer_list<int64_t> rest) {
  Ints all(lead);
  for (const int64_t size : rest) all.push_back(size);
  return all;
}

/// Would self's leading dimensions become rows of one matrix without a copy?
bool leads_are_rows(const Tensor& self) {
  const IntSpan sizes = self.sizes();
  const IntSpan strides = self.strides();
  for (size_t d = 0; d + 2 < sizes.size(); ++d) {
    if (strides[d] != strides[d + 1] * sizes[d + 1]) return false;
  }
  return true;
}

/// Is N-D · (vector or matrix) best done as one product? With a gradient it is, since the gradient of `other`
/// then is one.
bool should_fold(const Tensor& self, const Tensor& other) {
  return other.requires_grad() || self.numel() == 0 || leads_are_rows(self);
}

/// N-D · (vector or matrix): the leading dimensions are rows of one matrix.
Tensor matmul_folded(const Tensor& self, const Tensor& other) {
  const IntSpan lead = self.sizes().first(self.sizes().size() - 1);
  int64_t rows = 1;
  for (const int64_t size : lead) rows *= size;
  const Tensor folded = ops::reshape(self, std::array<int64_t, 2>{rows, self.sizes().back()});
  if (other.dim() == 1) return ops::unsafe_view(ops::mv(folded, other), lead);
  return ops::unsafe_view(ops::mm(folded, other), lead_and(lead, {other.sizes()[1]}));
}

/// (vector or matrix) · N-D by the transposed product; `columns` is the N-D operand transposed.
Tensor matmul_folded_transposed(const Tensor& self, const Tensor& columns) {
  if (self.dim() == 1) return matmul_folded(columns, self);
  return ops::contiguous(ops::transpose(matmul_folded(columns, ops::t(self)), -2, -1));
}

/// Without the dimension of size 1 that a vector was given.
Tensor without(const Tensor& product, int64_t dim) {
  Ints sizes = product.shape();
  Ints strides(product.strides());
  const auto at = static_cast<size_t>(wrap_dim(dim, product.dim()));
  sizes.erase(at);
  strides.erase(at);
  // As in PyTorch not a view: the product is squeezed in place.
  Tensor result(
      TensorImpl::view(product.storage(), sizes, strides, product.storage_offset(), product.dtype()));
  bump_version(result);
  if (!recording(product)) return result;
  return record(result, "SqueezeBackward4", {product},
                [dim](Backward& g) { g.set(0, ops::unsqueeze(g.grad(), dim)); });
}

/// Stacks of matrices, the stacks broadcast to each other.
Tensor matmul_stacked(const Tensor& self, const Tensor& other) {
  const IntSpan a = self.sizes();
  const IntSpan b = other.sizes();
  const size_t n = a.size();
  const size_t m = b.size();
  const Ints stack = broadcast_shapes(a.first(n - 2), b.first(m - 2));
  int64_t count = 1;
  for (const int64_t size : stack) count *= size;
  const auto as_batch = [&](const Tensor& t, int64_t rows, int64_t columns) {
    const Tensor full = ops::expand(t, lead_and(stack, {rows, columns}));
    return ops::reshape(full, std::array<int64_t, 3>{count, rows, columns});
  };
  const Tensor product = ops::bmm(as_batch(self, a[n - 2], a[n - 1]), as_batch(other, b[m - 2], b[m - 1]));
  return ops::unsafe_view(product, lead_and(stack, {a[n - 2], b[m - 1]}));
}

Tensor matmul_any(const Tensor& self, const Tensor& other) {
  const int a = self.dim();
  const int b = other.dim();
  check(a > 0 && b > 0, "both arguments to matmul need to be at least 1D, but they are ", a, "D and ", b,
        "D");
  if (a == 1 && b == 1) return ops::dot(self, other);
  if (a == 2 && b == 1) return ops::mv(self, other);
  if (a == 1 && b == 2) return without(ops::mm(ops::unsqueeze(self, 0), other), 0);
  if (a == 2 && b == 2) return ops::mm(self, other);
  if (b <= 2 && should_fold(self, other)) return matmul_folded(self, other);
  if (a <= 2) {
    const Tensor columns = ops::transpose(other, -2, -1);
    if (self.requires_grad() || (a == 1 && should_fold(columns, self)))
      return matmul_folded_transposed(self, columns);
  }
  if (a == 1) return without(matmul_stacked(ops::unsqueeze(self, 0), other), -2);
  if (b == 1) return without(matmul_stacked(self, ops::unsqueeze(other, 1)), -1);
  return matmul_stacked(self, other);
}

}  // namespace

Tensor impl::matmul(Target to, const Tensor& self, const Tensor& other) {
  to.check_recording(recording(self, other));
  return to.deliver(matmul_any(self, other));
}

}  // namespace onetape
