#include "kernels/unary_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

const Unary<[](auto a) { return a < decltype(a)(0) ? decltype(a)(0) : a; }, Numbers> relu(
    "relu");  // nan stays

/// self where it is above the threshold, else value; params: threshold, value
struct Threshold {
  template <typename T>
  static auto make(const Scalar* params) {
    const T threshold = params[0].to<T>();
    const T value = params[1].to<T>();
    return [threshold, value](T a) { return a <= threshold ? value : a; };
  }
};
const Pointwise<Threshold, 1, Numbers> threshold("threshold_cpu");

/// grad where self is above the threshold, else 0; params: threshold
struct ThresholdBackward {
  template <typename T>
  static auto make(const Scalar* params) {
    const T threshold = params[0].to<T>();
    return [threshold](T grad, T a) { return a <= threshold ? T(0) : grad; };
  }
};
const Pointwise<ThresholdBackward, 2, Numbers> threshold_backward("threshold_backward");

/// params: slope below 0
struct LeakyRelu {
  template <typename T>
  static auto make(const Scalar* params) {
    const T slope = params[0].to<T>();
    return [slope](T a) { return a > T(0) ? a : a * slope; };
  }
};
const Pointwise<LeakyRelu, 1, Floats> leaky_relu("leaky_relu_cpu");

/// params: slope below 0
struct LeakyReluBackward {
  template <typename T>
  static auto make(const Scalar* params) {
    const T slope = params[0].to<T>();
    return [slope](T grad, T a) { return a > T(0) ? grad : grad * slope; };
  }
};
const Pointwise<LeakyReluBackward, 2, Floats> leaky_relu_backward("leaky_relu_backward_cpu");

/// The slope below 0 is the second operand.
struct Prelu {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T slope) { return a > T(0) ? a : slope * a; };
  }
};
const Pointwise<Prelu, 2, Floats> prelu("prelu_cpu");

/// grad where self lies strictly between two bounds, else 0; params: bounds
struct HardtanhBackward {
  template <typename T>
  static auto make(const Scalar* params) {
    const T low = params[0].to<T>();
    const T high = params[1].to<T>();
    return [low, high](T grad, T a) { return a <= low || a >= high ? T(0) : grad; };
  }
};
const Pointwise<HardtanhBackward, 2, Floats> hardtanh_backward("hardtanh_backward_cpu");

/// self brought into [0, 6] after adding 3
template <typename T>
T gate(T a) {
  a += T(3);
  a = a < T(0) ? T(0) : a;
  return a > T(6) ? T(6) : a;
}
const Unary<[](auto a) { return gate(a) / decltype(a)(6); }, Floats> hardsigmoid("hardsigmoid_cpu");
const Unary<[](auto a) { return a * gate(a) / decltype(a)(6); }, Floats> hardswish("hardswish_cpu");

struct HardsigmoidBackward {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T grad, T a) { return a > T(-3) && a < T(3) ? grad / T(6) : T(0); };
  }
};
const Pointwise<HardsigmoidBackward, 2, Floats> hardsigmoid_backward("hardsigmoid_backward");

struct HardswishBackward {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T grad, T a) { return a <= T(-3) ? T(0) : a < T(3) ? grad * (a / T(3) + T(0.5)) : grad; };
  }
};
const Pointwise<HardswishBackward, 2, Floats> hardswish_backward("hardswish_backward_cpu");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
