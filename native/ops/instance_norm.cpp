#include "ops.h"

namespace onetape::ops {
namespace {

/// A number a channel for each sample.
Tensor for_samples(const Tensor& t, int64_t samples) { return t.defined() ? repeat(t, Ints{samples}) : t; }

/// The mean over the samples, put in place of the running statistic.
void keep_mean(const Tensor& running, const Tensor& all, int64_t samples) {
  if (!running.defined()) return;
  const GradModeGuard no_grad(false);
  const Ints first = {0};
  copy_(running, mean(reshape(all, Ints{samples, running.numel()}), IntSpan(first), false));
}

}  // namespace

// ---- instance_norm ----
Tensor instance_norm(Body, const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Tensor& running_mean, const Tensor& running_var, bool use_input_stats,
                     double momentum, double eps, bool /*cudnn_enabled*/) {
  check(use_input_stats || (running_mean.defined() && running_var.defined()),
        "Expected running_mean and running_var to be defined when use_input_stats is false");
  check_value(running_mean.defined() == running_var.defined(),
              "running_mean and running_var must either both be None or neither be None");
  check_index(input.dim() > 0, "Dimension specified as 0 but tensor has no dimensions");
  check_index(input.dim() > 1, "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
  if (input.numel() == 0)
    return view(batch_norm(input, {}, {}, weight, bias, true, momentum, eps), input.sizes());
  // All samples as one, each with channels of its own.
  const int64_t samples = input.sizes()[0];
  Ints sizes = input.shape();
  sizes[1] *= samples;
  sizes[0] = 1;
  const Tensor means = for_samples(running_mean, samples);
  const Tensor variances = for_samples(running_var, samples);
  const Tensor joined = reshape(contiguous(input), sizes);
  const Tensor result = batch_norm(joined, means, variances, for_samples(weight, samples),
                                   for_samples(bias, samples), use_input_stats, momentum, eps);
  if (use_input_stats) {
    keep_mean(running_mean, means, samples);
    keep_mean(running_var, variances, samples);
  }
  return view(result, input.sizes());
}

}  // namespace onetape::ops
