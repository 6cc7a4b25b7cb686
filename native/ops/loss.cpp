#include "ops.h"
#include "ops/composed.h"
#include "ops/holds.h"

namespace onetape::ops {
namespace {

/// Factor of the gradient of one element, from the gradient of the reduced loss.
Tensor per_element(const Tensor& grad, Reduction reduction, int64_t count) {
  return reduction == Reduction::Mean ? div(grad, Scalar(count)) : grad;
}

/// What both operands broadcast to, in their common dtype; an operand that needs a gradient is a node of its
/// own.
std::pair<Tensor, Tensor> fitted(const Tensor& a, const Tensor& b) {
  const DType dtype = promote(a.dtype(), b.dtype());
  const Ints shape = broadcast_shapes(a.sizes(), b.sizes());
  auto fit = [&](const Tensor& t) {
    const Tensor typed = to_dtype(t, dtype);
    return same(typed.sizes(), shape) ? typed : expand(typed, shape);
  };
  return {fit(a), fit(b)};
}

/// NotImplementedError, in the name of PyTorch's kernel, for other dtypes.
void check_floating(std::string_view kernel, DType dtype) {
  visit_floating(kernel, dtype, [](auto) {});
}

/// −log sigmoid(x), without overflow for large |x| of either sign.
Tensor soft_part(const Tensor& x) { return add(relu(neg(x)), log1p(exp(neg(abs(x))))); }

/// A loss of |input − target|, given as functions of it: the loss, and its slope as a function of the
/// difference.
template <typename Loss, typename Slope>
Tensor distance_loss(const char* node, const char* kernel, const Tensor& input, const Tensor& target,
                     std::string_view reduction, Loss loss, Slope slope) {
  const Reduction mode = parse_reduction(reduction);
  const auto [x, y] = fitted(input, target);
  check_floating(kernel, x.dtype());
  const bool is_recording = recording(x, y);
  Tensor result;
  {
    const GradModeGuard off(false);
    result = reduced(loss(abs(sub(x, y))), mode);
  }
  if (!is_recording) return result;
  return record(result, node, {x, y}, saving(save(x), save(y)), [mode, slope](Backward& g) {
    const Tensor difference = sub(g.saved(0), g.saved(1));
    const Tensor grad = mul(slope(difference), per_element(g.grad(), mode, difference.numel()));
    if (g.needs(0)) g.set(0, grad);
    if (g.needs(1)) g.set(1, neg(grad));
  });
}

/// A logarithm, or −100 where it is less.
Tensor bounded_log(const Tensor& log) { return clamp_min(log, -100); }

}  // namespace

// ---- mse_loss ----
Tensor mse_loss(Body, const Tensor& input, const Tensor& target, std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  const auto [x, y] = fitted(input, target);
  check_floating("mse_cpu", x.dtype());
  const bool is_recording = recording(x, y);
  Tensor result;
  {
    const GradModeGuard off(false);
    result = reduced(square(sub(x, y)), mode);
  }
  if (!is_recording) return result;
  return record(result, "MseLossBackward0", {x, y}, saving(save(x), save(y)), [mode](Backward& g) {
    const Tensor difference = sub(g.saved(0), g.saved(1));
    const Tensor slope = mul(difference, mul(per_element(g.grad(), mode, difference.numel()), Scalar(2)));
    if (g.needs(0)) g.set(0, slope);
    if (g.needs(1)) g.set(1, neg(slope));
  });
}

// ---- l1_loss ----
Tensor l1_loss(Body, const Tensor& input, const Tensor& target, std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  return reduced(abs(sub(input, target)), mode);
}

// ---- smooth_l1_loss ----
Tensor smooth_l1_loss(Body, const Tensor& input, const Tensor& target, std::string_view reduction,
                      double beta) {
  check(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
  if (beta == 0) return l1_loss(input, target, reduction);
  const auto loss = [beta](const Tensor& distance) {
    const Tensor square = div(mul(mul(distance, 0.5), distance), beta);
    return where(lt(distance, beta), square, sub(distance, 0.5 * beta));
  };
  const auto slope = [beta](const Tensor& difference) {
    return clamp(div(difference, beta), std::optional<Scalar>(-1), std::optional<Scalar>(1));
  };
  return distance_loss("SmoothL1LossBackward0", "smooth_l1_cpu", input, target, reduction, loss, slope);
}

// ---- huber_loss ----
Tensor huber_loss(Body, const Tensor& input, const Tensor& target, std::string_view reduction, double delta) {
  check(delta > 0, "huber_loss does not support non-positive values for delta.");
  const auto loss = [delta](const Tensor& distance) {
    const Tensor line = mul(sub(distance, 0.5 * delta), delta);
    return where(le(distance, delta), mul(mul(distance, 0.5), distance), line);
  };
  const auto slope = [delta](const Tensor& difference) {
    return clamp(difference, std::optional<Scalar>(-delta), std::optional<Scalar>(delta));
  };
  return distance_loss("HuberLossBackward0", "huber_cpu", input, target, reduction, loss, slope);
}

// ---- kl_div ----
Tensor kl_div(Body, const Tensor& input, const Tensor& target, std::string_view reduction, bool log_target) {
  const bool by_batch = reduction == "batchmean";
  const Reduction mode = by_batch ? Reduction::Sum : parse_reduction(reduction);
  for (const Tensor& t : {input, target}) {
    check(!is_complex(t.dtype()), "kl_div: Complex inputs not supported.");
    check(is_floating(t.dtype()), "kl_div: Integral inputs not supported.");
  }
  const Tensor losses =
      log_target ? mul(exp(target), sub(target, input)) : sub(xlogy(target, target), mul(target, input));
  const Tensor result = reduced(losses, mode);
  return by_batch && input.dim() > 0 ? div(result, Scalar(input.sizes()[0])) : result;
}

// ---- binary_cross_entropy ----
Tensor binary_cross_entropy(Body, const Tensor& input, const Tensor& target, const Tensor& weight,
                            std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  check_value(same(input.sizes(), target.sizes()), "Using a target size (torch.Size(",
              ShapeText{target.sizes()}, ")) that is different to the input size (torch.Size(",
              ShapeText{input.sizes()}, ")) is deprecated. Please ensure they have the same size.");
  check(input.dtype() == target.dtype(), "Found dtype ", scalar_type_name(target.dtype()), " but expected ",
        scalar_type_name(input.dtype()));
  check_floating("binary_cross_entropy", input.dtype());
  const bool is_recording = recording(input, target);
  Tensor result;
  {
    const GradModeGuard off(false);
    check(!input.has_data() || holds(all(bitwise_and(ge(input, 0), le(input, 1)))),
          "all elements of input should be between 0 and 1");
    Tensor losses =
        sub(mul(sub(target, 1), bounded_log(log1p(neg(input)))), mul(target, bounded_log(log(input))));
    if (weight.defined()) losses = mul(losses, weight);
    result = reduced(losses, mode);
  }
  if (!is_recording) return result;
  return record(result, "BinaryCrossEntropyBackward0", {input, target},
                saving(save(input), save(target), save(weight)), [mode](Backward& g) {
                  const Tensor x = g.saved(0);
                  const Tensor truth = g.saved(1);
                  Tensor grad = per_element(g.grad(), mode, x.numel());
                  if (g.saved(2).defined()) grad = mul(grad, g.saved(2));
                  if (g.needs(0)) {
                    const Tensor variance = clamp_min(mul(rsub(x, 1), x), 1e-12);
                    g.set(0, div(mul(grad, sub(x, truth)), variance));
                  }
                  if (g.needs(1)) {
                    g.set(1, mul(grad, sub(bounded_log(log1p(neg(x))), bounded_log(log(x)))));
                  }
                });
}

// ---- binary_cross_entropy_with_logits ----
Tensor binary_cross_entropy_with_logits(Body, const Tensor& input, const Tensor& target, const Tensor& weight,
                                        const Tensor& pos_weight, std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  check_value(same(input.sizes(), target.sizes()), "Target size (torch.Size(", ShapeText{target.sizes()},
              ")) must be the same as input size (torch.Size(", ShapeText{input.sizes()}, "))");
  check_floating("log_sigmoid_cpu", input.dtype());
  const bool is_recording = recording(input, target);
  Tensor result;
  {
    const GradModeGuard off(false);
    Tensor losses = soft_part(input);
    if (pos_weight.defined()) losses = mul(losses, add(mul(sub(pos_weight, Scalar(1)), target), Scalar(1)));
    losses = add(losses, mul(add(neg(target), Scalar(1)), input));
    if (weight.defined()) losses = mul(losses, weight);
    result = reduced(losses, mode);
  }
  if (!is_recording) return result;
  return record(result, "BinaryCrossEntropyWithLogitsBackward0", {input, target},
                saving(save(input), save(target), save(weight), save(pos_weight)), [mode](Backward& g) {
                  const Tensor& x = g.saved(0);
                  const Tensor& truth = g.saved(1);
                  const Tensor& positive = g.saved(3);
                  Tensor grad = per_element(g.grad(), mode, x.numel());
                  if (g.saved(2).defined()) grad = mul(grad, g.saved(2));
                  if (g.needs(0)) {
                    const Tensor share = positive.defined() ? mul(positive, truth) : truth;
                    const Tensor whole = sub(add(share, Scalar(1)), truth);
                    g.set(0, mul(sub(mul(whole, sigmoid(x)), share), grad));
                  }
                  if (g.needs(1)) {
                    Tensor slope = neg(x);
                    if (positive.defined()) slope = add(slope, mul(soft_part(x), sub(positive, Scalar(1))));
                    g.set(1, mul(slope, grad));
                  }
                });
}

}  // namespace onetape::ops
