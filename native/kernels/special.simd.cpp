#include "kernels/special_functions.h"
#include "kernels/unary_loops.h"
#include "kernels/vector_complex.h"
#include "kernels/vector_erf.h"
#include "kernels/vector_trig.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

const Unary<[](auto a) { return vm::sigmoid(a); }, FloatsAndComplex> sigmoid("sigmoid");

/// grad (1 − y) y, for y = sigmoid(x).
struct SigmoidBackward {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T grad, T y) { return grad * (T(1) - y) * y; };
  }
};
const Pointwise<SigmoidBackward, 2, Floats> sigmoid_backward("sigmoid_backward");

/// log(p / (1 − p)); params: eps, which p keeps away from 0 and 1 (negative: not at all)
struct Logit {
  template <typename T>
  static auto make(const Scalar* params) {
    const T eps = params[0].to<T>();
    const T low = eps < 0 ? -vm::kInfinity<T> : eps;
    const T high = eps < 0 ? vm::kInfinity<T> : T(1) - eps;
    return [low, high](T a) {
      const T p = a < low ? low : (a > high ? high : a);
      return vm::log(p / (T(1) - p));
    };
  }
};
const Pointwise<Logit, 1, Floats> logit("logit_cpu");

const Unary<[](auto a) { return vm::erf(a); }, Floats> erf("erf_vml_cpu");
const Unary<[](auto a) { return std::erfc(a); }, Floats> erfc("erfc_vml_cpu");
const Unary<[](auto a) { return static_cast<decltype(a)>(onetape::erfinv(a)); }, Floats> erfinv(
    "erfinv_vml_cpu");
const Unary<[](auto a) { return static_cast<decltype(a)>(onetape::log_gamma(a)); }, Floats> lgamma(
    "lgamma_vml_cpu");
const Unary<[](auto a) { return static_cast<decltype(a)>(onetape::digamma(a)); }, Floats> digamma("digamma");

/// params: order of the derivative
struct Polygamma {
  template <typename T>
  static auto make(const Scalar* params) {
    const int64_t n = params[0].to<int64_t>();
    return [n](T a) { return static_cast<T>(onetape::polygamma(n, a)); };
  }
};
const Pointwise<Polygamma, 1, Floats> trigamma("trigamma");
const Pointwise<Polygamma, 1, Floats> polygamma("polygamma");

/// params: factor
struct Scale {
  template <typename T>
  static auto make(const Scalar* params) {
    const T factor = params[0].to<T>();
    return [factor](T a) { return a * factor; };
  }
};
const Pointwise<Scale, 1, Floats> scale("scale");

/// sin(πx) / (πx)
struct Sinc {
  template <typename T>
  static constexpr T bound = vm::kQuadrantBound<T> / 4;
  template <typename T>
  static T fast(T a) {
    if constexpr (is_complex_type<T>) {
      const T x = a * vm::kPi<typename T::value_type>;
      return a == T(0) ? T(1) : std::sin(x) / x;
    } else {
      const T x = a * vm::kPi<T>;
      return a == T(0) ? T(1) : vm::sin(x) / x;
    }
  }
  template <typename T>
  static T any(T a) {
    const T x = a * vm::kPi<T>;
    return std::abs(a) > bound<T> ? std::sin(x) / x : fast(a);
  }
};
const Guarded<Sinc> sinc("sinc");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
