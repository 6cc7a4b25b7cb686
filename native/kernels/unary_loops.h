#pragma once

// Kernels of one operand, made from a function of one element. Included by *.simd.cpp files.

#include <algorithm>

#include "kernels/pointwise_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {

template <auto F>
struct Of {
  template <typename T>
  static auto make(const Scalar*) {
    return F;
  }
};

/// `const Unary<[](auto a) { return -a; }, Numbers> neg("neg");` makes a kernel.
template <auto F, typename Set, typename Result = void>
using Unary = Pointwise<Of<F>, 1, Set, Result>;

/// Functions that are fast within a bound: a block whose elements all lie within it takes Op::fast, others
/// take Op::any, which gives the same values there. NaN counts as within.
template <typename Op, typename T>
void guarded_loop(char* const* data, const int64_t* strides, int64_t n, const Scalar* params) {
  using C = compute_t<T>;
  constexpr int64_t kBlock = 1024;
  constexpr C bound = Op::template bound<C>;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t count = std::min(kBlock, n - begin);
    char* const at[2] = {data[0] + begin * strides[0], data[1] + begin * strides[1]};
    int outside = 0;
    if (strides[1] == sizeof(T)) {
      for (int64_t i = 0; i < count; ++i) {
        outside |= std::abs(load<T>(at[1] + i * static_cast<int64_t>(sizeof(T)))) > bound;
      }
    } else {
      for (int64_t i = 0; i < count; ++i) outside |= std::abs(load<T>(at[1] + i * strides[1])) > bound;
    }
    if (outside) {
      pointwise_loop<Of<[](auto a) { return Op::any(a); }>, T, T, 1>(at, strides, count, params);
    } else {
      pointwise_loop<Of<[](auto a) { return Op::fast(a); }>, T, T, 1>(at, strides, count, params);
    }
  }
}

/// A kernel of guarded loops for the floating types, and of Op::fast alone for the complex ones.
template <typename Op>
struct Guarded {
  explicit Guarded(std::string_view name) {
    register_loops<Of<[](auto a) { return Op::fast(a); }>, 1, void>(name, Types<complex64, complex128>());
    add(name, Floats());
  }

 private:
  template <typename... T>
  static void add(std::string_view name, Types<T...>) {
    (
        [&] {
          if constexpr (wanted<T>) register_loop(kLevel, name, dtype_of<T>, &guarded_loop<Op, T>);
        }(),
        ...);
  }
};

}  // namespace ONETAPE_LEVEL
}  // namespace onetape
