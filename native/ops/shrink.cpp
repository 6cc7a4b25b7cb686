#include "ops.h"
#include "ops/composed.h"

namespace onetape::ops {
namespace {

/// Where |x| is more than the bound, or nan.
Tensor outside(const Tensor& x, const Scalar& bound) { return logical_not(le(abs(x), bound)); }

/// The largest number of a dtype.
double largest(DType dtype) {
  visit_floating("softshrink_check", dtype, [](auto) {});
  if (dtype == DType::F64) return std::numeric_limits<double>::max();
  if (dtype == DType::F32) return std::numeric_limits<float>::max();
  return dtype == DType::F16 ? 65504 : 0x1.fep127;
}

}  // namespace

// ---- hardshrink ----
Tensor hardshrink(Body, const Tensor& self, const Scalar& lambd) {
  visit_floating("hardshrink_cpu", self.dtype(), [](auto) {});
  const auto parts = [lambd](std::span<const Tensor> in) {
    return masked_fill(in[0], logical_not(outside(in[0], lambd)), Scalar(0));
  };
  return composed("HardshrinkBackward0", std::array{self}, parts);
}

// ---- softshrink ----
Tensor softshrink(Body, const Tensor& self, const Scalar& lambd) {
  const double bound = lambd.to<double>();
  const double most = largest(self.dtype());
  check(bound >= 0 && bound <= most, "lambda must be in range [0, ", most, "] for input dtype ",
        scalar_type_name(self.dtype()), ", but found ", bound);
  const auto parts = [lambd](std::span<const Tensor> in) {
    const Tensor& x = in[0];
    const Tensor nearer = where(gt(x, Scalar(0)), sub(x, lambd), add(x, lambd));
    return where(outside(x, lambd), nearer, mul(detach(x), Scalar(0)));
  };
  return composed("SoftshrinkBackward0", std::array{self}, parts);
}

}  // namespace onetape::ops
