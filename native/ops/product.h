#pragma once

#include "core/tensor.h"

namespace onetape {

/// alpha · a · b + beta · add for two matrices, as a new tensor; `add` is broadcast, and not read where beta
/// is zero. The caller has checked shapes and dtypes. `op` is the name in the error for bool. No graph.
Tensor matrix_product(const char* op, const Tensor& a, const Tensor& b, const Scalar& alpha = 1,
                      const Tensor& add = {}, const Scalar& beta = 0);
/// The same for two stacks of matrices.
Tensor batch_product(const char* op, const Tensor& a, const Tensor& b, const Scalar& alpha = 1,
                     const Tensor& add = {}, const Scalar& beta = 0);

/// factor · t; t itself where the factor is one.
Tensor times(const Tensor& t, const Scalar& factor);
/// The conjugate; t itself where it is real.
Tensor conjugate(const Tensor& t);

/// Does a matrix stand in memory column by column, with nothing between?
bool is_by_columns(const Tensor& matrix);
/// a · b as an operator, which lays the product out by columns if asked: so the gradient of a weight that was
/// multiplied transposed is laid out like the weight.
Tensor product_laid_out(const Tensor& a, const Tensor& b, bool by_columns);

/// RuntimeError unless mat1 (m×k) and mat2 (k×n) are matrices that can be multiplied.
void check_matrices(const char* op, const Tensor& mat1, const Tensor& mat2);
/// RuntimeError unless batch1 (b×m×k) and batch2 (b×k×n) are stacks of matrices that can be multiplied.
void check_batches(const Tensor& batch1, const Tensor& batch2);
/// RuntimeError unless mat (m×n) and vec (n) can be multiplied and the product added to a vector of `rows`
/// elements (or 1).
void check_matrix_vector(const Tensor& mat, const Tensor& vec, int64_t self_dim, int64_t rows);

}  // namespace onetape
