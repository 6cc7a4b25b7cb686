#include <array>
#include <cstring>

#include "ops.h"
#include "ops/copy.h"
#include "ops/pointwise.h"

namespace onetape {
namespace {

/// The in-place form forgets what self was, so its gradients are zero.
Tensor compare(const Kernel& kernel, const Target& to, const Tensor& self, const Tensor& other,
               const char* with_number, const char* with_tensor) {
  const bool recorded = to.is_in_place() && recording(self, other);
  Tensor result = PointwiseOp("compare", to, {self, other}, Rule::Compare).run(kernel);
  if (!recorded) return result;
  const char* node = other.impl()->wrapped_number() ? with_number : with_tensor;
  const std::array<Tensor, 2> inputs = {self, other};
  const Ints shape = other.shape();
  const DType dtype = other.dtype();
  return to.attach(result, make_function(node, std::span<const Tensor>(inputs), std::array<SavedTensor, 0>{},
                                         [shape, dtype](Backward& g) {
                                           if (g.needs(0)) g.set(0, ops::zeros_like(g.grad()));
                                           if (g.needs(1))
                                             g.set(1, ops::zeros(shape, Options{.dtype = dtype}));
                                         }));
}

}  // namespace

namespace impl {

// ---- eq ----
Tensor eq(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("eq");
  return compare(kernel, to, self, other, "EqBackward0", "EqBackward1");
}

// ---- ne ----
Tensor ne(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("ne");
  return compare(kernel, to, self, other, "NeBackward0", "NeBackward1");
}

// ---- lt ----
Tensor lt(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("lt_cpu");
  return compare(kernel, to, self, other, "LtBackward0", "LtBackward1");
}

// ---- le ----
Tensor le(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("le_cpu");
  return compare(kernel, to, self, other, "LeBackward0", "LeBackward1");
}

// ---- gt ----
Tensor gt(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("gt_cpu");
  return compare(kernel, to, self, other, "GtBackward0", "GtBackward1");
}

// ---- ge ----
Tensor ge(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("ge_cpu");
  return compare(kernel, to, self, other, "GeBackward0", "GeBackward1");
}

}  // namespace impl

namespace ops {
namespace {

bool all_true(const Tensor& t) {
  const Tensor flat = dense(t);
  const char* bytes = flat.bytes();
  return std::memchr(bytes, 0, static_cast<size_t>(flat.numel())) == nullptr;
}

}  // namespace

// ---- isclose ----
Tensor isclose(Body, const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  check(self.dtype() == other.dtype(), scalar_type_name(self.dtype()), " did not match ",
        scalar_type_name(other.dtype()));
  check(rtol >= 0, "rtol must be greater than or equal to zero, but got ", rtol);
  check(atol >= 0, "atol must be greater than or equal to zero, but got ", atol);
  Tensor close = eq(self, other);
  if (equal_nan) close = bitwise_or(close, bitwise_and(isnan(self), isnan(other)));
  if (rtol == 0 && atol == 0) return close;
  const Tensor a = detach(is_differentiable(self.dtype()) ? self : to_dtype(self, default_dtype()));
  const Tensor b = detach(is_differentiable(other.dtype()) ? other : to_dtype(other, default_dtype()));
  const Tensor error = abs(sub(a, b));
  const Tensor allowed = add(abs(mul(b, rtol)), atol);
  return bitwise_or(close, bitwise_and(isfinite(error), le(error, allowed)));
}

// ---- allclose ----
bool allclose(Body, const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  const Tensor close = isclose(self, other, rtol, atol, equal_nan);
  return close.has_data() ? all_true(close) : item(all(close)).to<bool>();
}

// ---- equal ----
bool equal(Body, const Tensor& self, const Tensor& other) {
  if (!self.has_data()) refuse_access();
  return same(self.sizes(), other.sizes()) && all_true(eq(self, other));
}

}  // namespace ops
}  // namespace onetape
