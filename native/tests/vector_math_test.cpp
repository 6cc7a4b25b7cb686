// The largest errors of the functions in kernels/vector_*.h against the standard library's long double, in
// units of the last place, over a sweep through all bit patterns and a denser one through the numbers near 1.

#include "kernels/vector_math.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kernels/special_functions.h"
#include "kernels/vector_erf.h"
#include "kernels/vector_trig.h"

namespace onetape {
namespace {

namespace vm = base::vm;

/// Distance in units of the last place of the right answer; infinite where one is special and the other is
/// not.
template <typename T>
double distance(T got, long double want) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(rounded) || std::isinf(rounded) || std::isnan(got) || std::isinf(got)) {
    return rounded == got || (std::isnan(rounded) && std::isnan(got)) ? 0 : INFINITY;
  }
  if (got == 0 && want == 0) return std::signbit(got) == std::signbit(want) ? 0 : INFINITY;
  int exponent = 0;
  std::frexp(want, &exponent);
  const int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  const int place = std::max(exponent - std::numeric_limits<T>::digits, lowest);
  return static_cast<double>(std::abs(static_cast<long double>(got) - want) / std::ldexp(1.0L, place));
}

template <typename T>
struct Case {
  const char* name;
  T (*function)(T);
  long double (*reference)(long double);
  double bound;   // of the error
  T largest = 0;  // the argument's bound; 0: there is none
};

template <typename T>
void check_at(const Case<T>& c, T x) {
  if (c.largest > 0 && std::abs(x) > c.largest) return;
  const double error = distance(c.function(x), c.reference(static_cast<long double>(x)));
  EXPECT_LE(error, c.bound) << c.name << "(" << x << ") = " << c.function(x);
}

template <typename T>
void check_everywhere(const Case<T>& c) {
  using Bits = vm::Bits<T>;
  const Bits step = static_cast<Bits>(-1) / 40009;
  for (Bits b = 0; b < static_cast<Bits>(-1) - step; b += step) check_at(c, std::bit_cast<T>(b));
  for (int i = -20000; i <= 20000; ++i) {
    check_at(c, static_cast<T>(i * 0.00025137));
    check_at(c, static_cast<T>(i * 0.04113));
    check_at(c, static_cast<T>(1 + i * 1e-6));
  }
  for (const double x : {0.0,      -0.0,      1.0,    -1.0,    88.72,  88.73,       -103.97, -104.0,
                         89.41,    89.42,     709.78, 709.79,  710.47, 710.48,      -745.13, -745.14,
                         HUGE_VAL, -HUGE_VAL, 5e-324, -5e-324, 1e-45,  std::nan("")}) {
    check_at(c, static_cast<T>(x));
  }
}

template <typename T>
std::vector<Case<T>> cases() {
  return {
      {"exp", vm::exp<T>, std::exp, 1.1},
      {"exp2", vm::exp2<T>, std::exp2, 1.1},
      {"expm1", vm::expm1<T>, std::expm1, 2},
      {"log", vm::log<T>, std::log, 0.9},
      {"log2", vm::log2<T>, std::log2, 1.3},
      {"log10", vm::log10<T>, std::log10, 2},
      {"log1p", vm::log1p<T>, std::log1p, 0.9},
      {"tanh", vm::tanh<T>, std::tanh, 2.2},
      {"sinh", vm::sinh<T>, std::sinh, 2.4},
      {"cosh", vm::cosh<T>, std::cosh, 1.5},
      {"asinh", vm::asinh<T>, std::asinh, 2},
      {"acosh", vm::acosh<T>, std::acosh, 2.2},
      {"atanh", vm::atanh<T>, std::atanh, 2.2},
      {"sin", vm::sin<T>, std::sin, 2.2, vm::kQuadrantBound<T>},
      {"cos", vm::cos<T>, std::cos, 2.2, vm::kQuadrantBound<T>},
      {"tan", vm::tan<T>, std::tan, 3.5, vm::kQuadrantBound<T>},
  };
}

TEST(VectorMath, ErrorsOfFloat) {
  for (const Case<float>& c : cases<float>()) check_everywhere(c);
  check_everywhere<float>({"asin", vm::asin, std::asin, 2.5});
  check_everywhere<float>({"acos", vm::acos, std::acos, 1.5});
  check_everywhere<float>({"atan", vm::atan, std::atan, 2});
  check_everywhere<float>({"erf", vm::erf, std::erf, 1.3});
}

TEST(VectorMath, ErrorsOfDouble) {
  for (const Case<double>& c : cases<double>()) check_everywhere(c);
}

TEST(SpecialFunctions, KnownValues) {
  using std::numbers::egamma;
  using std::numbers::pi;
  EXPECT_NEAR(digamma(1), -egamma, 1e-15);
  EXPECT_NEAR(digamma(0.5), -egamma - 2 * std::numbers::ln2, 1e-14);
  EXPECT_NEAR(digamma(-0.5), 2 - egamma - 2 * std::numbers::ln2, 1e-14);
  EXPECT_EQ(digamma(0.0), -HUGE_VAL);
  EXPECT_EQ(digamma(-0.0), HUGE_VAL);
  EXPECT_TRUE(std::isnan(digamma(-3)));
  EXPECT_NEAR(polygamma(1, 1), pi * pi / 6, 1e-14);
  EXPECT_NEAR(polygamma(1, 0.5), pi * pi / 2, 1e-13);
  EXPECT_NEAR(polygamma(1, -0.5), pi * pi / 2 + 4, 1e-13);
  EXPECT_NEAR(polygamma(2, 1), -2 * hurwitz_zeta(3, 1), 1e-15);
  EXPECT_NEAR(hurwitz_zeta(3, 1), 1.2020569031595942854, 1e-15);
  EXPECT_NEAR(hurwitz_zeta(3, -1.5), hurwitz_zeta(3, 0.5) - 1 / 3.375 - 8, 1e-13);
  EXPECT_NEAR(hurwitz_zeta(4, -1e9 - 0.25), hurwitz_zeta(4, 0.75) + hurwitz_zeta(4, 0.25), 1e-6);
  EXPECT_EQ(hurwitz_zeta(2, -2), HUGE_VAL);
}

TEST(SpecialFunctions, ErfinvUndoesErf) {
  for (double x = -5; x <= 5; x += 0.01)
    EXPECT_NEAR(erfinv(std::erf(x)), x, 1e-15 * std::exp(x * x) + 1e-15) << x;
  EXPECT_EQ(erfinv(1), HUGE_VAL);
  EXPECT_EQ(erfinv(-1), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(erfinv(1.5)));
  EXPECT_NEAR(erfinv(1e-300), 1e-300 * std::sqrt(std::numbers::pi) / 2, 1e-315);
}

}  // namespace
}  // namespace onetape
