#pragma once

#include <array>
#include <cstdint>

#include "core/dtype.h"

namespace onetape {

/// A convolution over three dimensions of space; one over fewer has leading sizes of 1. Channels are those of
/// one group. Every tensor is dense: in is (batch, groups · in_channels, in…), out is (batch, groups ·
/// out_channels, out…), the weight (groups · out_channels, in_channels, kernel…).
struct ConvolutionShape {
  using Sizes = std::array<int64_t, 3>;
  int64_t batch;
  int64_t groups;
  int64_t in_channels;
  int64_t out_channels;
  Sizes in;
  Sizes out;
  Sizes kernel;
  Sizes stride;
  Sizes padding;  // before the first element; what is read after the last is zero, too
  Sizes dilation;

  static int64_t product(const Sizes& sizes) { return sizes[0] * sizes[1] * sizes[2]; }
};

/// out[n, m, o] = bias[m] + Σ weight[m, c, k] · in[n, c, stride · o + dilation · k − padding]; bias may be
/// null.
void convolve(DType dtype, const ConvolutionShape& shape, const char* in, const char* weight,
              const char* bias, char* out);
/// The transposed map: in[n, c, i] = bias[c] + Σ weight[m, c, k] · out[n, m, o] over all m, k and o with
/// i = stride · o + dilation · k − padding.
void convolve_transposed(DType dtype, const ConvolutionShape& shape, const char* out, const char* weight,
                         const char* bias, char* in);
/// weight[m, c, k] = Σ out[n, m, o] · in[n, c, stride · o + dilation · k − padding].
void convolve_weight(DType dtype, const ConvolutionShape& shape, const char* in, const char* out,
                     char* weight);

}  // namespace onetape
