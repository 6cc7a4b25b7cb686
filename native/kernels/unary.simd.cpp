#include "kernels/unary_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

/// Complex numbers too, but for the order they lack.
template <typename T>
T absolute(T a) {
  if constexpr (std::is_unsigned_v<T>) {
    return a;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(a < 0 ? -a : a);
  } else {
    return std::abs(a);
  }
}
const Unary<[](auto a) { return absolute(a); }, Numbers> abs("abs_cpu");
const Unary<[](auto a) { return std::abs(a); }, Types<complex64>, float> abs_complex64("abs_complex64");
const Unary<[](auto a) { return std::abs(a); }, Types<complex128>, double> abs_complex128("abs_complex128");

template <typename T>
T sign_of(T a) {
  if constexpr (is_complex_type<T>) {
    const auto size = std::abs(a);
    return size == 0 ? T(0) : a / size;
  } else if constexpr (std::is_same_v<T, bool>) {
    return a;
  } else {
    return static_cast<T>((a > T(0)) - (a < T(0)));
  }
}
const Unary<[](auto a) { return sign_of(a); }, All> sgn("sgn");

const Unary<[](auto a) { return a * a; }, NumbersAndComplex> square("square");
const Unary<[](auto a) { return std::sqrt(a); }, FloatsAndComplex> sqrt("sqrt");
const Unary<[](auto a) { return decltype(a)(1) / std::sqrt(a); }, FloatsAndComplex> rsqrt("rsqrt");
const Unary<[](auto a) { return decltype(a)(1) / a; }, FloatsAndComplex> reciprocal("reciprocal");
const Unary<[](auto a) { return std::conj(a); }, Types<complex64, complex128>> conj("conj");

/// Integers are round already.
template <auto Round, typename T>
T rounded(T a) {
  if constexpr (std::is_integral_v<T>) {
    return a;
  } else {
    return Round(a);
  }
}
const Unary<[](auto a) { return rounded<[](auto b) { return std::floor(b); }>(a); }, Numbers> floor(
    "floor_vml_cpu");
const Unary<[](auto a) { return rounded<[](auto b) { return std::ceil(b); }>(a); }, Numbers> ceil(
    "ceil_vml_cpu");
const Unary<[](auto a) { return rounded<[](auto b) { return std::trunc(b); }>(a); }, Numbers> trunc(
    "trunc_vml_cpu");
const Unary<[](auto a) { return rounded<[](auto b) { return std::rint(b); }>(a); }, Numbers> round(
    "round_vml_cpu");
const Unary<[](auto a) { return a - std::trunc(a); }, Floats> frac("frac_cpu");

/// Rounded to a number of decimal places; params: 10 to the power |decimals|, is decimals negative?
struct RoundDecimals {
  template <typename T>
  static auto make(const Scalar* params) {
    const T power = params[0].to<T>();
    const bool tens = params[1].to<bool>();
    return [power, tens](T a) { return tens ? std::rint(a / power) * power : std::rint(a * power) / power; };
  }
};
const Pointwise<RoundDecimals, 1, Floats> round_decimals("round_cpu");

template <typename T, typename F>
bool in_a_part(T a, F test) {
  if constexpr (is_complex_type<T>) {
    return test(a.real()) || test(a.imag());
  } else if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return test(a);
  }
}
const auto is_nan = [](auto a) { return a != a; };
const auto is_infinite = [](auto a) { return std::abs(a) == std::numeric_limits<decltype(a)>::infinity(); };
const auto is_not_finite = [](auto a) { return !(std::abs(a) <= std::numeric_limits<decltype(a)>::max()); };
const Unary<[](auto a) { return in_a_part(a, is_nan); }, All, bool> isnan("isnan");
const Unary<[](auto a) { return in_a_part(a, is_infinite); }, All, bool> isinf("isinf");
const Unary<[](auto a) { return !in_a_part(a, is_not_finite); }, All, bool> isfinite("isfinite");

/// params: what stands for NaN, ∞ and −∞
struct NanToNum {
  template <typename T>
  static auto make(const Scalar* params) {
    if constexpr (is_complex_type<T>) {
      return [part = make<typename T::value_type>(params)](T a) { return T(part(a.real()), part(a.imag())); };
    } else {
      const T nan = params[0].to<T>();
      const T positive = params[1].to<T>();
      const T negative = params[2].to<T>();
      return [=](T a) {
        a = a == std::numeric_limits<T>::infinity() ? positive : a;
        a = a == -std::numeric_limits<T>::infinity() ? negative : a;
        return a == a ? a : nan;
      };
    }
  }
};
const Pointwise<NanToNum, 1, FloatsAndComplex> nan_to_num("nan_to_num");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
