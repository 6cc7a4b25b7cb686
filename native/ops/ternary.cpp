#include "ops.h"
#include "ops/creation.h"
#include "ops/pointwise.h"
#include "ops/type_words.h"

namespace onetape {
namespace {

void check_same_dtype(const Tensor& self, const Tensor& other, const char* name) {
  check(self.dtype() == other.dtype(), "expected dtype ", type_words(self.dtype()), " for `", name,
        "` but got dtype ", type_words(other.dtype()));
}

/// The factor that numbers of the result's dtype are multiplied by; half precision is calculated in float.
void check_value(const Kernel& kernel, const Scalar& value, DType dtype) {
  if (!kernel.has_loop(dtype)) return;
  check_convertible(value, dtype == DType::F16 || dtype == DType::BF16 ? DType::F32 : dtype);
}

}  // namespace

namespace impl {

// ---- addcmul ----
Tensor addcmul(Target to, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
               const Scalar& value) {
  static const Kernel& kernel = find_kernel("addcmul_cpu_out");
  PointwiseOp op("addcmul", to, {self, tensor1, tensor2});
  check_value(kernel, value, op.dtype());
  return op.record(kernel, {value}, "AddcmulBackward0",
                   saving(op.keep_if(op.needs(2), 1), op.keep_if(op.needs(1), 2)), [value](Backward& g) {
                     if (g.needs(0)) g.set(0, g.grad());
                     if (g.needs(1)) g.set(1, ops::mul(g.grad(), ops::conj(ops::mul(g.saved(1), value))));
                     if (g.needs(2)) g.set(2, ops::mul(g.grad(), ops::conj(ops::mul(g.saved(0), value))));
                   });
}

// ---- addcdiv ----
Tensor addcdiv(Target to, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
               const Scalar& value) {
  static const Kernel& kernel = find_kernel("addcdiv_cpu_out");
  check(
      is_differentiable(tensor1.dtype()) || is_differentiable(tensor2.dtype()),
      "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
      "true "
      "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
      "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
      "tensor2) for "
      "float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 "
      "/ tensor2), "
      "for all dtypes.");
  PointwiseOp op("addcdiv", to, {self, tensor1, tensor2});
  check_value(kernel, value, op.dtype());
  return op.record(kernel, {value}, "AddcdivBackward0",
                   saving(op.keep_if(op.needs(2), 1), op.keep_if(true, 2)), [value](Backward& g) {
                     const Tensor divisor = g.saved(1);
                     if (g.needs(0)) g.set(0, g.grad());
                     if (g.needs(1))
                       g.set(1, ops::mul(g.grad(), ops::conj(ops::div(wrapped_number(value), divisor))));
                     if (g.needs(2)) {
                       const Tensor slope = ops::div(ops::mul(g.saved(0), value), ops::mul(divisor, divisor));
                       g.set(2, ops::neg(ops::mul(g.grad(), ops::conj(slope))));
                     }
                   });
}

// ---- lerp ----
Tensor lerp(Target to, const Tensor& self, const Tensor& end, const Tensor& weight) {
  static const Kernel& by_number = find_kernel("lerp_kernel_scalar");
  static const Kernel& by_tensor = find_kernel("lerp_kernel_tensor");
  check_same_dtype(self, end, "end");
  if (weight.impl()->wrapped_number()) {
    const Scalar part = item(weight);
    PointwiseOp op("lerp", to, {self, end});
    check_value(by_number, part, op.dtype());
    return op.record(by_number, {part}, "LerpBackward0", [part](Backward& g) {
      const Tensor weight = wrapped_number(part);
      if (g.needs(0)) g.set(0, ops::mul(g.grad(), ops::conj(ops::rsub(weight, 1))));
      if (g.needs(1)) g.set(1, ops::mul(g.grad(), ops::conj(weight)));
    });
  }
  check_same_dtype(self, weight, "weight");
  PointwiseOp op("lerp", to, {self, end, weight});
  return op.record(by_tensor, {}, "LerpBackward1",
                   saving(op.keep_if(op.needs(2), 0), op.keep_if(op.needs(2), 1), op.keep_if(true, 2)),
                   [](Backward& g) {
                     const Tensor weight = g.saved(2);
                     if (g.needs(0)) g.set(0, ops::mul(g.grad(), ops::conj(ops::rsub(weight, 1))));
                     if (g.needs(1)) g.set(1, ops::mul(g.grad(), ops::conj(weight)));
                     if (g.needs(2))
                       g.set(2, ops::mul(g.grad(), ops::conj(ops::sub(g.saved(1), g.saved(0)))));
                   });
}

}  // namespace impl
}  // namespace onetape
