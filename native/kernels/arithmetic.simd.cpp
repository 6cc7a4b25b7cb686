#include "kernels/integer_division.h"
#include "kernels/pointwise_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

/// self + alpha * other; params: alpha
struct Add {
  template <typename T>
  static auto make(const Scalar* params) {
    const T alpha = params[0].to<T>();
    return [alpha](T a, T b) { return a + alpha * b; };
  }
};
const Pointwise<Add, 2, All> add("add");

struct Sub {
  template <typename T>
  static auto make(const Scalar* params) {
    const T alpha = params[0].to<T>();
    return [alpha](T a, T b) { return a - alpha * b; };
  }
};
const Pointwise<Sub, 2, NumbersAndComplex> sub("sub");

/// other − alpha · self; params: alpha
struct Rsub {
  template <typename T>
  static auto make(const Scalar* params) {
    const T alpha = params[0].to<T>();
    return [alpha](T a, T b) { return b - alpha * a; };
  }
};
const Pointwise<Rsub, 2, NumbersAndComplex> rsub("rsub");

struct Mul {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return a * b; };
  }
};
const Pointwise<Mul, 2, All> mul("mul");

struct Div {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return a / b; };
  }
};
const Pointwise<Div, 2, FloatsAndComplex> div("div");

/// Quotient rounded towards zero.
struct DivTrunc {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) {
      if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(is_minus_one(checked_divisor(b)) ? T(0) - a : a / b);
      } else {
        return std::trunc(a / b);
      }
    };
  }
};
const Pointwise<DivTrunc, 2, Numbers> div_trunc("div_trunc_cpu");

/// Quotient rounded down; for floats from the exact remainder, so that it agrees with remainder().
struct DivFloor {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) {
      if constexpr (std::is_integral_v<T>) {
        if (is_minus_one(checked_divisor(b))) return static_cast<T>(T(0) - a);
        const T quotient = a / b;
        return static_cast<T>(quotient - ((a % b != 0) && ((a < 0) != (b < 0))));
      } else {
        if (b == 0) return a / b;
        T rest = std::fmod(a, b);
        T quotient = (a - rest) / b;
        if (rest != 0 && (b < 0) != (rest < 0)) quotient -= T(1);
        if (quotient == 0) return std::copysign(T(0), a / b);
        const T down = std::floor(quotient);
        return quotient - down > T(0.5) ? down + T(1) : down;
      }
    };
  }
};
const Pointwise<DivFloor, 2, Numbers> div_floor("div_floor_cpu");

struct Neg {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a) { return -a; };
  }
};
const Pointwise<Neg, 1, NumbersAndComplex> neg("neg");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
