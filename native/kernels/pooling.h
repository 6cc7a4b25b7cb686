#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/dtype.h"

namespace onetape {

/// The indices first, first + step, … below end of one dimension; `size` is what they count as in an average.
struct PoolWindow {
  int64_t first;
  int64_t end;
  int64_t step;
  int64_t size;
};

/// Windows over three dimensions; fewer are led by dimensions with one index. Each element of the result is
/// made of the elements in one window of each dimension.
struct PoolPlan {
  int64_t planes;
  std::array<int64_t, 3> in;
  std::array<std::vector<PoolWindow>, 3> windows;
  int64_t divisor = 0;  // of averages; 0: the product of the windows' sizes

  int64_t in_plane() const { return in[0] * in[1] * in[2]; }
  int64_t out_plane() const {
    return std::ssize(windows[0]) * std::ssize(windows[1]) * std::ssize(windows[2]);
  }
};

/// Largest elements, and their places in the plane unless `indices` is null; NaN counts as largest, the first
/// of equals is taken. NotImplementedError naming `op` for bool and complex.
void max_pool(const char* op, DType dtype, const PoolPlan& plan, const char* in, char* out, int64_t* indices);
/// The gradient of `planes` planes: each element of `grad` added to the element of its place in `out`, all
/// else zero. IndexError for a place outside the plane.
void max_pool_backward(DType dtype, int64_t planes, int64_t in_plane, int64_t out_plane, const char* grad,
                       const int64_t* indices, char* out);
/// Averages; those over no element are 0.
void average_pool(DType dtype, const PoolPlan& plan, const char* in, char* out);
/// The transposed map: each element of `grad` divided and added to all elements of its window in `out`, which
/// holds zeros.
void average_pool_backward(DType dtype, const PoolPlan& plan, const char* grad, char* out);

}  // namespace onetape
