#pragma once

// Turns a function of elements into inner loops for a set of dtypes. Included by *.simd.cpp files, which are
// compiled once a CPU level with ONETAPE_LEVEL naming the level; everything here stands in that level's
// namespace.

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/registry.h"

#ifndef ONETAPE_LEVEL
#define ONETAPE_LEVEL base
#endif

namespace onetape {
namespace ONETAPE_LEVEL {

namespace levels {
constexpr CpuLevel base = CpuLevel::Base;
constexpr CpuLevel v2 = CpuLevel::V2;
constexpr CpuLevel v3 = CpuLevel::V3;
constexpr CpuLevel v4 = CpuLevel::V4;
}  // namespace levels
constexpr CpuLevel kLevel = levels::ONETAPE_LEVEL;
/// The lowest level has every dtype; the higher ones only those that gain from wider vectors.
constexpr bool kLowest = kLevel <= CpuLevel::V2;

template <typename... T>
struct Types {};
using Floats = Types<float, double, Half, BFloat16>;
using Integers = Types<uint8_t, int8_t, int16_t, int32_t, int64_t>;
using Real =
    Types<bool, uint8_t, int8_t, int16_t, int32_t, int64_t, Half, BFloat16, float, double>;  // with bool
using Numbers =
    Types<uint8_t, int8_t, int16_t, int32_t, int64_t, Half, BFloat16, float, double>;  // without bool
using FloatsAndComplex = Types<float, double, Half, BFloat16, complex64, complex128>;
using NumbersAndComplex =
    Types<uint8_t, int8_t, int16_t, int32_t, int64_t, Half, BFloat16, float, double, complex64, complex128>;
using All = Types<bool, uint8_t, int8_t, int16_t, int32_t, int64_t, Half, BFloat16, float, double, complex64,
                  complex128>;

template <typename T>
inline constexpr bool wanted = kLowest || std::is_same_v<T, float> || std::is_same_v<T, double>;

template <typename R, typename V>
inline R narrow(V value) {
  if constexpr (std::is_same_v<R, V>) {
    return value;
  } else if constexpr (std::is_same_v<R, Half> || std::is_same_v<R, BFloat16>) {
    return R(static_cast<float>(value));
  } else {
    return static_cast<R>(value);
  }
}

/// Reads an element in the type that arithmetic is done in.
template <typename T>
inline compute_t<T> load(const char* at) {
  return static_cast<compute_t<T>>(*reinterpret_cast<const T*>(at));
}

template <typename T, typename R, size_t... I, typename F>
inline void contiguous(F f, char* const* data, int64_t n, std::index_sequence<I...>) {
  // Operands may be the very same memory (in-place), never partly overlapping: the loop carries no
  // dependence.
  auto* out = reinterpret_cast<R*>(data[0]);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i)
    out[i] = narrow<R>(f(load<T>(data[I + 1] + i * static_cast<int64_t>(sizeof(T)))...));
}

template <typename T, typename R, size_t... I, typename F>
inline void strided(F f, char* const* data, const int64_t* strides, int64_t n, std::index_sequence<I...>) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    *reinterpret_cast<R*>(data[0] + i * strides[0]) =
        narrow<R>(f(load<T>(data[I + 1] + i * strides[I + 1])...));
  }
}

/// Op::make<T>(params) gives the function of elements; T inputs, R result.
template <typename Op, typename T, typename R, size_t Arity>
void pointwise_loop(char* const* data, const int64_t* strides, int64_t n, const Scalar* params) {
  const auto f = Op::template make<compute_t<T>>(params);
  constexpr auto operands = std::make_index_sequence<Arity>();
  if (n == 1) {  // a number: nothing to look at
    strided<T, R>(f, data, strides, 1, operands);
    return;
  }
  bool dense = strides[0] == sizeof(R);
  for (size_t i = 1; i <= Arity; ++i) dense = dense && strides[i] == sizeof(T);
  if (dense) {
    contiguous<T, R>(f, data, n, operands);
    return;
  }
  if constexpr (Arity == 2) {  // one operand is a single number: it stays in a register
    if (strides[0] == sizeof(R) && strides[1] == sizeof(T) && strides[2] == 0) {
      const compute_t<T> b = load<T>(data[2]);
      contiguous<T, R>([f, b](compute_t<T> a) { return f(a, b); }, data, n, std::index_sequence<0>());
      return;
    }
    if (strides[0] == sizeof(R) && strides[1] == 0 && strides[2] == sizeof(T)) {
      const compute_t<T> a = load<T>(data[1]);
      contiguous<T, R>([f, a](compute_t<T> b) { return f(a, b); }, data, n, std::index_sequence<1>());
      return;
    }
  }
  strided<T, R>(f, data, strides, n, operands);
}

template <typename Op, size_t Arity, typename Result, typename... T>
void register_loops(std::string_view name, Types<T...>) {
  (
      [&] {
        using R = std::conditional_t<std::is_void_v<Result>, T, Result>;
        if constexpr (wanted<T>) register_loop(kLevel, name, dtype_of<T>, &pointwise_loop<Op, T, R, Arity>);
      }(),
      ...);
}

/// `static const Pointwise<Mul, 2, All> mul("mul");` makes a kernel. Result void: the input's type.
template <typename Op, size_t Arity, typename Set, typename Result = void>
struct Pointwise {
  explicit Pointwise(std::string_view name) { register_loops<Op, Arity, Result>(name, Set()); }
};

template <typename T>
inline constexpr bool is_complex_type = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;

}  // namespace ONETAPE_LEVEL
}  // namespace onetape
