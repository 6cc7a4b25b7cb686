#include "kernels/class_loss.h"

#include "ops.h"
#include "ops/copy.h"
#include "ops/reduction_mode.h"

namespace onetape::ops {
namespace {

int64_t class_dim(const Tensor& input) { return input.dim() > 1 ? 1 : 0; }

/// The kernel's view of dense operands, which must outlive it.
ClassLoss class_loss(IntSpan shape, const Tensor& target, const Tensor& weight, int64_t ignore_index) {
  ClassLoss loss{1, shape.back(), 1, target.data<int64_t>(), nullptr, ignore_index};
  if (shape.size() > 1) {
    loss.n = shape[0];
    loss.classes = shape[1];
    for (size_t d = 2; d < shape.size(); ++d) loss.inner *= shape[d];
  }
  if (weight.defined()) loss.weight = weight.bytes();
  return loss;
}

void check_class_operands(const Tensor& input, const Tensor& target, const Tensor& weight) {
  check_value(input.dim() > 0, "Expected 1 or more dimensions (got 0)");
  const int64_t classes = input.sizes()[class_dim(input)];
  if (input.dim() == 1) {
    check(target.numel() == 1 && target.dim() <= 1,
          "For 1D input, 1D target must have size 1, but got target size: ", ShapeText{target.sizes()});
  } else {
    const int64_t targets = target.dim() > 0 ? target.sizes()[0] : 1;
    check_value(targets == input.sizes()[0], "Expected input batch_size (", input.sizes()[0],
                ") to match target batch_size (", targets, ").");
    Ints expected = input.shape();
    expected.erase(1);
    if (input.dim() == 2) {
      check(target.dim() == 1, "0D or 1D target tensor expected, multi-target not supported");
    } else {
      check(same(expected, target.sizes()), "Expected target size ", expected, ", got ",
            ShapeText{target.sizes()});
    }
  }
  check(target.dtype() == DType::I64 || target.dtype() == DType::U8,
        "expected target dtype to be Long or Byte, but got ", scalar_type_name(target.dtype()));
  if (!weight.defined()) return;
  check(weight.dim() == 1 && weight.numel() == classes, "weight tensor should be defined either for all ",
        classes, " classes or no classes but got weight tensor of shape: ", ShapeText{weight.sizes()});
  check(weight.dtype() == input.dtype(), "expected scalar type ", scalar_type_name(input.dtype()),
        " but found ", scalar_type_name(weight.dtype()));
}

double counted_weight(DType dtype, IntSpan shape, const Tensor& target, const Tensor& weight,
                      int64_t ignore_index) {
  if (!target.has_data()) return 1;
  const Tensor t = dense(target);
  const Tensor w = weight.defined() ? dense(weight) : weight;
  return total_weight(dtype, class_loss(shape, t, w, ignore_index));
}

/// weight in the shape in which it multiplies scores.
Tensor along_classes(const Tensor& weight, const Tensor& input) {
  Ints shape(static_cast<size_t>(input.dim()), 1);
  shape[class_dim(input)] = weight.numel();
  return reshape(weight, shape);
}

Tensor weighted_sum_of_classes(const Tensor& scores, const Tensor& weight) {
  const int64_t dim = class_dim(scores);
  const Tensor terms = weight.defined() ? mul(scores, along_classes(weight, scores)) : scores;
  return neg(sum(terms, IntSpan(&dim, 1)));
}

Tensor reduce_by(const Tensor& losses, Reduction reduction, double count) {
  if (reduction == Reduction::None) return losses;
  const Tensor total = sum(losses);
  return reduction == Reduction::Sum ? total : div(total, Scalar(count));
}

Tensor probability_loss(const Tensor& input, const Tensor& target, const Tensor& weight, Reduction reduction,
                        double smoothing) {
  check(is_floating(target.dtype()), "Expected floating point type for target with class probabilities, got ",
        scalar_type_name(target.dtype()));
  const int64_t classes = input.sizes()[class_dim(input)];
  Tensor wanted = target;
  if (smoothing > 0)
    wanted = add(mul(target, Scalar(1 - smoothing)), Scalar(smoothing / static_cast<double>(classes)));
  const Tensor scores = log_softmax(input, class_dim(input));
  const Tensor losses = weighted_sum_of_classes(mul(scores, wanted), weight);
  const int64_t rows = input.numel() / std::max<int64_t>(classes, 1);
  return reduce_by(losses, reduction, static_cast<double>(rows));
}

}  // namespace

// ---- nll_loss ----
Tensor nll_loss(Body, const Tensor& input, const Tensor& labels, const Tensor& weight, int64_t ignore_index,
                std::string_view reduction) {
  const Reduction mode = parse_reduction(reduction);
  const bool many = input.dim() > 2;
  check(!weight.defined() || !recording(weight), "The function '",
        many ? "nll_loss2d_forward" : "nll_loss_forward",
        "' is not differentiable with respect to argument 'weight'. This input cannot have requires_grad "
        "True.");
  check_class_operands(input, labels, weight);
  const Tensor target = to_dtype(labels, DType::I64);
  visit_floating(many ? "nll_loss2d_forward_out_frame" : "nll_loss_out_frame", input.dtype(), [](auto) {});
  const bool is_recording = recording(input);
  double count = 1;
  if (mode == Reduction::Mean) {
    note_read(target, kForItself);
    count = counted_weight(input.dtype(), input.sizes(), target, weight, ignore_index);
  }
  Tensor result;
  {
    const GradModeGuard off(false);
    result = reduce_by(nll_pick(input, target, weight, ignore_index), mode, count);
  }
  if (!is_recording) return result;
  const Ints shape = input.shape();
  return record(result, many ? "NllLoss2DBackward0" : "NllLossBackward0", {input},
                saving(save(target), save(weight)), [shape, ignore_index, mode](Backward& g) {
                  Tensor grad = g.grad();
                  const Tensor& target = g.saved(0);
                  if (mode == Reduction::Mean) {
                    note_read(target, kForItself);
                    grad = div(grad,
                               Scalar(counted_weight(grad.dtype(), shape, target, g.saved(1), ignore_index)));
                  }
                  g.set(0, nll_spread(expand(grad, target.sizes()), target, g.saved(1), shape, ignore_index));
                });
}

// ---- nll_pick ----
Tensor nll_pick(Body, const Tensor& input, const Tensor& target, const Tensor& weight, int64_t ignore_index) {
  const Tensor in = dense(input);
  const Tensor t = dense(target);
  const Tensor w = weight.defined() ? dense(weight) : weight;
  Tensor result = Tensor::empty(target.sizes(), in.dtype());
  if (result.has_data()) {
    const ClassLoss loss = class_loss(in.sizes(), t, w, ignore_index);
    check_targets(loss);
    onetape::nll_pick(in.dtype(), loss, in.bytes(), result.bytes());
  }
  if (!recording(input)) return result;
  const Ints shape = input.shape();
  return record(result, "NllPickBackward0", {input}, saving(save(target), save(weight)),
                [shape, ignore_index](Backward& g) {
                  g.set(0, nll_spread(g.grad(), g.saved(0), g.saved(1), shape, ignore_index));
                });
}

// ---- nll_spread ----
Tensor nll_spread(Body, const Tensor& grad, const Tensor& target, const Tensor& weight, IntSpan shape,
                  int64_t ignore_index) {
  const Tensor from = dense(grad);
  const Tensor t = dense(target);
  const Tensor w = weight.defined() ? dense(weight) : weight;
  Tensor result = zeros(shape, Options{.dtype = grad.dtype()});
  if (result.has_data())
    onetape::nll_spread(grad.dtype(), class_loss(shape, t, w, ignore_index), from.bytes(), result.bytes());
  if (!recording(grad)) return result;
  return record(
      result, "NllSpreadBackward0", {grad}, saving(save(target), save(weight)),
      [ignore_index](Backward& g) { g.set(0, nll_pick(g.grad(), g.saved(0), g.saved(1), ignore_index)); });
}

// ---- cross_entropy ----
Tensor cross_entropy(Body, const Tensor& input, const Tensor& labels, const Tensor& weight,
                     int64_t ignore_index, std::string_view reduction, double label_smoothing) {
  const Reduction mode = parse_reduction(reduction);
  check(label_smoothing >= 0 && label_smoothing <= 1,
        "label_smoothing must be between 0.0 and 1.0. Got: ", label_smoothing);
  check_value(input.dim() > 0, "Expected 1 or more dimensions (got 0)");
  if (same(input.sizes(), labels.sizes()))
    return probability_loss(input, labels, weight, mode, label_smoothing);
  check_class_operands(input, labels, weight);
  const Tensor target = to_dtype(labels, DType::I64);
  const Tensor scores = log_softmax(input, class_dim(input));
  Tensor exact = nll_loss(scores, target, weight, ignore_index, reduction);
  if (label_smoothing == 0) return exact;
  const Tensor counts = to_dtype(ne(target, Scalar(ignore_index)), input.dtype());
  const Tensor even = mul(weighted_sum_of_classes(scores, weight), counts);
  double count = 1;
  if (mode == Reduction::Mean) {
    note_read(target, "cross_entropy() with label smoothing");
    count = counted_weight(input.dtype(), input.sizes(), target, weight, ignore_index);
  }
  const auto classes = static_cast<double>(input.sizes()[class_dim(input)]);
  return add(mul(exact, Scalar(1 - label_smoothing)),
             mul(reduce_by(even, mode, count), Scalar(label_smoothing / classes)));
}

}  // namespace onetape::ops
