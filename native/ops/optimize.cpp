#include "ops/optimize.h"

#include <array>
#include <cmath>
#include <string_view>

#include "autograd/meta.h"
#include "core/inline_vector.h"
#include "kernels/optimize.h"
#include "kernels/registry.h"
#include "ops.h"
#include "ops/target.h"

namespace onetape {
namespace {

using Operands = InlineVector<Tensor, 5>;

void check_same_count(std::string_view op, std::string_view what, size_t count, size_t params) {
  check_value(count == params, op, ": there are ", params, " parameters but ", count, " ", what);
}

void check_operands(std::string_view op, const Operands& operands) {
  const Tensor& param = operands[0];
  check_type(is_differentiable(param.dtype()), op, ": a parameter has dtype ", param.dtype());
  for (const Tensor& t : operands) {
    check_value(t.defined(), op, ": a tensor of the step is undefined");
    check(same(t.sizes(), param.sizes()) && t.dtype() == param.dtype(), op, ": a parameter of shape ",
          param.shape(), " and dtype ", param.dtype(), " goes with a tensor of shape ", t.shape(),
          " and dtype ", t.dtype());
  }
  check_no_internal_overlap(param);
}

/// Complex elements are updated as pairs of real ones.
void run_update(const Kernel& kernel, const Operands& operands, const Scalar* numbers) {
  const DType dtype = operands[0].dtype();
  const DType real = to_real(dtype);
  Ints shape = operands[0].shape();
  if (real != dtype) shape.push_back(2);
  std::array<LoopOperand, 5> loop;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Tensor& t = operands[i];
    loop[i] = {t.bytes(), loop_strides(t.sizes(), t.strides(), t.item_bytes(), t.sizes())};
    if (real != dtype) loop[i].strides.push_back(static_cast<int64_t>(item_size(real)));
  }
  run_loop(shape, std::span(loop.data(), operands.size()), kernel.loop(real), numbers);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i != 1) bump_version(operands[i]);  // all but the gradient
  }
}

/// Counts a step and returns its number.
double advance(const Tensor& step) {
  const double number = item(step).to<double>() + 1;
  visit_floating("adam", step.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    *step.data<T>() = T(static_cast<compute_t<T>>(number));
  });
  bump_version(step);
  return number;
}

}  // namespace

void sgd_step(std::span<const Tensor> params, std::span<const Tensor> grads,
              std::span<Tensor> momentum_buffers, const SgdOptions& options) {
  static const Kernel& plain = find_kernel("sgd");
  static const Kernel& with_momentum = find_kernel("sgd_momentum");
  const bool momentum = options.momentum != 0;
  check_same_count("sgd", "gradients", grads.size(), params.size());
  if (momentum) check_same_count("sgd", "momentum buffers", momentum_buffers.size(), params.size());
  std::array<Scalar, sgd_number::kCount> numbers;
  numbers[sgd_number::kLr] = options.lr;
  numbers[sgd_number::kWeightDecay] = options.weight_decay;
  numbers[sgd_number::kMomentum] = options.momentum;
  numbers[sgd_number::kNesterov] = options.nesterov;
  numbers[sgd_number::kMaximize] = options.maximize;
  for (size_t i = 0; i < params.size(); ++i) {
    Operands operands = {params[i], grads[i]};
    if (momentum && momentum_buffers[i].defined()) operands.push_back(momentum_buffers[i]);
    check_operands("sgd", operands);
  }
  for (size_t i = 0; i < params.size(); ++i) {
    Operands operands = {params[i], grads[i]};
    if (momentum) {
      // The first step takes the gradient as it is: an empty buffer, and no dampening.
      Tensor& buffer = momentum_buffers[i];
      numbers[sgd_number::kDampening] = buffer.defined() ? options.dampening : 0.0;
      if (!buffer.defined()) buffer = ops::zeros_like(params[i]);
      operands.push_back(buffer);
    }
    run_update(momentum ? with_momentum : plain, operands, numbers.data());
  }
}

void adam_step(std::span<const Tensor> params, std::span<const Tensor> grads,
               std::span<const Tensor> exp_avgs, std::span<const Tensor> exp_avg_sqs,
               std::span<const Tensor> max_exp_avg_sqs, std::span<const Tensor> steps,
               const AdamOptions& options) {
  static const Kernel& plain = find_kernel("adam");
  static const Kernel& with_max = find_kernel("adam_max");
  const bool amsgrad = !max_exp_avg_sqs.empty();
  check_same_count("adam", "gradients", grads.size(), params.size());
  check_same_count("adam", "first moments", exp_avgs.size(), params.size());
  check_same_count("adam", "second moments", exp_avg_sqs.size(), params.size());
  check_same_count("adam", "step counters", steps.size(), params.size());
  if (amsgrad) check_same_count("adam", "largest second moments", max_exp_avg_sqs.size(), params.size());
  std::array<Scalar, adam_number::kCount> numbers;
  numbers[adam_number::kBeta1] = options.beta1;
  numbers[adam_number::kBeta2] = options.beta2;
  numbers[adam_number::kEps] = options.eps;
  numbers[adam_number::kShrink] =
      options.decoupled_weight_decay ? 1 - options.lr * options.weight_decay : 1.0;
  numbers[adam_number::kWeightDecay] = options.decoupled_weight_decay ? 0.0 : options.weight_decay;
  numbers[adam_number::kMaximize] = options.maximize;
  const auto operands_of = [&](size_t i) {
    Operands operands = {params[i], grads[i], exp_avgs[i], exp_avg_sqs[i]};
    if (amsgrad) operands.push_back(max_exp_avg_sqs[i]);
    return operands;
  };
  for (size_t i = 0; i < params.size(); ++i) {
    check_operands("adam", operands_of(i));
    check(steps[i].defined() && steps[i].numel() == 1 && is_floating(steps[i].dtype()),
          "adam: a step counter is not a floating-point tensor of one element");
  }
  for (size_t i = 0; i < params.size(); ++i) {
    const double step = advance(steps[i]);
    numbers[adam_number::kStepSize] = options.lr / (1 - std::pow(options.beta1, step));
    numbers[adam_number::kRootCorrection] = std::sqrt(1 - std::pow(options.beta2, step));
    run_update(amsgrad ? with_max : plain, operands_of(i), numbers.data());
  }
}

}  // namespace onetape
