#include "ops.h"
#include "ops/reduction_mode.h"

namespace onetape::ops {
namespace {

Tensor reduced(const Tensor& losses, Reduction reduction) {
  switch (reduction) {
    case Reduction::None: return losses;
    case Reduction::Mean: return mean(losses);
    case Reduction::Sum: return sum(losses);
  }
  return losses;
}

/// Factor of the gradient of one element, from the gradient of the reduced loss.
Tensor per_element(const Tensor& grad, Reduction reduction, int64_t count) {
  return reduction == Reduction::Mean ? div(grad, Scalar(count)) : grad;
}

/// What both operands broadcast to, in their common dtype; an operand that needs a gradient is a node of its own.
std::pair<Tensor, Tensor> fitted(const Tensor& a, const Tensor& b) {
  const DType dtype = promote(a.dtype(), b.dtype());
  const Ints shape = broadcast_shapes(a.sizes(), b.sizes());
  auto fit = [&](const Tensor& t) {
    const Tensor typed = to_dtype(t, dtype);
    return same(typed.sizes(), shape) ? typed : expand(typed, shape);
  };
  return {fit(a), fit(b)};
}

/// −log sigmoid(x), without overflow for large |x| of either sign.
Tensor soft_part(const Tensor& x) { return add(relu(neg(x)), log1p(exp(neg(abs(x))))); }

}  // namespace

// ---- mse_loss ----
Tensor mse_loss(const Tensor& input, const Tensor& target, std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  const auto [x, y] = fitted(input, target);
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
Tensor l1_loss(const Tensor& input, const Tensor& target, std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  return reduced(abs(sub(input, target)), mode);
}

// ---- binary_cross_entropy_with_logits ----
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target, const Tensor& weight,
                                        const Tensor& pos_weight, std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  check_value(same(input.sizes(), target.sizes()), "Target size (torch.Size(", ShapeText{target.sizes()},
              ")) must be the same as input size (torch.Size(", ShapeText{input.sizes()}, "))");
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
