#pragma once

// Exponential, logarithmic and hyperbolic functions of float and double without branches, so that a loop over
// them is vectorised. They hold for every argument: infinities, NaN, signed zeros and subnormal numbers
// included.
//
// The coefficients come from the Remez exchange algorithm, run in 60 digits, which minimises the largest
// relative error over the interval named at each polynomial, and are then rounded to the type.
// tests/vector_math_test.cpp states the errors measured over the whole range.

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#ifndef ONETAPE_LEVEL
#define ONETAPE_LEVEL base
#endif

namespace onetape {
namespace ONETAPE_LEVEL {
namespace vm {

template <typename T>
struct Format;
template <>
struct Format<float> {
  using Bits = uint32_t;
  static constexpr int kMantissa = 23;
  static constexpr Bits kBias = 127;
  static constexpr float kRounder = 0x1.8p23f;     // x + kRounder - kRounder rounds x to an integer
  static constexpr float kLn2High = 0x1.62e4p-1f;  // few bits, so that small multiples are exact
  static constexpr float kLn2Low = 0x1.7f7d1cp-20f;
  static constexpr float kLog10of2High = 0x1.344p-2f;
  static constexpr float kLog10of2Low = 0x1.3509f8p-18f;
  static constexpr float kExpLow = -104;    // e^x is 0 below
  static constexpr float kExpHigh = 89.5f;  // sinh(x) is infinite above
  static constexpr float kTiny = 0x1p-25f;  // 1 + kTiny is 1
};
template <>
struct Format<double> {
  using Bits = uint64_t;
  static constexpr int kMantissa = 52;
  static constexpr Bits kBias = 1023;
  static constexpr double kRounder = 0x1.8p52;
  static constexpr double kLn2High = 0x1.62e42fefa3p-1;
  static constexpr double kLn2Low = 0x1.3de6af278ece6p-42;
  static constexpr double kLog10of2High = 0x1.34413509f7p-2;
  static constexpr double kLog10of2Low = 0x1.3fde623e2566bp-43;
  static constexpr double kExpLow = -746;
  static constexpr double kExpHigh = 710.5;
  static constexpr double kTiny = 0x1p-54;
};

template <typename T>
using Bits = typename Format<T>::Bits;
template <typename T>
inline constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <typename T>
inline constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
template <typename T>
inline constexpr T kLn2 = T(0x1.62e42fefa39efp-1);
template <typename T>
inline constexpr T kLog2e = T(0x1.71547652b82fep+0);
template <typename T>
inline constexpr T kLog10e = T(0x1.bcb7b1526e50ep-2);

template <typename T>
inline Bits<T> bits(T x) {
  return std::bit_cast<Bits<T>>(x);
}
template <typename T>
inline T from_bits(Bits<T> b) {
  return std::bit_cast<T>(b);
}
/// 2 to the power (biased - bias).
template <typename T>
inline T power_of_two(Bits<T> biased) {
  return from_bits<T>(biased << Format<T>::kMantissa);
}

template <typename T>
inline T polynomial(T, T c) {
  return c;
}
/// c0 + c1 x + c2 x² + …
template <typename T, typename... C>
inline T polynomial(T x, T c, C... rest) {
  return c + x * polynomial(x, rest...);
}

/// NaN stays NaN.
template <typename T>
inline T clamp(T x, T low, T high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

// ---- exponentials ----

/// x as n ln 2 + r with |r| <= ln(2)/2; n modulo the size of Bits.
template <typename T>
struct Reduced {
  T r;
  Bits<T> n;
};

template <typename T>
inline Reduced<T> reduce_exp(T x) {
  using F = Format<T>;
  const T shifted = x * kLog2e<T> + F::kRounder;
  const T n = shifted - F::kRounder;
  return {(x - n * F::kLn2High) - n * F::kLn2Low, bits(shifted) - bits(F::kRounder)};
}

/// e^r − 1 for |r| <= ln(2)/2.
template <typename T>
inline T expm1_core(T r) {
  if constexpr (std::is_same_v<T, float>) {
    return r + r * r * polynomial(r, 0x1p-1f, 0x1.5554bp-3f, 0x1.555486p-5f, 0x1.1227fep-7f, 0x1.6d990cp-10f);
  } else {
    return r + r * r *
                   polynomial(r, 0x1p-1, 0x1.5555555555559p-3, 0x1.555555555555ap-5, 0x1.111111110f6aep-7,
                              0x1.6c16c16c1445bp-10, 0x1.a01a01afe53d8p-13, 0x1.a01a01b0b407fp-16,
                              0x1.71ddf8536b1e9p-19, 0x1.27e4c5a709c08p-22, 0x1.af5ebf5a0daap-26,
                              0x1.1f9559e133ae3p-29);
  }
}

/// x · 2^n in two steps, so that results that are subnormal or close to overflow come out right.
template <typename T>
inline T scale(T x, Bits<T> n) {
  const Bits<T> sum = n + 2 * Format<T>::kBias;
  const Bits<T> half = sum >> 1;
  return x * power_of_two<T>(half) * power_of_two<T>(sum - half);
}

template <typename T>
inline T exp(T x) {
  const auto [r, n] = reduce_exp(clamp(x, Format<T>::kExpLow, Format<T>::kExpHigh));
  return scale(T(1) + expm1_core(r), n);
}

template <typename T>
inline T exp2(T x) {
  using F = Format<T>;
  x = clamp(x, F::kExpLow * kLog2e<T>, F::kExpHigh * kLog2e<T>);
  const T shifted = x + F::kRounder;
  const T r = (x - (shifted - F::kRounder)) * kLn2<T>;
  return scale(T(1) + expm1_core(r), bits(shifted) - bits(F::kRounder));
}

/// (e^x − 1) / 4, which does not overflow where sinh does not.
template <typename T>
inline T quarter_expm1(T x) {
  using F = Format<T>;
  const auto [r, n] = reduce_exp(clamp(x, T(-40), F::kExpHigh));
  const T quarter = power_of_two<T>(n + (F::kBias - 2));
  return expm1_core(r) * quarter + (quarter - T(0.25));
}

template <typename T>
inline T expm1(T x) {
  return std::abs(x) < Format<T>::kTiny ? x : quarter_expm1(x) * T(4);
}

// ---- hyperbolic functions ----

template <typename T>
inline T tanh(T x) {
  const T a = clamp(std::abs(x), T(0), T(20));  // the result is 1 long before
  const T e = quarter_expm1(a + a) * T(4);
  const T quotient = e / (e + T(2));
  const T half = T(0.5) * e;
  const T result = a < T(0.35) ? half - half * quotient : quotient;  // equal, but for rounding
  return a < Format<T>::kTiny ? x : std::copysign(result, x);
}

template <typename T>
inline T sinh(T x) {
  const T a = std::abs(x);
  const T quarter = quarter_expm1(a);
  const T result = (quarter + quarter / (quarter * T(4) + T(1))) * T(2);
  return a < Format<T>::kTiny ? x : std::copysign(result, x);
}

template <typename T>
inline T cosh(T x) {
  const T a = clamp(std::abs(x), T(0), Format<T>::kExpHigh);
  const auto [r, n] = reduce_exp(a);
  const T half = scale(T(1) + expm1_core(r), n - 1);
  return half + T(0.25) / half;
}

// ---- logarithms ----

/// x as 2^n (1 + f) with 1 + f between √½ and √2. x positive and finite.
template <typename T>
struct Decomposed {
  T n;
  T f;
};

template <typename T>
inline Decomposed<T> decompose(T x) {
  using F = Format<T>;
  constexpr T lift = T(Bits<T>{1} << (F::kMantissa + 1));
  const bool subnormal = x < std::numeric_limits<T>::min();
  const Bits<T> b = bits(subnormal ? x * lift : x);
  constexpr Bits<T> root_half = std::bit_cast<Bits<T>>(T(0x1.6a09e667f3bcdp-1));
  constexpr Bits<T> one = F::kBias << F::kMantissa;
  // Counted from √½, the exponent field changes where 1 + f must start anew.
  const Bits<T> from_root = b + (one - root_half);
  const Bits<T> exponent = from_root >> F::kMantissa;
  constexpr T to_number = T(Bits<T>{1} << F::kMantissa);
  const T n = from_bits<T>(exponent | bits(to_number)) - (to_number + T(F::kBias));
  const T m = from_bits<T>((from_root & ((Bits<T>{1} << F::kMantissa) - 1)) + root_half);
  return {subnormal ? n - T(F::kMantissa + 1) : n, m - T(1)};
}

/// log(1 + f) for 1 + f between √½ and √2, less the f itself: it is 2 atanh(s) − f with s = f / (2 + f).
template <typename T>
inline T log_core(T f) {
  const T s = f / (T(2) + f);
  const T z = s * s;
  const T half_square = T(0.5) * f * f;
  T rest;
  if constexpr (std::is_same_v<T, float>) {
    rest = z * polynomial(z, 0x1.555554p-1f, 0x1.999a7cp-2f, 0x1.2438a8p-2f, 0x1.e2fdc8p-3f);
  } else {
    rest =
        z * polynomial(z, 0x1.5555555555593p-1, 0x1.999999997fb33p-2, 0x1.2492494217975p-2,
                       0x1.c71c51e7fdc2p-3, 0x1.7466462b67ea9p-3, 0x1.39a0f51c7278ap-3, 0x1.2f0d8db6bcac8p-3);
  }
  return s * (half_square + rest) - half_square;
}

/// What a logarithm is where its argument is not positive and finite.
template <typename T>
inline T log_special(T x, T result) {
  result = x > std::numeric_limits<T>::max() ? x : result;
  result = x == T(0) ? -kInfinity<T> : result;
  return x >= T(0) ? result : kNaN<T>;
}

template <typename T>
inline T log(T x) {
  const auto [n, f] = decompose(x);
  const T result = n * Format<T>::kLn2High + (f + (n * Format<T>::kLn2Low + log_core(f)));
  return log_special(x, result);
}

template <typename T>
inline T log2(T x) {
  const auto [n, f] = decompose(x);
  // log2(e) = 1 + c: the main part of the product, f, is added without rounding it first.
  constexpr T c = T(0x1.71547652b82fep+0 - 1);
  const T rest = log_core(f);
  return log_special(x, n + (f + (f * c + (rest + rest * c))));
}

template <typename T>
inline T log10(T x) {
  const auto [n, f] = decompose(x);
  const T result =
      n * Format<T>::kLog10of2High + (n * Format<T>::kLog10of2Low + (f + log_core(f)) * kLog10e<T>);
  return log_special(x, result);
}

template <typename T>
inline T log1p(T x) {
  const T u = T(1) + x;
  const auto [n, f] = decompose(u);
  const T lost = (x - (u - T(1))) / u;  // of x, when 1 was added
  const T result = n * Format<T>::kLn2High + (f + ((n * Format<T>::kLn2Low + lost) + log_core(f)));
  return std::abs(x) < Format<T>::kTiny ? x : log_special(u, result);
}

// ---- inverse hyperbolic functions ----

template <typename T>
inline T asinh(T x) {
  const T a = std::abs(x);
  const T square = a * a;
  const T small = log1p(a + square / (T(1) + std::sqrt(square + T(1))));
  const T result = a > T(1) / Format<T>::kTiny ? log(a) + kLn2<T> : small;
  return std::copysign(result, x);
}

template <typename T>
inline T acosh(T x) {
  const T t = x - T(1);
  const T small = log1p(t + std::sqrt(t * T(2) + t * t));
  const T result = x > T(1) / Format<T>::kTiny ? log(x) + kLn2<T> : small;
  return x >= T(1) ? result : kNaN<T>;
}

template <typename T>
inline T atanh(T x) {
  const T a = std::abs(x);
  return std::copysign(T(0.5) * log1p((a + a) / (T(1) - a)), x);
}

// ---- sigmoid ----

template <typename T>
inline T sigmoid(T x) {
  return T(1) / (T(1) + exp(-x));
}

}  // namespace vm
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
