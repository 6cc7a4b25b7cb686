#include "ops.h"
#include "ops/pointwise.h"

namespace onetape {
namespace {

bool is_number(const Tensor& t) { return t.impl()->wrapped_number(); }

}  // namespace

namespace impl {

// ---- remainder ----
Tensor remainder(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("remainder_cpu");
  PointwiseOp op("remainder", to, {self, other});
  op.may_fail();
  const bool needs_quotient = op.needs(1);
  return op.record(kernel, {}, is_number(other) ? "RemainderBackward0" : "RemainderBackward1",
                   saving(op.keep_if(needs_quotient, 0), op.keep_if(needs_quotient, 1)), [](Backward& g) {
                     if (g.needs(0)) g.set(0, g.grad());
                     if (g.needs(1))
                       g.set(1, ops::mul(ops::neg(g.grad()), ops::div(g.saved(0), g.saved(1), "floor")));
                   });
}

// ---- fmod ----
Tensor fmod(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("fmod_cpu");
  PointwiseOp op("fmod", to, {self, other});
  op.may_fail();
  const bool needs_quotient = op.needs(1);
  return op.record(kernel, {}, is_number(other) ? "FmodBackward0" : "FmodBackward1",
                   saving(op.keep_if(needs_quotient, 0), op.keep_if(needs_quotient, 1)), [](Backward& g) {
                     if (g.needs(0)) g.set(0, g.grad());
                     if (g.needs(1))
                       g.set(1, ops::mul(ops::neg(g.grad()), ops::div(g.saved(0), g.saved(1), "trunc")));
                   });
}

// ---- floor_divide ----
Tensor floor_divide(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("div_floor_cpu");
  return PointwiseOp("floor_divide", to, {self, other})
      .may_fail()
      .record(kernel, {}, "NotImplemented", [](Backward&) {
        fail(ErrorKind::Runtime, "derivative for aten::floor_divide is not implemented");
      });
}

// ---- atan2 ----
Tensor atan2(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("atan2_cpu");
  PointwiseOp op("atan2", to, {self, other}, Rule::Float);
  return op.record(kernel, {}, "Atan2Backward0", saving(op.keep_if(true, 0), op.keep_if(true, 1)),
                   [](Backward& g) {
                     const Tensor y = g.saved(0);
                     const Tensor x = g.saved(1);
                     const Tensor square = ops::add(ops::mul(y, y), ops::mul(x, x));
                     // As in PyTorch no slope where both are zero.
                     const Tensor scale = ops::masked_fill(ops::reciprocal(square), ops::eq(square, 0), 0);
                     if (g.needs(0)) g.set(0, ops::mul(ops::mul(g.grad(), x), scale));
                     if (g.needs(1)) g.set(1, ops::mul(ops::mul(g.grad(), ops::neg(y)), scale));
                   });
}

// ---- hypot ----
Tensor hypot(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("hypot_cpu");
  PointwiseOp op("hypot", to, {self, other});
  const auto saved = saving(op.keep_if(op.needs(0), 0), op.keep_if(op.needs(1), 1));
  return op.record_with_result(kernel, {}, "HypotBackward0", saved, [](Backward& g) {
    const Tensor length = g.saved(2);
    if (g.needs(0)) g.set(0, ops::mul(g.grad(), ops::div(g.saved(0), length)));
    if (g.needs(1)) g.set(1, ops::mul(g.grad(), ops::div(g.saved(1), length)));
  });
}

// ---- logaddexp ----
Tensor logaddexp(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("logaddexp_cpu");
  PointwiseOp op("logaddexp", to, {self, other});
  return op.record(kernel, {}, "LogaddexpBackward0", saving(op.keep_if(true, 0), op.keep_if(true, 1)),
                   [](Backward& g) {
                     const Tensor difference = ops::sub(g.saved(1), g.saved(0));
                     if (g.needs(0)) g.set(0, ops::div(g.grad(), ops::add(ops::exp(difference), 1)));
                     if (g.needs(1))
                       g.set(1, ops::div(g.grad(), ops::add(ops::exp(ops::neg(difference)), 1)));
                   });
}

// ---- xlogy ----
Tensor xlogy(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("xlogy_cpu");
  PointwiseOp op("xlogy", to, {self, other}, Rule::Float);
  const char* node = is_number(self)    ? "XlogyBackward1"
                     : is_number(other) ? "XlogyBackward2"
                                        : "XlogyBackward0";
  return op.record(kernel, {}, node, saving(op.keep_if(true, 0), op.keep_if(true, 1)), [](Backward& g) {
    const Tensor x = g.saved(0);
    const Tensor y = g.saved(1);
    if (g.needs(0)) {
      const Tensor flat = ops::bitwise_and(ops::eq(x, 0), ops::le(y, 0));
      g.set(0, ops::where(flat, wrapped_number(0), ops::xlogy(g.grad(), y)));
    }
    if (g.needs(1)) g.set(1, ops::div(ops::mul(g.grad(), x), y));
  });
}

// ---- copysign ----
Tensor copysign(Target to, const Tensor& self, const Tensor& other) {
  static const Kernel& kernel = find_kernel("copysign_cpu");
  PointwiseOp op("copysign", to, {self, other}, Rule::Float);
  return op.record(kernel, {}, is_number(other) ? "CopysignBackward1" : "CopysignBackward0",
                   saving(op.keep_if(op.needs(0), 0), op.keep_if(op.needs(0), 1)), [](Backward& g) {
                     if (g.needs(0)) {
                       const Tensor x = g.saved(0);
                       const Tensor turned = ops::div(ops::copysign(x, g.saved(1)), x);
                       g.set(0, ops::mul(g.grad(), ops::where(ops::eq(x, 0), wrapped_number(0), turned)));
                     }
                     if (g.needs(1)) g.set(1, ops::zeros_like(g.grad()));
                   });
}

// ---- heaviside ----
Tensor heaviside(Target to, const Tensor& self, const Tensor& values) {
  static const Kernel& kernel = find_kernel("heaviside_cpu");
  if (is_complex(self.dtype()) || is_complex(values.dtype())) {
    fail(ErrorKind::NotImplemented, "heaviside is not yet implemented for complex tensors.");
  }
  check(self.dtype() == values.dtype(),
        "heaviside is not yet implemented for tensors with different dtypes.");
  return PointwiseOp("heaviside", to, {self, values}).record(kernel, {}, "NotImplemented", [](Backward&) {
    fail(ErrorKind::Runtime, "derivative for aten::heaviside is not implemented");
  });
}

}  // namespace impl
}  // namespace onetape
