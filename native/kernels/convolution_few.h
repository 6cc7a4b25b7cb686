#pragma once

#include "kernels/convolution_parts.h"

namespace onetape {

// Convolutions over planes of few places, which would leave most lanes of a vector empty: images stand side
// by side instead, and what the taps meet becomes a matrix to multiply with. float and double.

/// Is that the faster way? Compares the multiplications that the loops of kernels/convolution.simd.cpp spend,
/// whole vectors at a time, with those of a product of matrices and what it costs to lay them out.
inline bool has_few_places(DType dtype, const ConvolutionShape& s) {
  if (dtype != DType::F32 && dtype != DType::F64) return false;
  const auto places = static_cast<double>(s.product(s.out));
  const auto taps = static_cast<double>(s.in_channels * s.product(s.kernel));
  const auto rows = static_cast<double>(s.out_channels);
  constexpr double kMost = 1 << 22;  // elements of an image's columns
  if (s.batch == 0 || places == 0 || taps * places > kMost) return false;
  const int64_t width = dtype == DType::F32 ? 24 : 12;  // of a tile
  const int64_t walked = (s.out[1] - 1) * convolution::input_grid(s).line() + s.out[2];
  const int64_t steps = s.out[0] * ((walked + width - 1) / width);
  const auto computed = static_cast<double>(steps * width);
  constexpr double kColumn = 5;  // multiplications that an element of the columns costs, and one of an image
  constexpr double kTurned = 75;
  const double images = static_cast<double>(s.in_channels * s.product(s.in)) + rows * places;
  return rows * taps * places + kColumn * taps * places + kTurned * images < 0.95 * rows * taps * computed;
}

/// The maps of kernels/convolution.h, by way of matrices. Neither batch nor sizes of `out` are 0.
void convolve_few(DType dtype, const ConvolutionShape& shape, const char* in, const char* weight,
                  const char* bias, char* out);
void convolve_few_transposed(DType dtype, const ConvolutionShape& shape, const char* out, const char* weight,
                             const char* bias, char* in);
void convolve_few_weight(DType dtype, const ConvolutionShape& shape, const char* in, const char* out,
                         char* weight);

}  // namespace onetape
