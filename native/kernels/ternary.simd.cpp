#include "kernels/pointwise_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

/// self + value · a · b; params: value
struct Addcmul {
  template <typename T>
  static auto make(const Scalar* params) {
    const T value = params[0].to<T>();
    return [value](T self, T a, T b) { return self + value * a * b; };
  }
};
const Pointwise<Addcmul, 3, NumbersAndComplex> addcmul("addcmul_cpu_out");

/// self + value · a / b; params: value
struct Addcdiv {
  template <typename T>
  static auto make(const Scalar* params) {
    const T value = params[0].to<T>();
    return [value](T self, T a, T b) { return self + value * a / b; };
  }
};
const Pointwise<Addcdiv, 3, FloatsAndComplex> addcdiv("addcdiv_cpu_out");

/// The point a part `weight` of the way from a to b, reckoned from the nearer end; rounded once, as in
/// PyTorch.
template <typename T>
T between(T a, T b, T weight) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::abs(weight) < 0.5 ? std::fma(weight, b - a, a) : std::fma(weight - T(1), b - a, b);
  } else {
    return std::abs(weight) < 0.5 ? a + weight * (b - a) : b - (b - a) * (T(1) - weight);
  }
}

/// params: weight
struct LerpNumber {
  template <typename T>
  static auto make(const Scalar* params) {
    const T weight = params[0].to<T>();
    return [weight](T a, T b) { return between(a, b, weight); };
  }
};
const Pointwise<LerpNumber, 2, FloatsAndComplex> lerp_number("lerp_kernel_scalar");

struct Lerp {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b, T weight) { return between(a, b, weight); };
  }
};
const Pointwise<Lerp, 3, FloatsAndComplex> lerp("lerp_kernel_tensor");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
