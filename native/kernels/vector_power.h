#pragma once

// Powers of two variables (see vector_math.h).

#include <complex>
#include <type_traits>

#include "kernels/vector_math.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace vm {

/// x^y = 2^(y log2 |x|), in double so that the product keeps enough digits; the sign and the special cases as
/// in C.
inline float pow(float base, float exponent) {
  const double x = base;
  const double y = exponent;
  const double a = std::abs(x);
  const auto [n, f] = decompose(a);
  const double s = f / (2 + f);
  // log2(1 + f) / s, by powers of s².
  double log = n + s * polynomial(s * s, 0x1.71547652bee7p+1, 0x1.ec709d1229381p-1, 0x1.2777806cf8652p-1,
                                  0x1.a58d472b6d76ep-2, 0x1.5ced4dd8dac46p-2);
  log = a == 0 ? -kInfinity<double> : log;
  log = a == kInfinity<double> ? a : log;
  const double product = log == 0 ? 0 : y * log;
  const double t = clamp(product, -200.0, 200.0);
  const double shifted = t + Format<double>::kRounder;
  const double r = t - (shifted - Format<double>::kRounder);
  // 2^r for |r| <= ½.
  const double part =
      polynomial(r, 0x1.000000026255dp+0, 0x1.62e430c829926p-1, 0x1.ebfbdadac6817p-3, 0x1.c6aed4606d031p-5,
                 0x1.3b2dbc99139afp-7, 0x1.5f4597d581d95p-10, 0x1.41d2f024a6cc8p-13);
  const double size =
      part * power_of_two<double>(bits(shifted) - bits(Format<double>::kRounder) + Format<double>::kBias);
  const bool whole = std::rint(y) == y;
  const double half = 0.5 * y;
  const bool odd = whole && std::rint(half) != half;
  double result = odd ? std::copysign(size, x) : size;
  result = x < 0 && !whole && a < kInfinity<double> ? kNaN<double> : result;
  result = x == x && y == y ? result : kNaN<double>;
  return static_cast<float>(x == 1 || y == 0 ? 1 : result);
}

inline double pow(double base, double exponent) { return std::pow(base, exponent); }

template <typename R>
std::complex<R> pow(std::complex<R> base, std::complex<R> exponent) {
  return std::pow(base, exponent);
}

/// Integers by squaring, modulo the size of the type. A negative exponent gives the quotient rounded towards
/// zero.
template <typename T>
requires std::is_integral_v<T> T pow(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) return base == 1 ? T(1) : base == -1 ? T(exponent % 2 == 0 ? 1 : -1) : T(0);
  }
  using Unsigned = std::make_unsigned_t<T>;
  uint64_t factor = static_cast<Unsigned>(base);
  uint64_t result = 1;
  for (auto rest = static_cast<Unsigned>(exponent); rest != 0; rest = static_cast<Unsigned>(rest >> 1)) {
    if (rest & 1) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

}  // namespace vm
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
