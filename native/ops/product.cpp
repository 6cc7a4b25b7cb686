#include "ops/product.h"

#include "kernels/gemm.h"
#include "ops.h"
#include "ops/copy.h"

namespace onetape {
namespace {

/// The last two dimensions of a tensor as a matrix.
MatrixView matrix_of(const Tensor& t) {
  const size_t d = t.sizes().size() - 2;
  return {t.bytes(), t.sizes()[d], t.sizes()[d + 1], t.strides()[d], t.strides()[d + 1]};
}

/// A tensor for a result, holding what is to be added.
Tensor result_with(IntSpan sizes, DType dtype, const Tensor& add, const Scalar& beta) {
  Tensor result = Tensor::empty(sizes, dtype);
  if (beta.to<complex128>() != complex128(0)) copy_elements(result, add);
  return result;
}

}  // namespace

Tensor matrix_product(const char* op, const Tensor& a, const Tensor& b, const Scalar& alpha,
                      const Tensor& add, const Scalar& beta) {
  const std::array<int64_t, 2> sizes = {a.sizes()[0], b.sizes()[1]};
  const bool is_row = add.defined() && add.dim() == 1 && add.is_contiguous() && add.sizes()[0] == sizes[1];
  if (is_row && beta.to<complex128>() != complex128(0)) {
    Tensor result = Tensor::empty(sizes, a.dtype());
    if (result.has_data())
      gemm_plus_row(op, a.dtype(), matrix_of(a), matrix_of(b), matrix_of(result), alpha, beta, add.bytes());
    return result;
  }
  Tensor result = result_with(sizes, a.dtype(), add, beta);
  if (result.has_data()) gemm(op, a.dtype(), matrix_of(a), matrix_of(b), matrix_of(result), alpha, beta);
  return result;
}

Tensor batch_product(const char* op, const Tensor& a, const Tensor& b, const Scalar& alpha, const Tensor& add,
                     const Scalar& beta) {
  const std::array<int64_t, 3> sizes = {a.sizes()[0], a.sizes()[1], b.sizes()[2]};
  Tensor result = result_with(sizes, a.dtype(), add, beta);
  if (!result.has_data()) return result;
  const auto batch_of = [](const Tensor& t) { return Batch{matrix_of(t), t.strides()[0]}; };
  gemm_batch(op, a.dtype(), sizes[0], batch_of(a), batch_of(b), batch_of(result), alpha, beta);
  return result;
}

Tensor times(const Tensor& t, const Scalar& factor) {
  return factor.to<complex128>() == complex128(1) ? t : ops::mul(t, factor);
}

Tensor conjugate(const Tensor& t) { return is_complex(t.dtype()) ? ops::conj(t) : t; }

bool is_by_columns(const Tensor& matrix) {
  return matrix.strides()[0] == 1 && matrix.strides()[1] == matrix.sizes()[0] && matrix.sizes()[1] > 1;
}

Tensor product_laid_out(const Tensor& a, const Tensor& b, bool by_columns) {
  return by_columns ? ops::t(ops::mm(ops::t(b), ops::t(a))) : ops::mm(a, b);
}

void check_matrices(const char* op, const Tensor& mat1, const Tensor& mat2) {
  check(mat1.dim() == 2, op, ": self must be a matrix, got ", mat1.dim(), "-D tensor");
  check(mat2.dim() == 2, op, ": mat2 must be a matrix, got ", mat2.dim(), "-D tensor");
  const IntSpan a = mat1.sizes();
  const IntSpan b = mat2.sizes();
  check(a[1] == b[0], op, ": mat1 and mat2 shapes cannot be multiplied (", a[0], "x", a[1], " and ", b[0],
        "x", b[1], ")");
}

void check_batches(const Tensor& batch1, const Tensor& batch2) {
  check(batch1.dim() == 3, "batch1 must be a 3D tensor");
  check(batch2.dim() == 3, "batch2 must be a 3D tensor");
  const IntSpan a = batch1.sizes();
  const IntSpan b = batch2.sizes();
  check(a[0] == b[0] && a[2] == b[1], "Expected size for first two dimensions of batch2 tensor to be: [",
        a[0], ", ", a[2], "] but got: [", b[0], ", ", b[1], "].");
}

void check_matrix_vector(const Tensor& mat, const Tensor& vec, int64_t self_dim, int64_t rows) {
  check(mat.dim() == 2 && vec.dim() == 1 && self_dim <= 1, "vector + matrix @ vector expected, got ",
        self_dim, ", ", mat.dim(), ", ", vec.dim());
  const IntSpan m = mat.sizes();
  check(m[1] == vec.sizes()[0] && (rows == m[0] || rows == 1), "size mismatch, got input (", rows, "), mat (",
        m[0], "x", m[1], "), vec (", vec.sizes()[0], ")");
}

}  // namespace onetape
