#include "kernels/pointwise_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

/// The larger of two; NaN if one is.
struct Maximum {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return a >= b || a != a ? a : b; };
  }
};
const Pointwise<Maximum, 2, Real> maximum("maximum_cpu");

struct Minimum {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return a <= b || a != a ? a : b; };
  }
};
const Pointwise<Minimum, 2, Real> minimum("minimum_cpu");

/// The larger of two; NaN only if both are.
struct Fmax {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return a >= b || b != b ? a : b; };
  }
};
const Pointwise<Fmax, 2, Real> fmax("fmax");

struct Fmin {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T a, T b) { return a <= b || b != b ? a : b; };
  }
};
const Pointwise<Fmin, 2, Real> fmin("fmin");

/// Of grad, what goes to a where the larger of a and b was taken: half if they are equal.
struct MaximumBackward {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T grad, T a, T b) { return a < b ? T(0) : a == b ? grad / T(2) : grad; };
  }
};
const Pointwise<MaximumBackward, 3, Floats> maximum_backward("maximum_backward");

struct MinimumBackward {
  template <typename T>
  static auto make(const Scalar*) {
    return [](T grad, T a, T b) { return a > b ? T(0) : a == b ? grad / T(2) : grad; };
  }
};
const Pointwise<MinimumBackward, 3, Floats> minimum_backward("minimum_backward");

/// self within bounds of its own; NaN if one of the three is.
struct ClampTensor {
  template <typename T>
  static auto make(const Scalar* params) {
    return [larger = Maximum::make<T>(params), smaller = Minimum::make<T>(params)](T a, T low, T high) {
      return smaller(larger(a, low), high);
    };
  }
};
const Pointwise<ClampTensor, 3, Numbers> clamp_tensor("clamp_cpu");

/// self within bounds; params: least, largest. NaN stays NaN; the upper bound has the last word.
struct Clamp {
  template <typename T>
  static auto make(const Scalar* params) {
    const T low = params[0].to<T>();
    const T high = params[1].to<T>();
    return [low, high](T a) {
      const T b = a < low ? low : a;
      return b > high ? high : b;
    };
  }
};
const Pointwise<Clamp, 1, Numbers> clamp("clamp_scalar_cpu");

/// params: the one bound
struct ClampMin {
  template <typename T>
  static auto make(const Scalar* params) {
    const T low = params[0].to<T>();
    return [low](T a) { return a < low ? low : a; };
  }
};
const Pointwise<ClampMin, 1, Numbers> clamp_min("clamp_min_scalar_cpu");

struct ClampMax {
  template <typename T>
  static auto make(const Scalar* params) {
    const T high = params[0].to<T>();
    return [high](T a) { return a > high ? high : a; };
  }
};
const Pointwise<ClampMax, 1, Numbers> clamp_max("clamp_max_scalar_cpu");

/// grad where self lies between least and largest, else 0, as in PyTorch also at the bounds; params: least,
/// largest, NaN for none
struct ClampBackward {
  template <typename T>
  static auto make(const Scalar* params) {
    const T low = params[0].to<T>();
    const T high = params[1].to<T>();
    return [low, high](T grad, T a) { return a == a && !(a <= low) && !(a >= high) ? grad : T(0); };
  }
};
const Pointwise<ClampBackward, 2, Floats> clamp_backward("clamp_backward");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
