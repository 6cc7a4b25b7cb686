#pragma once

#include "ops.h"
#include "ops/pointwise.h"

namespace onetape {

/// A kernel that multiplies grad by the derivative of a function at self. again(grad, self) is the same
/// operator, for its own gradient; curvature(self) is the function's second derivative.
template <typename Again, typename Curvature>
Tensor times_slope(const char* node, const Kernel& kernel, std::initializer_list<Scalar> params,
                   const Tensor& grad, const Tensor& self, Again again, Curvature curvature) {
  PointwiseOp op(node, Target::fresh(), {grad, self});
  return op.record(kernel, params, node, saving(op.keep_if(op.needs(1), 0), op.keep_if(true, 1)),
                   [again, curvature](Backward& g) {
                     const Tensor x = g.saved(1);
                     if (g.needs(0)) g.set(0, again(g.grad(), x));
                     if (g.needs(1)) g.set(1, ops::mul(ops::mul(g.grad(), g.saved(0)), curvature(x)));
                   });
}

/// The same for a function of straight pieces.
template <typename Again>
Tensor times_slope(const char* node, const Kernel& kernel, std::initializer_list<Scalar> params,
                   const Tensor& grad, const Tensor& self, Again again) {
  PointwiseOp op(node, Target::fresh(), {grad, self});
  return op.record(kernel, params, node, saving(op.keep_if(true, 1)), [again](Backward& g) {
    if (g.needs(0)) g.set(0, again(g.grad(), g.saved(0)));
    if (g.needs(1)) g.set(1, ops::zeros_like(g.grad()));
  });
}

}  // namespace onetape
