#include "kernels/special_functions.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace onetape {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// From here on the asymptotic series below have full precision.
constexpr double kFar = 10;
/// Bernoulli's numbers B2, B4, …
constexpr std::array<double, 8> kBernoulli = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                              5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};

/// The zeta function for x > 0: the first terms, then the Euler-Maclaurin formula for the rest.
double zeta_of_positive(double s, double x) {
  double sum = 0;
  for (; x < kFar; x += 1) sum += std::pow(x, -s);
  const double last = std::pow(x, -s);
  sum += last * (x / (s - 1) + 0.5);
  double factor = s * last / x;  // s (s + 1) … x^(−s − 2k + 1) / (2k)!
  for (size_t k = 1; k <= kBernoulli.size(); ++k) {
    const auto i = static_cast<double>(2 * k);
    factor /= k == 1 ? 2 : i * (i - 1);
    sum += kBernoulli[k - 1] * factor;
    factor *= (s + i - 1) * (s + i) / (x * x);
  }
  return sum;
}

}  // namespace

double digamma(double x) {
  if (x == 0) return std::copysign(kInfinity, -x);
  if (x < 0) {
    const double fraction = x - std::trunc(x);
    if (fraction == 0 || std::isinf(x)) return kNaN;
    return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * fraction);
  }
  if (std::isinf(x)) return x;
  double sum = 0;
  for (; x < kFar; x += 1) sum -= 1 / x;
  sum += std::log(x) - 0.5 / x;
  double power = 1;
  for (size_t k = 1; k <= kBernoulli.size(); ++k) {
    power /= x * x;
    sum -= kBernoulli[k - 1] / static_cast<double>(2 * k) * power;
  }
  return sum;
}

double hurwitz_zeta(int64_t s, double x) {
  const auto exponent = static_cast<double>(s);
  if (std::isnan(x)) return x;
  if (x == kInfinity) return 0;
  if (x > 0) return zeta_of_positive(exponent, x);
  const double fraction = x - std::floor(x);
  if (std::isinf(x)) return kNaN;
  if (fraction == 0) return kInfinity;
  // The sum over all integers depends on the fraction only; what stands below x is taken off.
  const double sign = s % 2 == 0 ? 1 : -1;
  const double below = zeta_of_positive(exponent, 1 - fraction) - zeta_of_positive(exponent, 1 - x);
  return zeta_of_positive(exponent, fraction) + sign * below;
}

double polygamma(int64_t n, double x) {
  if (n == 0) return digamma(x);
  const double size = std::tgamma(static_cast<double>(n) + 1) * hurwitz_zeta(n + 1, x);
  return n % 2 == 0 ? -size : size;
}

double erfinv(double y) {
  const double rest = 1 - std::abs(y);
  if (!(rest > 0)) return rest == 0 ? std::copysign(kInfinity, y) : kNaN;
  // Winitzki's approximation is right to three digits; each of Halley's steps triples them.
  constexpr double a = 0.147;
  const double l = std::log1p(-y * y);
  const double b = 2 / (std::numbers::pi * a) + l / 2;
  double x = std::sqrt(std::sqrt(b * b - l / a) - b);
  if (std::abs(y) < 0.125)
    x = std::abs(y) / std::numbers::inv_sqrtpi * 0.5 * (1 + std::numbers::pi / 12 * y * y);
  for (int step = 0; step < 3; ++step) {
    const double error = rest < 0.5 ? rest - std::erfc(x) : std::erf(x) - std::abs(y);
    const double newton = error / (2 * std::numbers::inv_sqrtpi * std::exp(-x * x));
    x -= newton / (1 + x * newton);
  }
  return std::copysign(x, y);
}

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);  // lgamma itself writes a global variable
}

}  // namespace onetape
