#pragma once

#include "core/tensor.h"

namespace onetape {

/// The numbers of a convolution, one a dimension of space.
struct ConvolutionNumbers {
  Ints stride;
  Ints padding;
  Ints dilation;
  Ints output_padding;
  bool transposed;
  int64_t groups;
};

/// NotImplementedError for a dtype, in the name of the kernel that PyTorch would call.
[[noreturn]] void fail_convolution_dtype(const Tensor& weight, IntSpan dilation, bool transposed,
                                         DType dtype);
/// RuntimeError unless the dtypes are the same; NotImplementedError for those without a convolution.
void check_convolution_dtypes(const Tensor& input, const Tensor& weight, const Tensor& bias,
                              const ConvolutionNumbers& numbers);
/// RuntimeError unless numbers and shapes fit each other.
void check_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias,
                       const ConvolutionNumbers& numbers);
/// Sizes of the result in space; RuntimeError if there would be none.
Ints convolution_sizes(const Tensor& input, const Tensor& weight, const ConvolutionNumbers& numbers);

}  // namespace onetape
