#include <array>
#include <cmath>

#include "ops.h"
#include "ops/copy.h"
#include "ops/reduction.h"
#include "ops/row_norm.h"

namespace onetape::ops {
namespace {

/// One number a channel, in a shape that broadcasts over dimension 1 of `input`.
Tensor by_channel(const Tensor& t, const Tensor& input) {
  Ints shape(static_cast<size_t>(input.dim()), 1);
  shape[1] = input.sizes()[1];
  return reshape(t, shape);
}

/// Every dimension but that of the channels.
Ints all_but_channels(const Tensor& input) {
  Ints dims;
  for (int64_t d = 0; d < input.dim(); ++d) {
    if (d != 1) dims.push_back(d);
  }
  return dims;
}

/// y · weight + bias by channel.
Tensor scaled(const Tensor& y, const Tensor& weight, const Tensor& bias, const Tensor& input) {
  Tensor result = y;
  if (weight.defined()) result = mul(result, by_channel(weight, input));
  if (bias.defined()) result = add(result, by_channel(bias, input));
  return result;
}

}  // namespace

// ---- group_norm ----
namespace {

void check_group_norm(const Tensor& input, int64_t groups, const Tensor& weight, const Tensor& bias) {
  check(input.dim() >= 2, "Expected at least 2 dimensions for input tensor but received ", input.dim());
  const int64_t channels = input.sizes()[1];
  check(groups > 0, "Expected num groups to be greater than 0, got ", groups);
  check(channels % groups == 0,
        "Expected number of channels in input to be divisible by num_groups, but got input of shape ",
        input.shape(), " and num_groups=", groups);
  const auto check_parameter = [&](const char* name, const Tensor& t) {
    check(!t.defined() || (t.dim() == 1 && t.numel() == channels), "Expected ", name,
          " to be a vector of size equal to the number of channels in input, but got ", name, " of shape ",
          t.defined() ? t.shape() : Ints(), " and input of shape ", input.shape());
    check(!t.defined() || t.dtype() == input.dtype(),
          "mixed dtype (CPU): expect parameter to have scalar type of Float");
  };
  check_parameter("weight", weight);
  check_parameter("bias", bias);
  if (!is_floating(input.dtype())) {
    fail(ErrorKind::NotImplemented, "\"GroupNormKernelImpl\" not implemented for '",
         scalar_type_name(input.dtype()), "'");
  }
}

void group_norm_gradients(Backward& g, int64_t rows, int64_t n, double eps) {
  const Tensor input = g.saved(0);
  const Tensor weight = g.saved(1);
  const std::array<int64_t, 2> shape = {rows, n};
  const Tensor as_rows = reshape(input, shape);
  const Ints others = all_but_channels(input);
  if (g.needs(0)) {
    const Tensor weighted = weight.defined() ? mul(g.grad(), by_channel(weight, input)) : g.grad();
    g.set(0, reshape(row_norm_gradient(reshape(weighted, shape), as_rows, g.saved(2), g.saved(3), eps),
                     input.sizes()));
  }
  if (g.needs(1)) {
    const std::array<int64_t, 1> last = {1};
    const Tensor centred = sub(as_rows, mean(as_rows, last, true));
    const Tensor y = mul(centred, rsqrt(add(mean(mul(centred, centred), last, true), Scalar(eps))));
    g.set(1, sum(mul(g.grad(), reshape(y, input.sizes())), IntSpan(others), false));
  }
  if (g.needs(2)) g.set(2, sum(g.grad(), IntSpan(others), false));
}

}  // namespace

Tensor group_norm(Body, const Tensor& input, int64_t num_groups, const Tensor& weight, const Tensor& bias,
                  double eps) {
  check_group_norm(input, num_groups, weight, bias);
  const int64_t rows = input.sizes()[0] * num_groups;
  const int64_t n = rows == 0 ? 0 : input.numel() / rows;
  const Tensor in = dense(input);
  const RowNorm norm = normalize_rows(in, rows, n, {}, {}, eps);
  Tensor result;
  {
    const GradModeGuard no_grad(false);
    result = scaled(norm.result, weight, bias, input);
  }
  if (!recording(input, weight, bias)) return result;
  return record(result, "NativeGroupNormBackward0", {input, weight, bias},
                saving(save(input), save_if(tracked(input), weight), save(norm.mean), save(norm.rstd)),
                [rows, n, eps](Backward& g) { group_norm_gradients(g, rows, n, eps); });
}

// ---- batch_norm ----
namespace {

void check_batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                      const Tensor& weight, const Tensor& bias, bool training) {
  const int64_t channels = input.dim() > 1 ? input.sizes()[1] : 0;
  if (training) {
    check_index(input.dim() > 0, "tuple index out of range");
    check_index(input.dim() > 1 || input.numel() < 2,
                "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
    const int64_t values = channels == 0 ? 0 : input.numel() / channels;
    check_value(values != 1,
                "Expected more than 1 value per channel when training, got input size torch.Size(",
                input.shape(), ")");
  } else {
    check(running_mean.defined(), "running_mean must be defined in evaluation mode");
    check(running_var.defined(), "running_var must be defined in evaluation mode");
  }
  const auto check_parameter = [&](const char* name, const Tensor& t) {
    check(!t.defined() || t.numel() == channels, name, " should contain ", channels, " elements not ",
          t.defined() ? t.numel() : 0);
  };
  check_parameter("running_mean", running_mean);
  check_parameter("running_var", running_var);
  check_parameter("weight", weight);
  check_parameter("bias", bias);
  if (!is_floating(input.dtype())) {
    fail(ErrorKind::NotImplemented, "\"batch_norm\" not implemented for '", scalar_type_name(input.dtype()),
         "'");
  }
  for (const Tensor& t : {running_mean, running_var, weight, bias}) {
    check(!t.defined() || t.dtype() == input.dtype(),
          "mixed dtype (CPU): all inputs must share same datatype.");
  }
}

/// running = (1 − momentum) · running + momentum · now
void update_running(const Tensor& running, const Tensor& now, double momentum) {
  if (!running.defined()) return;
  mul_(running, Scalar(1 - momentum));
  add_(running, now, Scalar(momentum));
}

struct BatchNorm {
  bool training;
  double eps;

  /// Mean and 1 / √(variance + eps) a channel as functions of the input, for gradients of gradients.
  std::array<Tensor, 2> statistics(const Tensor& input) const {
    const Ints others = all_but_channels(input);
    const Tensor average = mean(input, IntSpan(others), true);
    const Tensor centred = sub(input, average);
    return {average, rsqrt(add(mean(mul(centred, centred), IntSpan(others), true), Scalar(eps)))};
  }

  void operator()(Backward& g) const {
    const Tensor input = g.saved(0);
    const Tensor weight = g.saved(1);
    const Ints others = all_but_channels(input);
    const Tensor& grad = g.grad();
    if (g.needs(2)) g.set(2, sum(grad, IntSpan(others), false));
    if (!g.needs(0) && !g.needs(1)) return;
    std::array<Tensor, 2> known = {by_channel(g.saved(2), input), by_channel(g.saved(3), input)};
    if (training && recording_enabled()) known = statistics(input);
    const auto& [average, scale] = known;
    const Tensor y = mul(sub(input, average), scale);
    if (g.needs(1)) g.set(1, sum(mul(grad, y), IntSpan(others), false));
    if (!g.needs(0)) return;
    Tensor inner = grad;
    if (training) {
      inner = sub(sub(grad, mean(grad, IntSpan(others), true)),
                  mul(y, mean(mul(grad, y), IntSpan(others), true)));
    }
    const Tensor factor = weight.defined() ? mul(scale, by_channel(weight, input)) : scale;
    g.set(0, mul(inner, factor));
  }
};

}  // namespace

Tensor batch_norm(Body, const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const Tensor& weight, const Tensor& bias, bool training, double momentum, double eps) {
  if (input.dim() > 1 && input.numel() == 0) {  // nothing to normalise, but a result to differentiate
    Tensor result = clone(input);
    if (weight.defined()) result = mul(result, select(weight, 0, 0));
    return bias.defined() ? add(result, select(bias, 0, 0)) : result;
  }
  check_batch_norm(input, running_mean, running_var, weight, bias, training);
  Tensor average;
  Tensor scale;
  Tensor result;
  {
    const GradModeGuard no_grad(false);
    if (training) {
      const Ints others = all_but_channels(input);
      const double count =
          static_cast<double>(input.numel()) / static_cast<double>(std::max<int64_t>(input.sizes()[1], 1));
      const auto [variance, centre] = var_mean(input, IntSpan(others), Scalar(0), false);
      average = centre;
      scale = rsqrt(add(variance, Scalar(eps)));
      update_running(running_mean, average, momentum);
      update_running(running_var, mul(variance, Scalar(count / (count - 1))), momentum);
    } else {
      average = clone(running_mean);
      scale = rsqrt(add(running_var, Scalar(eps)));
    }
    const Tensor factor = weight.defined() ? mul(scale, weight) : scale;
    const Tensor shift = neg(mul(average, factor));
    result = scaled(input, factor, bias.defined() ? add(shift, bias) : shift, input);
  }
  if (!recording(input, weight, bias)) return result;
  return record(result, "NativeBatchNormBackward0", {input, weight, bias},
                saving(save(input), save_if(tracked(input), weight), save(average), save(scale)),
                BatchNorm{training, eps});
}

}  // namespace onetape::ops
