#pragma once

#include <array>

#include "core/ints.h"

namespace onetape {

/// Steps through the positions of a shape in row-major order, with an offset for each of K operands. The
/// offsets have the unit of the strides (elements or bytes).
template <size_t K>
class Walk {
 public:
  /// Starts at position number `start`. The shape must have no size 0.
  Walk(IntSpan shape, const std::array<IntSpan, K>& strides, int64_t start = 0)
      : shape_(shape), strides_(strides), index_(shape.size(), 0) {
    for (size_t d = shape.size(); start > 0 && d-- > 0;) {
      index_[d] = start % shape[d];
      start /= shape[d];
      for (size_t k = 0; k < K; ++k) offsets_[k] += index_[d] * strides[k][d];
    }
  }

  int64_t operator[](size_t operand) const { return offsets_[operand]; }

  void next() {
    for (size_t d = shape_.size(); d-- > 0;) {
      for (size_t k = 0; k < K; ++k) offsets_[k] += strides_[k][d];
      if (++index_[d] < shape_[d]) return;
      for (size_t k = 0; k < K; ++k) offsets_[k] -= strides_[k][d] * shape_[d];
      index_[d] = 0;
    }
  }

 private:
  IntSpan shape_;
  std::array<IntSpan, K> strides_;
  std::array<int64_t, K> offsets_{};
  Ints index_;
};

}  // namespace onetape
