#include <numbers>

#include "kernels/unary_loops.h"
#include "kernels/vector_erf.h"
#include "kernels/vector_math.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

// ---- gelu ----

template <typename T>
constexpr T kRootHalf = T(std::numbers::sqrt2 / 2);
template <typename T>
constexpr T kGate = T(std::numbers::sqrt2* std::numbers::inv_sqrtpi);  // √(2/π)
template <typename T>
constexpr T kCubic = T(0.044715);

/// Φ(a), the normal distribution function
template <typename T>
T normal(T a) {
  return T(0.5) * (T(1) + vm::erf(a * kRootHalf<T>));
}
const Unary<[](auto a) { return a * normal(a); }, Floats> gelu("GeluKernelImpl");

/// tanh of the polynomial that stands for the argument of Φ
template <typename T>
T tanh_gate(T a) {
  return vm::tanh(kGate<T> * (a + kCubic<T> * a * a * a));
}
const Unary<[](auto a) { return decltype(a)(0.5) * a * (decltype(a)(1) + tanh_gate(a)); }, Floats> gelu_tanh(
    "gelu_tanh");

struct GeluBackward {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T grad, T a) {
      const T density = T(std::numbers::inv_sqrtpi) * kRootHalf<T> * vm::exp(T(-0.5) * a * a);
      return grad * (normal(a) + a * density);
    };
  }
};
const Pointwise<GeluBackward, 2, Floats> gelu_backward("GeluBackwardKernelImpl");

struct GeluTanhBackward {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T grad, T a) {
      const T t = tanh_gate(a);
      const T rate = kGate<T> * (T(1) + T(3) * kCubic<T> * a * a);
      return grad * T(0.5) * ((T(1) + t) + a * (T(1) - t * t) * rate);
    };
  }
};
const Pointwise<GeluTanhBackward, 2, Floats> gelu_tanh_backward("gelu_tanh_backward");

// ---- silu, mish ----

const Unary<[](auto a) { return a / (decltype(a)(1) + vm::exp(-a)); }, Floats> silu("silu_cpu");

struct SiluBackward {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T grad, T a) {
      const T s = vm::sigmoid(a);
      return grad * s * (T(1) + a * (T(1) - s));
    };
  }
};
const Pointwise<SiluBackward, 2, Floats> silu_backward("silu_backward_cpu");

const Unary<[](auto a) { return a * vm::tanh(vm::log1p(vm::exp(a))); }, Floats> mish("mish_cpu");

struct MishBackward {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T grad, T a) {
      const T s = vm::sigmoid(a);
      const T t = vm::tanh(vm::log1p(vm::exp(a)));
      return grad * (t + a * s * (T(1) - t * t));
    };
  }
};
const Pointwise<MishBackward, 2, Floats> mish_backward("mish_backward_cpu");

// ---- elu ----

/// params: factor of all, factor below 0, factor of the exponent
struct Elu {
  template <typename T>
  static auto make(const Scalar* params) {
    const T scale = params[0].to<T>();
    const T below = params[1].to<T>();
    const T rate = params[2].to<T>();
    return [=](T a) { return a < T(0) ? below * vm::expm1(a * rate) : a * scale; };
  }
};
const Pointwise<Elu, 1, Floats> elu("elu_cpu");

/// params: slope above 0, slope at 0 from below, factor of the exponent
struct EluBackward {
  template <typename T>
  static auto make(const Scalar* params) {
    const T scale = params[0].to<T>();
    const T below = params[1].to<T>();
    const T rate = params[2].to<T>();
    return [=](T grad, T a) { return a <= T(0) ? grad * below * vm::exp(a * rate) : grad * scale; };
  }
};
const Pointwise<EluBackward, 2, Floats> elu_backward("elu_backward_cpu");

// ---- softplus, log_sigmoid ----

/// log(1 + e^(βa)) / β, and a itself where βa is above the threshold; params: β, threshold
struct Softplus {
  template <typename T>
  static auto make(const Scalar* params) {
    const T beta = params[0].to<T>();
    const T threshold = params[1].to<T>();
    return [=](T a) { return a * beta > threshold ? a : vm::log1p(vm::exp(a * beta)) / beta; };
  }
};
const Pointwise<Softplus, 1, Floats> softplus("softplus_cpu");

struct SoftplusBackward {
  template <typename T>
  static auto make(const Scalar* params) {
    const T beta = params[0].to<T>();
    const T threshold = params[1].to<T>();
    return [=](T grad, T a) { return a * beta > threshold ? grad : grad * vm::sigmoid(a * beta); };
  }
};
const Pointwise<SoftplusBackward, 2, Floats> softplus_backward("softplus_backward_cpu");

template <typename T>
T log_sigmoid_of(T a) {
  const T negative = a > T(0) ? T(0) : a;
  return negative - vm::log1p(vm::exp(-std::abs(a)));
}
const Unary<[](auto a) { return log_sigmoid_of(a); }, Floats> log_sigmoid("log_sigmoid_cpu");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
