#pragma once

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "kernels/convolution.h"

namespace onetape {

/// Copies a line; lines are often so short that a call of memcpy would take longer than the copy.
template <typename T>
void copy_line(const T* from, int64_t n, T* to) {
  constexpr int64_t kStep = std::max<int64_t>(32 / static_cast<int64_t>(sizeof(T)), 1);
  for (; n >= kStep; n -= kStep, from += kStep, to += kStep) std::memcpy(to, from, kStep * sizeof(T));
  for (; n > 0; --n) *to++ = *from++;
}

/// How a channel's elements stand in memory while they are convolved: with zeros around them, and split into
/// one grid for each remainder of the indices modulo the strides, so that what a tap meets at successive
/// positions stands side by side. Zeros at the end of a line are those before the next one.
class ConvolutionGrid {
 public:
  using Sizes = ConvolutionShape::Sizes;

  /// `reach`: indices from the first zero on that may be read; `count`: positions that are computed.
  ConvolutionGrid(const Sizes& sizes, const Sizes& low, const Sizes& reach, const Sizes& phases,
                  const Sizes& count)
      : sizes_(sizes), low_(low), phases_(phases) {
    for (size_t d = 0; d < 3; ++d) {
      const int64_t used = low[d] + sizes[d];
      const bool wraps = d == 2 && phases[d] == 1;
      const int64_t read = wraps ? reach[d] - low[d] : reach[d];
      cells_[d] = std::max({(std::max(used, read) + phases[d] - 1) / phases[d], count[d], int64_t{1}});
    }
    int64_t all = 1;
    bool too_many = false;
    for (size_t d = 0; d < 3; ++d) {
      too_many = too_many || __builtin_mul_overflow(all, cells_[d], &all);
      too_many = too_many || __builtin_mul_overflow(all, phases[d], &all);
    }
    if (too_many) fail(ErrorKind::OutOfMemory, "convolution: the padded input does not fit into memory");
  }

  int64_t line() const { return cells_[2]; }
  int64_t slice() const { return cells_[1] * cells_[2]; }
  int64_t plane() const { return ConvolutionShape::product(phases_) * cells_[0] * slice(); }
  /// Is the grid just the elements as they are?
  bool trivial() const { return cells_ == sizes_ && ConvolutionShape::product(phases_) == 1; }
  /// Where an index, counted from the first zero, stands.
  int64_t cell(const Sizes& at) const {
    int64_t phase = 0;
    int64_t inside = 0;
    for (size_t d = 0; d < 3; ++d) {
      phase = phase * phases_[d] + at[d] % phases_[d];
      inside = inside * cells_[d] + at[d] / phases_[d];
    }
    return phase * cells_[0] * slice() + inside;
  }

  /// Copies a channel into its grid, the zeros of which are there already.
  template <typename T>
  void fill(const T* channel, T* grid) const {
    if (ConvolutionShape::product(phases_) == 1) {
      for (int64_t d = 0; d < sizes_[0]; ++d) {
        T* to = grid + (d + low_[0]) * slice() + low_[1] * line() + low_[2];
        for (int64_t h = 0; h < sizes_[1]; ++h, channel += sizes_[2], to += line())
          copy_line(channel, sizes_[2], to);
      }
      return;
    }
    for (int64_t d = 0; d < sizes_[0]; ++d) {
      for (int64_t h = 0; h < sizes_[1]; ++h, channel += sizes_[2]) {
        if (phases_[2] == 1) {
          copy_line(channel, sizes_[2], grid + cell({d + low_[0], h + low_[1], low_[2]}));
          continue;
        }
        const int64_t first = std::min(phases_[2], sizes_[2]);
        for (int64_t w = 0; w < first; ++w) {
          T* to = grid + cell({d + low_[0], h + low_[1], w + low_[2]});
          for (int64_t at = w; at < sizes_[2]; at += phases_[2]) *to++ = channel[at];
        }
      }
    }
  }

 private:
  Sizes sizes_;
  Sizes low_;
  Sizes phases_;
  Sizes cells_{};
};

}  // namespace onetape
