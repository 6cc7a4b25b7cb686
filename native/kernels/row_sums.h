#pragma once

// Sums over a run of elements for kernels that work row by row. Included by *.simd.cpp files.

#include <algorithm>
#include <cstdint>

#ifndef ONETAPE_LEVEL
#define ONETAPE_LEVEL base
#endif

namespace onetape {
namespace ONETAPE_LEVEL {

constexpr int kRowLanes = 16;

/// Σ f(i) for i in [0, n), formed in type C: stretches in lanes, the sums of stretches in double.
template <typename C, typename F>
double add_up(int64_t n, F f) {
  constexpr int64_t kStretch = 2048;
  if (n < kRowLanes) {
    C few = 0;
    for (int64_t i = 0; i < n; ++i) few += f(i);
    return static_cast<double>(few);
  }
  double total = 0;
  for (int64_t from = 0; from < n; from += kStretch) {
    const int64_t end = std::min(from + kStretch, n);
    C lanes[kRowLanes] = {};
    int64_t i = from;
    for (; i + kRowLanes <= end; i += kRowLanes) {
      for (int l = 0; l < kRowLanes; ++l) lanes[l] += f(i + l);
    }
    for (; i < end; ++i) lanes[0] += f(i);
    for (int half = kRowLanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) lanes[l] += lanes[l + half];
    }
    total += static_cast<double>(lanes[0]);
  }
  return total;
}

}  // namespace ONETAPE_LEVEL
}  // namespace onetape
