#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "core/scalar.h"

namespace onetape {

/// A matrix in memory: element (i, j) stands at data + i · row_stride + j · column_stride, strides in
/// elements.
struct MatrixView {
  char* data;
  int64_t rows;
  int64_t columns;
  int64_t row_stride;
  int64_t column_stride;

  MatrixView transposed() const { return {data, columns, rows, column_stride, row_stride}; }
};

/// c = alpha · a · b + beta · c; c is not read where beta is zero. c must be dense in rows or in columns.
/// NotImplementedError naming `op` for bool.
void gemm(const char* op, DType dtype, const MatrixView& a, const MatrixView& b, const MatrixView& c,
          const Scalar& alpha, const Scalar& beta);

/// c = alpha · a · b + beta · row, the same row for all of c, which is dense.
void gemm_plus_row(const char* op, DType dtype, const MatrixView& a, const MatrixView& b, const MatrixView& c,
                   const Scalar& alpha, const Scalar& beta, const char* row);

/// The same as gemm for `batch` matrices each, which stand `step` elements apart.
struct Batch {
  MatrixView first;
  int64_t step;
};
void gemm_batch(const char* op, DType dtype, int64_t batch, const Batch& a, const Batch& b, const Batch& c,
                const Scalar& alpha, const Scalar& beta);

/// out = Σ x[i] · y[i], one element of the dtype; strides in elements.
void dot(DType dtype, int64_t n, const char* x, int64_t x_stride, const char* y, int64_t y_stride, char* out);

}  // namespace onetape
