#include "kernels/integer_division.h"
#include "kernels/pointwise_loops.h"
#include "kernels/vector_math.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

/// What is left of a after taking b off as often as it goes, with the sign of b.
struct Remainder {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) {
      if constexpr (std::is_integral_v<T>) {
        if (is_minus_one(checked_divisor(b))) return T(0);
        const T rest = static_cast<T>(a % b);
        return static_cast<T>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
      } else {
        const T rest = std::fmod(a, b);
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
      }
    };
  }
};
const Pointwise<Remainder, 2, Numbers> remainder("remainder_cpu");

/// The same with the sign of a.
struct Fmod {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) {
      if constexpr (std::is_integral_v<T>) {
        return is_minus_one(checked_divisor(b)) ? T(0) : static_cast<T>(a % b);
      } else {
        return std::fmod(a, b);
      }
    };
  }
};
const Pointwise<Fmod, 2, Numbers> fmod("fmod_cpu");

struct Atan2 {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return std::atan2(a, b); };
  }
};
const Pointwise<Atan2, 2, Floats> atan2("atan2_cpu");

struct Hypot {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return std::hypot(a, b); };
  }
};
const Pointwise<Hypot, 2, Floats> hypot("hypot_cpu");

/// log(exp(a) + exp(b))
struct Logaddexp {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) {
      const T larger = a < b ? b : a;
      const T sum = larger + vm::log1p(vm::exp(-std::abs(a - b)));
      return std::abs(a) == vm::kInfinity<T> && a == b ? a : sum;
    };
  }
};
const Pointwise<Logaddexp, 2, Floats> logaddexp("logaddexp_cpu");

/// a log(b), and 0 where a is 0 and b is not NaN
struct Xlogy {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) {
      const T product = a * vm::log(b);
      return b == b && a == 0 ? T(0) : b == b ? product : b;
    };
  }
};
const Pointwise<Xlogy, 2, Floats> xlogy("xlogy_cpu");

struct Copysign {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return std::copysign(a, b); };
  }
};
const Pointwise<Copysign, 2, Floats> copysign("copysign_cpu");

/// 0 or 1 as a is negative or positive, b where it is 0
struct Heaviside {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return a == T(0) ? b : static_cast<T>(a > T(0)); };
  }
};
const Pointwise<Heaviside, 2, Real> heaviside("heaviside_cpu");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
