#include <numbers>

#include "kernels/pointwise_loops.h"
#include "kernels/vector_erf.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

struct Relu {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T x) { return x < T(0) ? T(0) : x; };  // nan stays
  }
};
const Pointwise<Relu, 1, Numbers> relu("relu");

/// gradient where x is above the threshold; params: threshold
struct ThresholdBackward {
  template <typename T>
  static auto make(const Scalar* params) {
    const T threshold = params[0].to<T>();
    return [threshold](T grad, T x) { return x <= threshold ? T(0) : grad; };
  }
};
const Pointwise<ThresholdBackward, 2, Numbers> threshold_backward("threshold_backward");

/// params: slope below 0
struct LeakyRelu {
  template <typename T>
  static auto make(const Scalar* params) {
    const T slope = params[0].to<T>();
    return [slope](T x) { return x > T(0) ? x : x * slope; };
  }
};
const Pointwise<LeakyRelu, 1, Floats> leaky_relu("leaky_relu_cpu");

/// params: slope below 0
struct LeakyReluBackward {
  template <typename T>
  static auto make(const Scalar* params) {
    const T slope = params[0].to<T>();
    return [slope](T grad, T x) { return x > T(0) ? grad : grad * slope; };
  }
};
const Pointwise<LeakyReluBackward, 2, Floats> leaky_relu_backward("leaky_relu_backward_cpu");

struct Gelu {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T x) { return x * T(0.5) * (T(1) + vm::erf(x * T(std::numbers::sqrt2 / 2))); };
  }
};
const Pointwise<Gelu, 1, Floats> gelu("GeluKernelImpl");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
