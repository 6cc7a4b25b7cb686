#pragma once

// Trigonometric functions of float and double without branches (see vector_math.h). sin, cos and tan hold for
// |x| <= kQuadrantBound; loops over them look for larger arguments first.

#include "kernels/vector_math.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace vm {

template <typename T>
inline constexpr T kPi = T(0x1.921fb54442d18p+1);
/// Up to here a multiple of π/2 is counted exactly and taken off x without loss.
template <typename T>
inline constexpr T kQuadrantBound = T(0x1p20);

// ---- sin, cos, tan ----

/// x as q π/2 + r with |r| <= π/4; q modulo the size of Bits.
template <typename T>
struct Quadrant {
  T r;
  Bits<T> q;
};

inline Quadrant<double> reduce_quadrant(double x) {
  using F = Format<double>;
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  const double shifted = x * two_over_pi + F::kRounder;
  const double n = shifted - F::kRounder;
  // π/2 in three parts: the products with n of the first two are exact.
  const double r = ((x - n * 0x1.921fb544p+0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2e037073p-69;
  return {r, bits(shifted)};
}

inline Quadrant<float> reduce_quadrant(float x) {
  const double wide = x;
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  const double n = (wide * two_over_pi + Format<double>::kRounder) - Format<double>::kRounder;
  const double r = (wide - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34;
  return {static_cast<float>(r), bits(static_cast<float>(n) + Format<float>::kRounder)};
}

/// sin r for |r| <= π/4.
template <typename T>
inline T sin_core(T r) {
  const T z = r * r;
  if constexpr (std::is_same_v<T, float>) {
    return r + r * z * polynomial(z, -0x1.555546p-3f, 0x1.110756p-7f, -0x1.994b4p-13f);
  } else {
    return r + r * z *
                   polynomial(z, -0x1.5555555555549p-3, 0x1.111111110f842p-7, -0x1.a01a019c0a2bbp-13,
                              0x1.71de3570ff44p-19, -0x1.ae5e60c5b0306p-26, 0x1.5d915e55e2021p-33);
  }
}

/// cos r for |r| <= π/4.
template <typename T>
inline T cos_core(T r) {
  const T z = r * r;
  T rest;
  if constexpr (std::is_same_v<T, float>) {
    rest = polynomial(z, 0x1.55554ap-5f, -0x1.6c0c82p-10f, 0x1.99ff4p-16f);
  } else {
    rest = polynomial(z, 0x1.555555555554cp-5, -0x1.6c16c16c1514p-10, 0x1.a01a019cab747p-16,
                      -0x1.27e4f805332c7p-22, 0x1.1ee9e88ff143ep-29, -0x1.8facd0c899352p-37);
  }
  return T(1) - (T(0.5) * z - z * z * rest);
}

/// ±sin r or ±cos r, as the quadrant says.
template <typename T>
inline T sin_in_quadrant(T r, Bits<T> q) {
  const T value = (q & 1) != 0 ? cos_core(r) : sin_core(r);
  return from_bits<T>(bits(value) ^ ((q & 2) << (sizeof(T) * 8 - 2)));
}

template <typename T>
inline T sin(T x) {
  const auto [r, q] = reduce_quadrant(x);
  return x == T(0) ? x : sin_in_quadrant(r, q);
}

template <typename T>
inline T cos(T x) {
  const auto [r, q] = reduce_quadrant(x);
  return sin_in_quadrant(r, q + 1);
}

template <typename T>
inline T tan(T x) {
  const auto [r, q] = reduce_quadrant(x);
  const T s = sin_core(r);
  const T c = cos_core(r);
  const bool odd = (q & 1) != 0;
  return x == T(0) ? x : (odd ? -c : s) / (odd ? s : c);
}

// ---- asin, acos, atan of float ----

/// asin x for |x| <= ½.
inline float asin_core(float x) {
  const float z = x * x;
  return x + x * z *
                 polynomial(z, 0x1.55554cp-3f, 0x1.33388ep-4f, 0x1.6cac3cp-5f, 0x1.04a656p-5f, 0x1.d7f23ep-7f,
                            0x1.33bbc8p-5f);
}

inline float asin(float x) {
  const float a = std::abs(x);
  const bool outer = a > 0.5f;
  const float inner = asin_core(outer ? std::sqrt(0.5f * (1 - a)) : a);  // asin a = π/2 − 2 asin √((1 − a)/2)
  return std::copysign(outer ? kPi<float> / 2 - 2 * inner : inner, x);
}

inline float acos(float x) {
  const float a = std::abs(x);
  const bool outer = a > 0.5f;
  const float inner = asin_core(outer ? std::sqrt(0.5f * (1 - a)) : x);
  const float twice = 2 * inner;
  const float far = x < 0 ? kPi<float> - twice : twice;
  return outer ? far : kPi<float> / 2 - inner;
}

inline float atan(float x) {
  const float a = std::abs(x);
  const bool outer = a > 1;
  const float t = (outer ? 1 : a) / (outer ? a : 1);
  const float z = t * t;
  const float inner =
      t + t * z *
              polynomial(z, -0x1.55554p-2f, 0x1.999276p-3f, -0x1.2426f8p-3f, 0x1.c0d282p-4f, -0x1.58dc6p-4f,
                         0x1.dd0e7ap-5f, -0x1.01af22p-5f, 0x1.6a8ea6p-7f, -0x1.defd06p-10f);
  return std::copysign(outer ? kPi<float> / 2 - inner : inner, x);
}

// In double the standard library's are used: their polynomials are too long to pay.
inline double asin(double x) { return std::asin(x); }
inline double acos(double x) { return std::acos(x); }
inline double atan(double x) { return std::atan(x); }

}  // namespace vm
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
