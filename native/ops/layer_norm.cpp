#include "kernels/layer_norm.h"

#include <array>
#include <limits>

#include "ops.h"
#include "ops/copy.h"
#include "ops/prepared.h"
#include "ops/row_norm.h"

namespace onetape {

DType statistics_dtype(DType dtype) { return dtype == DType::F64 ? DType::F64 : DType::F32; }

RowNorm normalize_rows(const Tensor& in, int64_t rows, int64_t n, const Tensor& weight, const Tensor& bias,
                       double eps) {
  const std::array<int64_t, 2> sizes = {rows, 1};
  RowNorm norm{Tensor::empty(in.sizes(), in.dtype()), Tensor::empty(sizes, statistics_dtype(in.dtype())),
               Tensor::empty(sizes, statistics_dtype(in.dtype()))};
  if (!in.has_data()) return norm;
  NormBlock block{};
  block.in = in.bytes();
  block.weight = weight.defined() ? weight.bytes() : nullptr;
  block.bias = bias.defined() ? bias.bytes() : nullptr;
  block.out = norm.result.bytes();
  block.mean = norm.mean.bytes();
  block.rstd = norm.rstd.bytes();
  block.rows = rows;
  block.n = n;
  block.eps = eps;
  layer_norm_rows(in.dtype(), block);
  return norm;
}

Tensor row_norm_gradient(const Tensor& grad, const Tensor& rows, const Tensor& mean, const Tensor& rstd,
                         double eps) {
  if (!recording_enabled()) {
    const Tensor g = dense(grad);
    const Tensor in = dense(rows);
    Tensor result = Tensor::empty(in.sizes(), in.dtype());
    if (!result.has_data()) return result;
    NormBlock block{};
    block.in = in.bytes();
    block.grad = g.bytes();
    block.out = result.bytes();
    block.mean = mean.bytes();
    block.rstd = rstd.bytes();
    block.rows = in.sizes()[0];
    block.n = in.sizes()[1];
    layer_norm_rows_backward(in.dtype(), block, nullptr, nullptr);
    return result;
  }
  // The statistics anew, as functions of the rows, so that this can itself be differentiated.
  const std::array<int64_t, 1> last = {1};
  const Tensor centred = ops::sub(rows, ops::mean(rows, last, true));
  const Tensor scale = ops::rsqrt(ops::add(ops::mean(ops::mul(centred, centred), last, true), Scalar(eps)));
  const Tensor y = ops::mul(centred, scale);
  const Tensor slope = ops::mul(y, ops::mean(ops::mul(grad, y), last, true));
  return ops::mul(scale, ops::sub(ops::sub(grad, ops::mean(grad, last, true)), slope));
}

namespace {

void check_normalized_shape(const Tensor& input, IntSpan normalized, const Tensor& weight, const Tensor& bias,
                            const char* rest) {
  check(!normalized.empty(),
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but "
        "got ",
        "normalized_shape = ", Ints(normalized));
  check(!weight.defined() || same(weight.sizes(), normalized),
        "Expected weight to be of same shape as normalized_shape, but got weight ", "of shape ",
        weight.defined() ? weight.shape() : Ints(), " and normalized_shape = ", Ints(normalized));
  check(!bias.defined() || same(bias.sizes(), normalized),
        "Expected bias to be of same shape as normalized_shape, but got bias ", "of shape ",
        bias.defined() ? bias.shape() : Ints(), " and normalized_shape = ", Ints(normalized));
  const IntSpan sizes = input.sizes();
  const bool fits = sizes.size() >= normalized.size() && same(sizes.last(normalized.size()), normalized);
  if (fits) return;
  std::ostringstream wanted;
  for (const int64_t size : normalized) wanted << (wanted.tellp() > 0 ? ", " : "") << size;
  fail(ErrorKind::Runtime, "Given normalized_shape=", Ints(normalized), ", expected input with shape [*",
       rest, wanted.str(), "], but got input of size", input.shape());
}

bool is_16_bit(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; }

/// The operands of layer_norm in one floating dtype; 16-bit inputs may come with float32 parameters.
void check_parameter_dtype(const Tensor& input, const Tensor& parameter) {
  check(!parameter.defined() || parameter.dtype() == input.dtype() ||
            (is_16_bit(input.dtype()) && parameter.dtype() == DType::F32),
        "mixed dtype (CPU): expect parameter to have scalar type of Float");
}

/// Gradients of layer_norm: input, weight, bias.
void layer_norm_gradients(Backward& g, IntSpan normalized, int64_t n, double eps) {
  const Tensor input = g.saved(0);
  const Tensor weight = g.saved(1);
  const std::array<int64_t, 2> shape = {n == 0 ? 0 : input.numel() / n, n};
  const Tensor rows = ops::reshape(input, shape);
  const Tensor grad = ops::reshape(g.grad(), shape);
  const Tensor mean = g.saved(2);
  const Tensor rstd = g.saved(3);
  if (!recording_enabled()) {
    const Tensor in = dense(rows);
    const Tensor dense_grad = dense(grad);
    Tensor input_grad = g.needs(0) ? Tensor::empty(input.sizes(), input.dtype()) : Tensor();
    const Tensor weight_grad = g.needs(1) ? Tensor::empty(normalized, input.dtype()) : Tensor();
    const Tensor bias_grad = g.needs(2) ? Tensor::empty(normalized, input.dtype()) : Tensor();
    const Tensor factor = weight.defined() ? dense(weight) : Tensor();
    if (in.has_data()) {
      NormBlock block{};
      block.in = in.bytes();
      block.grad = dense_grad.bytes();
      block.weight = bytes_or_null(factor);
      block.out = bytes_or_null(input_grad);
      block.mean = mean.bytes();
      block.rstd = rstd.bytes();
      block.rows = shape[0];
      block.n = n;
      layer_norm_rows_backward(input.dtype(), block, bytes_or_null(weight_grad), bytes_or_null(bias_grad));
    }
    g.set(0, input_grad);
    if (g.needs(1)) g.set(1, weight_grad);
    if (g.needs(2)) g.set(2, bias_grad);
    return;
  }
  const std::array<int64_t, 1> over_rows = {0};
  const std::array<int64_t, 1> flat = {n};
  if (g.needs(0)) {
    const Tensor weighted = weight.defined() ? ops::mul(grad, ops::reshape(weight, flat)) : grad;
    g.set(0, ops::reshape(row_norm_gradient(weighted, rows, mean, rstd, eps), input.sizes()));
  }
  if (g.needs(1)) {
    const std::array<int64_t, 1> last = {1};
    const Tensor centred = ops::sub(rows, ops::mean(rows, last, true));
    const Tensor scale = ops::rsqrt(ops::add(ops::mean(ops::mul(centred, centred), last, true), Scalar(eps)));
    g.set(1, ops::reshape(ops::sum(ops::mul(grad, ops::mul(centred, scale)), over_rows, false), normalized));
  }
  if (g.needs(2)) g.set(2, ops::reshape(ops::sum(grad, over_rows, false), normalized));
}

}  // namespace

namespace ops {

// ---- layer_norm ----
Tensor layer_norm(Body, const Tensor& input, IntSpan normalized_shape, const Tensor& weight,
                  const Tensor& bias, double eps) {
  check_normalized_shape(input, normalized_shape, weight, bias, ", ");
  if (!is_floating(input.dtype())) {
    fail(ErrorKind::NotImplemented, "\"LayerNormKernelImpl\" not implemented for '",
         scalar_type_name(input.dtype()), "'");
  }
  check_parameter_dtype(input, weight);
  check_parameter_dtype(input, bias);
  const auto differs = [&](const Tensor& parameter) {
    return parameter.defined() && parameter.dtype() != input.dtype();
  };
  if (differs(weight) || differs(bias)) {
    const auto wide = [](const Tensor& t) { return t.defined() ? to_dtype(t, DType::F32) : t; };
    return to_dtype(layer_norm(wide(input), normalized_shape, wide(weight), wide(bias), eps), input.dtype());
  }
  int64_t n = 1;
  for (const int64_t size : normalized_shape) n *= size;
  const Tensor in = dense(input);
  const auto plain = [](const Tensor& t) { return t.defined() ? dense(t) : t; };
  RowNorm norm = normalize_rows(in, n == 0 ? 0 : in.numel() / n, n, plain(weight), plain(bias), eps);
  if (!recording(input, weight, bias)) return norm.result;
  return record(norm.result, "NativeLayerNormBackward0", {input, weight, bias},
                saving(save(input), save_if(tracked(input), weight), save(norm.mean), save(norm.rstd)),
                [normalized = Ints(normalized_shape), n, eps](Backward& g) {
                  layer_norm_gradients(g, normalized, n, eps);
                });
}

// ---- rms_norm ----
Tensor rms_norm(Body, const Tensor& input, IntSpan normalized_shape, const Tensor& weight,
                std::optional<double> eps) {
  check_value(static_cast<size_t>(input.dim()) >= normalized_shape.size(), "Input tensor must have at least ",
              normalized_shape.size(), " dimensions, but got ", input.dim());
  check_normalized_shape(input, normalized_shape, weight, {}, "");
  if (!is_floating(input.dtype())) {
    fail(ErrorKind::NotImplemented, "\"rms_norm\" not implemented for '", scalar_type_name(input.dtype()),
         "'");
  }
  const Tensor in = is_16_bit(input.dtype()) ? to_dtype(input, DType::F32) : input;
  const double epsilon = in.dtype() == DType::F64 ? std::numeric_limits<double>::epsilon()
                                                  : std::numeric_limits<float>::epsilon();
  Ints dims;
  for (int64_t d = -static_cast<int64_t>(normalized_shape.size()); d < 0; ++d) dims.push_back(d);
  Tensor result = mul(in, rsqrt(add(mean(mul(in, in), IntSpan(dims), true), Scalar(eps.value_or(epsilon)))));
  if (weight.defined()) result = mul(result, weight);
  return to_dtype(result, input.dtype());
}

}  // namespace ops
}  // namespace onetape
