#include "ops.h"
#include "ops/pointwise.h"

namespace onetape::impl {

// ---- bitwise_and ----
Tensor bitwise_and(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("bitwise_and_cpu");
  return PointwiseOp("bitwise_and", to, {self, other}).run(kernel);
}

// ---- bitwise_or ----
Tensor bitwise_or(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("bitwise_or_cpu");
  return PointwiseOp("bitwise_or", to, {self, other}).run(kernel);
}

// ---- bitwise_xor ----
Tensor bitwise_xor(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("bitwise_xor_cpu");
  return PointwiseOp("bitwise_xor", to, {self, other}).run(kernel);
}

// ---- bitwise_left_shift ----
Tensor bitwise_left_shift(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("lshift_cpu");
  return PointwiseOp("bitwise_left_shift", to, {self, other}).run(kernel);
}

// ---- bitwise_right_shift ----
Tensor bitwise_right_shift(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("rshift_cpu");
  return PointwiseOp("bitwise_right_shift", to, {self, other}).run(kernel);
}

// ---- bitwise_not ----
Tensor bitwise_not(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("bitwise_not_cpu");
  return PointwiseOp("bitwise_not", to, {self}).run(kernel);
}

// ---- logical_and ----
Tensor logical_and(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("logical_and");
  return PointwiseOp("logical_and", to, {self, other}, Rule::Compare).run(kernel);
}

// ---- logical_or ----
Tensor logical_or(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("logical_or");
  return PointwiseOp("logical_or", to, {self, other}, Rule::Compare).run(kernel);
}

// ---- logical_xor ----
Tensor logical_xor(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("logical_xor");
  return PointwiseOp("logical_xor", to, {self, other}, Rule::Compare).run(kernel);
}

// ---- logical_not ----
Tensor logical_not(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("logical_not");
  return PointwiseOp("logical_not", to, {self}, Rule::Compare).run(kernel);
}

}  // namespace onetape::impl
