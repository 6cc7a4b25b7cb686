#pragma once

#include "ops/pointwise.h"

namespace onetape {

/// An operator of one operand whose gradient is written with the operand: gradient(grad, self).
template <typename F>
Tensor by_operand(const char* node, const Kernel& kernel, const Target& to, const Tensor& self, Rule rule,
                  F gradient, std::initializer_list<Scalar> params = {}) {
  PointwiseOp op(node, to, {self}, rule);
  return op.record(
      kernel, params, node, [&op] { return std::array{op.keep_if(true, 0)}; },
      [gradient](Backward& g) { g.set(0, gradient(g.grad(), g.saved(0))); });
}

/// The same with the result: gradient(grad, result).
template <typename F>
Tensor by_result(const char* node, const Kernel& kernel, const Target& to, const Tensor& self, Rule rule,
                 F gradient) {
  PointwiseOp op(node, to, {self}, rule);
  return op.record_with_result(kernel, {}, node,
                               [gradient](Backward& g) { g.set(0, gradient(g.grad(), g.saved(0))); });
}

/// The same with neither: gradient(grad).
template <typename F>
Tensor by_gradient(const char* node, const Kernel& kernel, const Target& to, const Tensor& self, Rule rule,
                   F gradient, std::initializer_list<Scalar> params = {}) {
  PointwiseOp op(node, to, {self}, rule);
  return op.record(kernel, params, node, [gradient](Backward& g) { g.set(0, gradient(g.grad())); });
}

}  // namespace onetape
