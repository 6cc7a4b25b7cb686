#pragma once

#include <cstdint>

namespace onetape {

// What kernels/product.cpp asks of the loops in kernels/product.simd.cpp. Strides are in elements.

/// A matrix of float, element (i, j) at data + i · row + j · column.
struct Factor {
  const float* data;
  int64_t row;
  int64_t column;
};

/// Memory that is read next: lines of `length` elements, `step` elements apart.
struct NextRead {
  const float* data;
  int64_t step;
  int64_t lines;
  int64_t length;
};

/// c = alpha · left · right + beta · add; the right factor is packed, and the left one, too, but for where
/// its rows are dense and read in place. `add` is not read where beta is zero. It is c, or one row for all.
struct PackedProduct {
  const float* left;
  int64_t left_row;  // 0 where packed
  const float* right;
  int64_t m;
  int64_t n;
  int64_t k;
  float* c;
  int64_t c_row;
  float alpha;
  float beta;
  const float* add;
  int64_t add_row;
  NextRead next;  // brought into a cache meanwhile
};

/// Columns of the right factor are packed up to a multiple of this at most.
inline constexpr int64_t kMostLanes = 16;
/// Elements of a column of the left factor that stand side by side at most.
inline constexpr int64_t kMostRows = 16;
/// Rows of a tile of the product at most.
inline constexpr int64_t kTileRows = 14;
/// Rows of the left factor that pack_left is given at most, and columns: what a cache near the CPU holds.
inline constexpr int64_t kBlockRows = 224;
inline constexpr int64_t kBlockDepth = 384;

/// Room for so many rows of the left factor: panels hold three quarters of their size at least, but for the
/// last.
constexpr int64_t packed_left_size(int64_t m, int64_t k) { return (m * 4 / 3 + kMostRows) * k; }
constexpr int64_t packed_right_size(int64_t k, int64_t n) {
  return (n + kMostLanes - 1) / kMostLanes * kMostLanes * k;
}

using PackLoop = void (*)(const Factor& from, int64_t rows, int64_t columns, float* to);
using ProductLoop = void (*)(const PackedProduct& what);

}  // namespace onetape
