#include "kernels/where.h"

namespace onetape {
namespace {

/// Elements are only moved, so one loop serves all dtypes of a size.
struct Pair {
  uint64_t low;
  uint64_t high;
};

template <typename T>
void where_strided(char* const* data, const int64_t* strides, int64_t n, const Scalar*) {
  const auto at = [&](int operand, int64_t i) { return data[operand] + i * strides[operand]; };
  if (strides[0] == sizeof(T) && strides[1] == 1 && strides[2] == sizeof(T) && strides[3] == sizeof(T)) {
    auto* out = reinterpret_cast<T*>(data[0]);
    const auto* condition = reinterpret_cast<const uint8_t*>(data[1]);
    const auto* a = reinterpret_cast<const T*>(data[2]);
    const auto* b = reinterpret_cast<const T*>(data[3]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      const T x = a[i];
      const T y = b[i];
      out[i] = condition[i] ? x : y;
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    const T* chosen = reinterpret_cast<const T*>(*at(1, i) ? at(2, i) : at(3, i));
    *reinterpret_cast<T*>(at(0, i)) = *chosen;
  }
}

}  // namespace

InnerLoop where_loop(DType dtype) {
  switch (item_size(dtype)) {
    case 1:
      return &where_strided<uint8_t>;
    case 2:
      return &where_strided<uint16_t>;
    case 4:
      return &where_strided<uint32_t>;
    case 8:
      return &where_strided<uint64_t>;
    default:
      return &where_strided<Pair>;
  }
}

}  // namespace onetape
