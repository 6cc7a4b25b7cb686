#pragma once

#include <cstdint>

namespace onetape {

// What kernels/convolution.cpp asks of the loops in kernels/convolution.simd.cpp. Sizes and distances are in
// elements.

/// Rows of weights that stand side by side for each tap: weights are laid out (panel, tap, kPanel).
inline constexpr int64_t kPanel = 4;
/// Elements that the loops may read after the last one they need.
inline constexpr int64_t kSlack = 128;

/// Results at positions 0, 1, … of which `columns` out of each `pitch` are wanted: at position q,
/// out[row] = bias[row] + Σ weight[row, tap] · in[offsets[tap] + q].
struct Correlation {
  const char* in;
  const int64_t* offsets;
  int64_t taps;
  const char* weights;
  const char* bias;  // or null
  int64_t rows;
  int64_t pitch;
  int64_t columns;
  char* out;
  int64_t out_row;   // from one row of weights to the next
  int64_t out_line;  // from one pitch to the next
  int64_t out_step;  // from one column to the next
};
using CorrelationLoop = void (*)(const Correlation& what, int64_t begin, int64_t end);

/// sums[row, tap] += Σ over images and positions of grad[row, position] · in[offsets[tap] + position].
struct TapSums {
  const char* in;
  int64_t in_image;
  const char* grad;
  int64_t grad_image;
  int64_t grad_row;
  int64_t images;
  int64_t length;  // positions; grad is zero after the last up to a multiple of the vectors' size
  const int64_t* offsets;
  int64_t taps;
  char* sums;
};
using TapSumsLoop = void (*)(const TapSums& what, int64_t row_begin, int64_t row_end);

}  // namespace onetape
