#include "autograd/mode.h"
#include "ops.h"
#include "ops/creation.h"
#include "ops/slope.h"
#include "ops/unary.h"

namespace onetape {
namespace {

/// One slope for all, or one for each channel: in the shape that broadcasts along dimension 1 of self.
Tensor slopes_for(const Tensor& self, const Tensor& weight) {
  check(self.dtype() == weight.dtype(), "prelu: Type promoting not supported. Got ",
        scalar_type_name(self.dtype()), " and ", scalar_type_name(weight.dtype()));
  const int64_t count = weight.numel();
  if (count != 1) {
    check(self.dim() > 0, "Not allow zero-dim input tensor.");
    const int64_t channels = self.dim() > 1 ? self.sizes()[1] : 1;
    check(channels == count,
          "Mismatch of parameter numbers and input channel size. Found parameter numbers = ", count,
          " and channel size = ", channels, ".");
  }
  check(weight.dim() <= 1,
        "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = ", weight.dim());
  Ints shape(static_cast<size_t>(self.dim()), 1);
  if (self.dim() > 1) shape[1] = count;
  return ops::reshape(weight, shape);
}

}  // namespace

namespace impl {

// ---- relu ----
Tensor relu(Target to, const Tensor& self) {
  static const Kernel& kernel = find_kernel("relu");
  if (self.dtype() == DType::Bool) fail(ErrorKind::NotImplemented, "Boolean inputs not supported for relu");
  if (is_complex(self.dtype())) fail(ErrorKind::NotImplemented, "clamp is not supported for complex types");
  return by_result("ReluBackward0", kernel, to, self, Rule::Same, [](const Tensor& grad, const Tensor& y) {
    return ops::threshold_backward(grad, y, Scalar(0));
  });
}

// ---- threshold ----
Tensor threshold(Target to, const Tensor& self, const Scalar& threshold, const Scalar& value) {
  static const Kernel& kernel = find_kernel("threshold_cpu");
  if (kernel.has_loop(self.dtype())) {
    check_convertible(threshold, self.dtype());
    check_convertible(value, self.dtype());
  }
  return by_operand("ThresholdBackward0", kernel, to, self, Rule::Same,
                    [threshold](const Tensor& grad, const Tensor& x) {
                      return ops::threshold_backward(grad, x, threshold);
                    },
                    {threshold, value});
}

// ---- leaky_relu ----
Tensor leaky_relu(Target to, const Tensor& self, double negative_slope) {
  static const Kernel& kernel = find_kernel("leaky_relu_cpu");
  return by_operand("LeakyReluBackward0", kernel, to, self, Rule::Same,
                    [negative_slope](const Tensor& grad, const Tensor& x) {
                      return ops::leaky_relu_backward(grad, x, negative_slope);
                    },
                    {negative_slope});
}

}  // namespace impl

namespace ops {

// ---- prelu ----
Tensor prelu(Body, const Tensor& self, const Tensor& weight) {
  static const Kernel& kernel = find_kernel("prelu_cpu");
  const Tensor slopes = slopes_for(self, weight);
  PointwiseOp op("prelu", Target::fresh(), {self, slopes});
  return op.record(kernel, {}, "PreluKernelBackward0", saving(op.keep_if(true, 0), op.keep_if(true, 1)),
                   [](Backward& g) {
                     const Tensor x = g.saved(0);
                     const Tensor above = gt(x, 0);
                     if (g.needs(0)) g.set(0, where(above, g.grad(), mul(g.saved(1), g.grad())));
                     if (g.needs(1)) g.set(1, where(above, wrapped_number(0), mul(x, g.grad())));
                   });
}

// ---- hardtanh ----
Tensor hardtanh(Body, const Tensor& self, const Scalar& min_val, const Scalar& max_val) {
  check_value(min_val.to<double>() <= max_val.to<double>(), "min_val cannot be greater than max_val");
  if (self.dtype() == DType::Bool) fail(ErrorKind::NotImplemented, "Bool inputs not supported for hardtanh");
  Scalar low = min_val;
  Scalar high = max_val;
  if (is_integral(self.dtype())) {  // integers stay integers
    low = min_val.to<int64_t>();
    high = max_val.to<int64_t>();
  }
  const bool recorded = recording(self);
  Tensor result;
  {
    const GradModeGuard off(false);
    result = clamp(self, low, high);
  }
  if (!recorded) return result;
  return record(std::move(result), "HardtanhBackward0", {self}, saving(save(self)),
                [low, high](Backward& g) { g.set(0, hardtanh_backward(g.grad(), g.saved(0), low, high)); });
}

// ---- relu6 ----
Tensor relu6(Body, const Tensor& self) { return hardtanh(self, 0, 6); }

// ---- hardsigmoid ----
Tensor hardsigmoid(Body, const Tensor& self) {
  static const Kernel& kernel = find_kernel("hardsigmoid_cpu");
  return by_operand("HardsigmoidBackward0", kernel, Target::fresh(), self, Rule::Same,
                    [](const Tensor& grad, const Tensor& x) { return hardsigmoid_backward(grad, x); });
}

// ---- hardswish ----
Tensor hardswish(Body, const Tensor& self) {
  static const Kernel& kernel = find_kernel("hardswish_cpu");
  return by_operand("HardswishBackward0", kernel, Target::fresh(), self, Rule::Same,
                    [](const Tensor& grad, const Tensor& x) { return hardswish_backward(grad, x); });
}

// ---- softsign ----
Tensor softsign(Body, const Tensor& input) { return div(input, add(abs(input), 1)); }

// ---- threshold_backward ----
Tensor threshold_backward(Body, const Tensor& grad_output, const Tensor& self, const Scalar& threshold) {
  static const Kernel& kernel = find_kernel("threshold_backward");
  return times_slope(
      "ThresholdBackwardBackward0", kernel, {threshold}, grad_output, self,
      [threshold](const Tensor& grad, const Tensor& x) { return threshold_backward(grad, x, threshold); });
}

// ---- leaky_relu_backward ----
Tensor leaky_relu_backward(Body, const Tensor& grad_output, const Tensor& self, double negative_slope) {
  static const Kernel& kernel = find_kernel("leaky_relu_backward_cpu");
  return times_slope("LeakyReluBackwardBackward0", kernel, {negative_slope}, grad_output, self,
                     [negative_slope](const Tensor& grad, const Tensor& x) {
                       return leaky_relu_backward(grad, x, negative_slope);
                     });
}

// ---- hardtanh_backward ----
Tensor hardtanh_backward(Body, const Tensor& grad_output, const Tensor& self, const Scalar& min_val,
                         const Scalar& max_val) {
  static const Kernel& kernel = find_kernel("hardtanh_backward_cpu");
  return times_slope("HardtanhBackwardBackward0", kernel, {min_val, max_val}, grad_output, self,
                     [min_val, max_val](const Tensor& grad, const Tensor& x) {
                       return hardtanh_backward(grad, x, min_val, max_val);
                     });
}

// ---- hardsigmoid_backward ----
Tensor hardsigmoid_backward(Body, const Tensor& grad_output, const Tensor& self) {
  static const Kernel& kernel = find_kernel("hardsigmoid_backward");
  return times_slope("HardsigmoidBackwardBackward0", kernel, {}, grad_output, self,
                     [](const Tensor& grad, const Tensor& x) { return hardsigmoid_backward(grad, x); });
}

// ---- hardswish_backward ----
Tensor hardswish_backward(Body, const Tensor& grad_output, const Tensor& self) {
  static const Kernel& kernel = find_kernel("hardswish_backward_cpu");
  return times_slope(
      "HardswishBackwardBackward0", kernel, {}, grad_output, self,
      [](const Tensor& grad, const Tensor& x) { return hardswish_backward(grad, x); },
      [](const Tensor& x) {
        const Tensor bent = bitwise_and(gt(x, -3), lt(x, 3));
        return where(bent, wrapped_number(1.0 / 3), zeros_like(x));
      });
}

}  // namespace ops
}  // namespace onetape
