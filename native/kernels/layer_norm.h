#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace onetape {

/// Rows of n dense elements. Parameters are null or hold n elements; statistics hold one number a row, in the
/// type that arithmetic is done in (float for 16-bit floats).
struct NormBlock {
  const char* in;
  const char* grad;  // of the output; null forwards
  const char* weight;
  const char* bias;
  char* out;  // the output, or the gradient of the input (null if that is not wanted)
  char* mean;
  char* rstd;          // 1 / √(variance + eps)
  double* weight_sum;  // n sums each for the gradients of the parameters, added to; null if not wanted
  double* bias_sum;
  int64_t rows;
  int64_t n;
  double eps;
};

/// out = (in − mean) · rstd · weight + bias; also fills mean and rstd.
void layer_norm_rows(DType dtype, const NormBlock& block);
/// Gradients from grad, in, mean and rstd. The sums of the parameters are written as elements of the dtype.
void layer_norm_rows_backward(DType dtype, const NormBlock& block, char* weight_grad, char* bias_grad);

}  // namespace onetape
