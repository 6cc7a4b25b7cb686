#pragma once

#include "core/tensor.h"

namespace onetape {

/// Rows brought to mean 0 and variance 1, with the statistics (rows × 1, float32 for 16-bit floats).
struct RowNorm {
  Tensor result;
  Tensor mean;
  Tensor rstd;
};

/// `in` is dense and seen as rows of n elements; weight and bias are undefined or dense with n elements. No
/// graph.
RowNorm normalize_rows(const Tensor& in, int64_t rows, int64_t n, const Tensor& weight, const Tensor& bias,
                       double eps);

/// Gradient of the rows (rows × n) from that of the normalised rows; differentiable where gradients are being
/// recorded.
Tensor row_norm_gradient(const Tensor& grad, const Tensor& rows, const Tensor& mean, const Tensor& rstd,
                         double eps);

}  // namespace onetape
