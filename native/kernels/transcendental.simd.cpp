#include "kernels/unary_loops.h"
#include "kernels/vector_complex.h"
#include "kernels/vector_math.h"
#include "kernels/vector_trig.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

const Unary<[](auto a) { return vm::exp(a); }, FloatsAndComplex> exp("exp");
const Unary<[](auto a) { return vm::exp2(a); }, FloatsAndComplex> exp2("exp2");
const Unary<[](auto a) { return vm::expm1(a); }, FloatsAndComplex> expm1("expm1");
const Unary<[](auto a) { return vm::log(a); }, FloatsAndComplex> log("log");
const Unary<[](auto a) { return vm::log2(a); }, FloatsAndComplex> log2("log2");
const Unary<[](auto a) { return vm::log10(a); }, FloatsAndComplex> log10("log10");
const Unary<[](auto a) { return vm::log1p(a); }, FloatsAndComplex> log1p("log1p");

struct Sin {
  template <typename T>
  static constexpr T bound = vm::kQuadrantBound<T>;
  template <typename T>
  static T fast(T a) {
    return vm::sin(a);
  }
  template <typename T>
  static T any(T a) {
    return std::abs(a) > bound<T> ? std::sin(a) : vm::sin(a);
  }
};
const Guarded<Sin> sin("sin");

struct Cos {
  template <typename T>
  static constexpr T bound = vm::kQuadrantBound<T>;
  template <typename T>
  static T fast(T a) {
    return vm::cos(a);
  }
  template <typename T>
  static T any(T a) {
    return std::abs(a) > bound<T> ? std::cos(a) : vm::cos(a);
  }
};
const Guarded<Cos> cos("cos");

struct Tan {
  template <typename T>
  static constexpr T bound = vm::kQuadrantBound<T>;
  template <typename T>
  static T fast(T a) {
    return vm::tan(a);
  }
  template <typename T>
  static T any(T a) {
    return std::abs(a) > bound<T> ? std::tan(a) : vm::tan(a);
  }
};
const Guarded<Tan> tan("tan");

const Unary<[](auto a) { return vm::asin(a); }, FloatsAndComplex> asin("asin");
const Unary<[](auto a) { return vm::acos(a); }, FloatsAndComplex> acos("acos");
const Unary<[](auto a) { return vm::atan(a); }, FloatsAndComplex> atan("atan");
const Unary<[](auto a) { return vm::sinh(a); }, FloatsAndComplex> sinh("sinh");
const Unary<[](auto a) { return vm::cosh(a); }, FloatsAndComplex> cosh("cosh");
const Unary<[](auto a) { return vm::tanh(a); }, FloatsAndComplex> tanh("tanh");
const Unary<[](auto a) { return vm::asinh(a); }, FloatsAndComplex> asinh("asinh");
const Unary<[](auto a) { return vm::acosh(a); }, FloatsAndComplex> acosh("acosh");
const Unary<[](auto a) { return vm::atanh(a); }, FloatsAndComplex> atanh("atanh");

/// grad (1 − y²), for y = tanh(x).
struct TanhBackward {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T grad, T y) { return grad * (T(1) - y * y); };
  }
};
const Pointwise<TanhBackward, 2, Floats> tanh_backward("tanh_backward");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
