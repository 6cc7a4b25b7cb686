#include "kernels/columns.h"

#include <algorithm>

#include "core/parallel.h"

namespace onetape {
namespace {

constexpr int64_t kGrain = 16384;  // elements worth a thread

/// The stretches whose element at `offset` from their start lies within a dimension of the image.
struct Range {
  int64_t begin;
  int64_t end;
};
Range inside(int64_t offset, int64_t stride, int64_t size, int64_t count) {
  const int64_t begin = offset < 0 ? (-offset + stride - 1) / stride : 0;
  const int64_t end = offset < size ? (size - offset + stride - 1) / stride : 0;
  return {std::min(begin, count), std::clamp(end, std::min(begin, count), count)};
}

/// Calls row(channel, first column element, image row, stretches, offset) for every row of stretches that one
/// element of the kernel meets.
template <typename F>
void for_each_row(const ColumnShape& s, const F& row) {
  const int64_t taps = s.kernel[0] * s.kernel[1];
  const int64_t size = std::max<int64_t>(taps * s.count[0] * s.count[1], 1);
  parallel_for(s.channels, std::max<int64_t>(kGrain / size, 1), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      for (int64_t k = 0; k < taps; ++k) {
        const int64_t down = k / s.kernel[1] * s.dilation[0] - s.padding[0];
        const int64_t right = k % s.kernel[1] * s.dilation[1] - s.padding[1];
        const Range rows = inside(down, s.stride[0], s.image[0], s.count[0]);
        const Range columns = inside(right, s.stride[1], s.image[1], s.count[1]);
        for (int64_t y = rows.begin; y < rows.end; ++y) {
          row(((c * taps + k) * s.count[0] + y) * s.count[1],
              (c * s.image[0] + y * s.stride[0] + down) * s.image[1], columns, right);
        }
      }
    }
  });
}

template <typename T>
void gather_columns(const ColumnShape& s, const T* images, T* columns) {
  const int64_t all = s.channels * s.kernel[0] * s.kernel[1] * s.count[0] * s.count[1];
  std::fill_n(columns, all, T(0));
  for_each_row(s, [&](int64_t to, int64_t from, const Range& range, int64_t right) {
    for (int64_t x = range.begin; x < range.end; ++x)
      columns[to + x] = images[from + x * s.stride[1] + right];
  });
}

template <typename T>
void add_columns(const ColumnShape& s, const T* columns, T* images) {
  for_each_row(s, [&](int64_t from, int64_t to, const Range& range, int64_t right) {
    for (int64_t x = range.begin; x < range.end; ++x) {
      T& element = images[to + x * s.stride[1] + right];
      element = static_cast<T>(element + columns[from + x]);
    }
  });
}

}  // namespace

void image_to_columns(DType dtype, const ColumnShape& shape, const char* images, char* columns) {
  visit_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    gather_columns(shape, reinterpret_cast<const T*>(images), reinterpret_cast<T*>(columns));
  });
}

void columns_to_image(DType dtype, const ColumnShape& shape, const char* columns, char* images) {
  visit_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    add_columns(shape, reinterpret_cast<const T*>(columns), reinterpret_cast<T*>(images));
  });
}

}  // namespace onetape
