#include <cmath>

#include "ops.h"
#include "ops/composed.h"

namespace onetape::ops {
namespace {

/// NotImplementedError, in the name of PyTorch's kernel, for other dtypes than float32 and float64.
void check_full_precision(std::string_view kernel, DType dtype) {
  if (dtype != DType::F32 && dtype != DType::F64) {
    fail(ErrorKind::NotImplemented, "\"", kernel, "\" not implemented for '", scalar_type_name(dtype), "'");
  }
}

Tensor sum_last(const Tensor& t) {
  const int64_t last = -1;
  return sum(t, IntSpan(&last, 1));
}

/// (samples, classes) of a loss that also takes one sample alone.
struct Scores {
  int64_t samples;
  int64_t classes;
};

Scores scores_of(const Tensor& input) {
  const auto dims = input.dim();
  check(dims <= 2 && (dims == 0 || input.sizes().back() != 0),
        "Expected non-empty vector or matrix with optional 0-dim batch size, but got: ", input.shape());
  if (dims <= 1) return {1, dims == 0 ? 1 : input.sizes()[0]};
  return {input.sizes()[0], input.sizes()[1]};
}

/// Which class of each sample is the target's: [samples, classes].
Tensor at_class(const Tensor& target, int64_t classes) {
  return eq(arange(Scalar(classes)), unsqueeze(target, 1));
}

Tensor multi_margins(std::span<const Tensor> in, const Scores& scores, int64_t p, double margin) {
  const Tensor x = reshape(in[0], Ints{scores.samples, scores.classes});
  const Tensor& target = in[1];
  Tensor terms = relu(add(sub(x, gather(x, 1, unsqueeze(target, 1))), Scalar(margin)));
  if (p == 2) terms = mul(terms, terms);
  if (in[2].defined()) terms = mul(terms, unsqueeze(index_select(in[2], 0, target), 1));
  terms = masked_fill(terms, at_class(target, scores.classes), Scalar(0));
  return div(sum_last(terms), Scalar(scores.classes));
}

Tensor multilabel_margins(std::span<const Tensor> in, const Scores& scores) {
  const Tensor x = reshape(in[0], Ints{scores.samples, scores.classes});
  const Tensor target = reshape(in[1], Ints{scores.samples, scores.classes});
  const Tensor live = eq(cumsum(to_dtype(lt(target, Scalar(0)), DType::I64), 1), Scalar(0));
  const Tensor none = zeros(Ints{scores.samples, scores.classes + 1}, Options{.dtype = DType::Bool});
  const Tensor listed =
      scatter(none, 1, masked_fill(target, logical_not(live), Scalar(scores.classes)), Scalar(true));
  const Tensor right = narrow(listed, 1, 0, scores.classes);
  const Tensor own = gather(x, 1, masked_fill(target, logical_not(live), Scalar(0)));
  const Tensor pairs = relu(add(sub(unsqueeze(x, 1), unsqueeze(own, 2)), Scalar(1)));
  const Tensor counts = logical_and(unsqueeze(live, 2), unsqueeze(logical_not(right), 1));
  const Tensor kept = masked_fill(pairs, logical_not(counts), Scalar(0));
  const std::array<int64_t, 2> both = {1, 2};
  return div(sum(kept, both), Scalar(scores.classes));
}

}  // namespace

// ---- hinge_embedding_loss ----
Tensor hinge_embedding_loss(Body, const Tensor& input, const Tensor& target, double margin,
                            std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  if (input.dtype() == DType::Bool) {
    fail(ErrorKind::NotImplemented,
         "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
         "`logical_xor()` operator instead.");
  }
  const Tensor none = zeros_like(input);
  const bool whole = !is_differentiable(input.dtype());  // then margins are, too
  check(!whole || std::abs(margin) < 0x1p62, "value cannot be converted to type int64_t without overflow");
  const Scalar gap = whole ? Scalar(static_cast<int64_t>(margin)) : Scalar(margin);
  const Tensor apart = where(ne(target, Scalar(1)), clamp_min(rsub(input, gap), Scalar(0)), none);
  const Tensor close = where(ne(target, Scalar(-1)), input, none);
  return reduced(add(apart, close), mode);
}

// ---- cosine_embedding_loss ----
Tensor cosine_embedding_loss(Body, const Tensor& input1, const Tensor& input2, const Tensor& target,
                             double margin, std::string_view reduction) {
  constexpr double kSmall = 1e-12;  // keeps the lengths from 0
  const Reduction mode = parse_reduction(reduction);
  const int64_t dims = target.dim();
  check(dims <= 1, "0D or 1D target tensor expected, multi-target not supported");
  check(input1.dim() == dims + 1 && input2.dim() == dims + 1, dims, "D target tensor expects ", dims + 1,
        "D input tensors, but found inputs with sizes ", input1.shape(), " and ", input2.shape(), ".");
  const Tensor product = sum_last(mul(input1, input2));
  const Tensor square1 = add(sum_last(mul(input1, input1)), Scalar(kSmall));
  const Tensor square2 = add(sum_last(mul(input2, input2)), Scalar(kSmall));
  const Tensor cosine = div(product, sqrt(mul(square1, square2)));
  const Tensor none = zeros_like(cosine);
  const Tensor close = where(eq(target, Scalar(1)), rsub(cosine, Scalar(1)), none);
  const Tensor apart = where(eq(target, Scalar(-1)), clamp_min(sub(cosine, Scalar(margin)), Scalar(0)), none);
  return reduced(add(close, apart), mode);
}

// ---- margin_ranking_loss ----
Tensor margin_ranking_loss(Body, const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin, std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  check(
      input1.dim() == input2.dim() && input1.dim() == target.dim(),
      "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: torch.Size(",
      ShapeText{input1.sizes()}, "), input2: torch.Size(", ShapeText{input2.sizes()},
      "), target: torch.Size(", ShapeText{target.sizes()}, ") ");
  const Tensor ranked = mul(neg(target), sub(input1, input2));
  return reduced(clamp_min(add(ranked, Scalar(margin)), Scalar(0)), mode);
}

// ---- soft_margin_loss ----
Tensor soft_margin_loss(Body, const Tensor& input, const Tensor& target, std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  check(!recording(target),
        "The function 'soft_margin_loss' is not differentiable with respect to argument 'target'. This input "
        "cannot have requires_grad True.");
  check(is_differentiable(input.dtype()) || input.dtype() == DType::Bool, "result type ",
        scalar_type_name(default_dtype()), " can't be cast to the desired output type ",
        scalar_type_name(input.dtype()));
  const auto parts = [mode](std::span<const Tensor> in) {
    return reduced(log1p(exp(mul(neg(in[1]), in[0]))), mode);
  };
  return composed("SoftMarginLossBackward0", std::array{input, target}, parts);
}

// ---- multi_margin_loss ----
Tensor multi_margin_loss(Body, const Tensor& input, const Tensor& target, int64_t p, double margin,
                         const Tensor& weight, std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  check_value(p == 1 || p == 2, "only p == 1 and p == 2 supported");
  check_value(!weight.defined() || weight.dim() == 1, "weight must be one-dimensional");
  const Scores scores = scores_of(input);
  check(
      target.dim() <= 1 && target.numel() == scores.samples,
      "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
      "size). Expected target size [",
      scores.samples, "], but got ", target.shape(), ". Input has shape ", input.shape(), ".");
  check(!weight.defined() || weight.numel() == scores.classes, "inconsistent weight size, expected ",
        scores.classes, " but got ", weight.defined() ? weight.shape() : Ints{});
  check_full_precision("multi_margin_loss_cpu_kernel", input.dtype());
  check(target.dtype() == DType::I64, "expected scalar type Long but found ",
        scalar_type_name(target.dtype()));
  const Tensor classes = reshape(target, Ints{scores.samples});
  check(!classes.has_data() ||
            !item(any(logical_or(lt(classes, Scalar(0)), ge(classes, Scalar(scores.classes))))).to<bool>(),
        "target out of range");
  const auto parts = [=, alone = input.dim() < 2](std::span<const Tensor> in) {
    const Tensor losses = multi_margins(in, scores, p, margin);
    return reduced(alone ? reshape(losses, Ints{}) : losses, mode);
  };
  return composed("MultiMarginLossBackward0", std::array{input, classes, weight}, parts);
}

// ---- multilabel_margin_loss ----
Tensor multilabel_margin_loss(Body, const Tensor& input, const Tensor& target, std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  const Scores scores = scores_of(input);
  check(target.numel() == input.numel() && target.dim() <= 2 &&
            (input.dim() < 2 || same(target.sizes(), input.sizes())),
        "inconsistent target size: ", target.shape(), " for input of size: ", input.shape());
  check_full_precision("multilabel_margin_loss_forward_out_frame", input.dtype());
  check(target.dtype() == DType::I64, "expected scalar type Long but found ",
        scalar_type_name(target.dtype()));
  check(!target.has_data() ||
            !item(any(logical_or(lt(target, Scalar(-1)), ge(target, Scalar(scores.classes))))).to<bool>(),
        "argument #2 'target' is out of range");
  const auto parts = [=, alone = input.dim() < 2](std::span<const Tensor> in) {
    const Tensor losses = multilabel_margins(in, scores);
    return reduced(alone ? reshape(losses, Ints{}) : losses, mode);
  };
  return composed("MultilabelMarginLossBackward0", std::array{input, target}, parts);
}

// ---- multilabel_soft_margin_loss ----
Tensor multilabel_soft_margin_loss(Body, const Tensor& input, const Tensor& target, const Tensor& weight,
                                   std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  check_index(input.dim() > 0, "Dimension specified as -1 but tensor has no dimensions");
  const Tensor right = mul(target, logsigmoid(input));
  const Tensor wrong = mul(rsub(target, Scalar(1)), logsigmoid(neg(input)));
  Tensor losses = neg(add(right, wrong));
  if (weight.defined()) losses = mul(losses, weight);
  return reduced(div(sum_last(losses), Scalar(input.sizes().back())), mode);
}

// ---- triplet_margin_loss ----
Tensor triplet_margin_loss(Body, const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin, double p, double eps, bool swap, std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  check_value(margin > 0, "margin must be greater than 0, got ", margin);
  check(anchor.dim() == positive.dim() && positive.dim() == negative.dim(),
        "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but "
        "got: anchor ",
        anchor.dim(), "D, positive ", positive.dim(), "D, and negative ", negative.dim(), "D inputs");
  const Tensor near = pairwise_distance(anchor, positive, p, eps);
  Tensor far = pairwise_distance(anchor, negative, p, eps);
  if (swap) far = minimum(far, pairwise_distance(positive, negative, p, eps));
  return reduced(clamp_min(sub(add(near, Scalar(margin)), far), Scalar(0)), mode);
}

}  // namespace onetape::ops
