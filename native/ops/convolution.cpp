#include "kernels/convolution.h"

#include "ops.h"
#include "ops/convolution_checks.h"
#include "ops/prepared.h"
#include "ops/product.h"

namespace onetape {
namespace {

// A convolution is linear in each of input and weight, and Σ grad · convolution(input, weight) in grad, too.
// So three maps are the gradients of each other: from input and weight to the result (`correlate`), from the
// result's side back to the input's (`spread`, the transposed convolution), and from both sides to the weight
// (`match`).

/// Stride, padding before, dilation and groups: what the three maps share.
struct Window {
  Ints stride;
  Ints padding;
  Ints dilation;
  int64_t groups;

  Tensor correlate(const Tensor& in, const Tensor& weight, const Tensor& bias, IntSpan sizes,
                   const char* node) const;
  Tensor spread(const Tensor& out, const Tensor& weight, const Tensor& bias, IntSpan sizes,
                const char* node) const;
  Tensor match(const Tensor& in, const Tensor& out, IntSpan sizes, const char* node) const;

 private:
  ConvolutionShape shape(IntSpan in, IntSpan out, IntSpan weight) const;
};

constexpr const char* kFirst = "ConvolutionBackward0";
constexpr const char* kSecond = "ConvolutionBackwardBackward0";

ConvolutionShape Window::shape(IntSpan in, IntSpan out, IntSpan weight) const {
  ConvolutionShape s{};
  s.batch = in[0];
  s.groups = groups;
  s.in_channels = weight[1];
  s.out_channels = weight[0] / groups;
  const size_t n = stride.size();
  for (size_t d = 0; d < 3; ++d) {
    const bool is_there = d + n >= 3;
    const size_t at = is_there ? d + n - 3 : 0;
    s.in[d] = is_there ? in[at + 2] : 1;
    s.out[d] = is_there ? out[at + 2] : 1;
    s.kernel[d] = is_there ? weight[at + 2] : 1;
    s.stride[d] = is_there && s.out[d] > 1 ? stride[at] : 1;  // one position needs no step
    s.padding[d] = is_there ? padding[at] : 0;
    s.dilation[d] = is_there && s.kernel[d] > 1 ? dilation[at] : 1;
  }
  return s;
}

Tensor finished(const Tensor& result, DType dtype) {
  const GradModeGuard no_grad(false);
  return ops::to_dtype(result, dtype);
}

/// The gradient of the bias: sums over all but the channels.
Tensor sum_by_channel(const Tensor& grad) {
  Ints dims = {0};
  for (int64_t d = 2; d < grad.dim(); ++d) dims.push_back(d);
  return ops::sum(grad, IntSpan(dims), false);
}

Tensor Window::correlate(const Tensor& in, const Tensor& weight, const Tensor& bias, IntSpan sizes,
                         const char* node) const {
  const Tensor x = prepared(in);
  const Tensor w = prepared(weight);
  const Tensor b = prepared(bias);
  const Tensor result = Tensor::empty(sizes, x.dtype());
  if (result.numel() > 0 && result.has_data()) {
    convolve(x.dtype(), shape(in.sizes(), sizes, weight.sizes()), x.bytes(), w.bytes(), bytes_or_null(b),
             result.bytes());
  }
  Tensor delivered = finished(result, in.dtype());
  if (!recording(in, weight, bias)) return delivered;
  return record(std::move(delivered), node, {in, weight, bias},
                saving(save_if(tracked(weight), in), save_if(tracked(in), weight)),
                [window = *this, in_sizes = in.shape(), weight_sizes = weight.shape()](Backward& g) {
                  const Tensor& grad = g.grad();
                  if (g.needs(0)) g.set(0, window.spread(grad, conjugate(g.saved(1)), {}, in_sizes, kSecond));
                  if (g.needs(1)) g.set(1, window.match(conjugate(g.saved(0)), grad, weight_sizes, kSecond));
                  if (g.needs(2)) g.set(2, sum_by_channel(grad));
                });
}

Tensor Window::spread(const Tensor& out, const Tensor& weight, const Tensor& bias, IntSpan sizes,
                      const char* node) const {
  const Tensor y = prepared(out);
  const Tensor w = prepared(weight);
  const Tensor b = prepared(bias);
  const Tensor result = Tensor::empty(sizes, y.dtype());
  if (result.numel() > 0 && result.has_data()) {
    convolve_transposed(y.dtype(), shape(sizes, out.sizes(), weight.sizes()), y.bytes(), w.bytes(),
                        bytes_or_null(b), result.bytes());
  }
  Tensor delivered = finished(result, out.dtype());
  if (!recording(out, weight, bias)) return delivered;
  return record(std::move(delivered), node, {out, weight, bias},
                saving(save_if(tracked(weight), out), save_if(tracked(out), weight)),
                [window = *this, out_sizes = out.shape(), weight_sizes = weight.shape()](Backward& g) {
                  const Tensor& grad = g.grad();
                  if (g.needs(0))
                    g.set(0, window.correlate(grad, conjugate(g.saved(1)), {}, out_sizes, kSecond));
                  if (g.needs(1)) g.set(1, window.match(grad, conjugate(g.saved(0)), weight_sizes, kSecond));
                  if (g.needs(2)) g.set(2, sum_by_channel(grad));
                });
}

Tensor Window::match(const Tensor& in, const Tensor& out, IntSpan sizes, const char* node) const {
  const Tensor x = prepared(in);
  const Tensor y = prepared(out);
  const Tensor result = Tensor::empty(sizes, x.dtype());
  if (result.numel() > 0 && result.has_data())
    convolve_weight(x.dtype(), shape(in.sizes(), out.sizes(), sizes), x.bytes(), y.bytes(), result.bytes());
  Tensor delivered = finished(result, in.dtype());
  if (!recording(in, out)) return delivered;
  return record(std::move(delivered), node, {in, out},
                saving(save_if(tracked(out), in), save_if(tracked(in), out)),
                [window = *this, in_sizes = in.shape(), out_sizes = out.shape()](Backward& g) {
                  const Tensor& grad = g.grad();
                  if (g.needs(0)) g.set(0, window.spread(conjugate(g.saved(1)), grad, {}, in_sizes, kSecond));
                  if (g.needs(1))
                    g.set(1, window.correlate(conjugate(g.saved(0)), grad, {}, out_sizes, kSecond));
                });
}

/// One number a dimension; a single one stands for all.
Ints each(IntSpan values, int64_t dims, const char* name) {
  if (values.size() == 1) return Ints(static_cast<size_t>(dims), values[0]);
  check(std::ssize(values) == dims, "expected ", name, " to be a single integer value or a list of ", dims,
        " values to match the convolution dimensions, but got ", name, "=", ShapeText{values});
  return values;
}

/// batch, channels and the sizes in space.
Ints with_space(int64_t batch, int64_t channels, const Ints& space) {
  Ints sizes = {batch, channels};
  sizes.append(space);
  return sizes;
}

Tensor convolution_of(const Tensor& input, const Tensor& weight, const Tensor& bias,
                      const ConvolutionNumbers& numbers) {
  check_convolution(input, weight, bias, numbers);
  const Ints space = convolution_sizes(input, weight, numbers);
  check_convolution_dtypes(input, weight, bias, numbers);
  const Window window{numbers.stride, numbers.padding, numbers.dilation, numbers.groups};
  const int64_t batch = input.sizes()[0];
  if (numbers.transposed) {
    const Ints sizes = with_space(batch, weight.sizes()[1] * numbers.groups, space);
    return window.spread(input, weight, bias, sizes, kFirst);
  }
  // As in PyTorch, a result of no channels of input has none itself.
  const int64_t channels = input.sizes()[1] == 0 ? 0 : weight.sizes()[0];
  return window.correlate(input, weight, bias, with_space(batch, channels, space), kFirst);
}

// ---- conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d ----

/// Calls f with the input as a batch, and takes the batch's dimension away again.
template <typename F>
Tensor batched(const char* op, const Tensor& input, int64_t dims, const F& f) {
  const bool single = input.dim() == dims + 1;
  check(single || input.dim() == dims + 2, "Expected ", dims + 1, "D (unbatched) or ", dims + 2,
        "D (batched) input to ", op, ", but got input of size: ", input.shape());
  return single ? ops::squeeze(f(ops::unsqueeze(input, 0)), 0) : f(input);
}

/// The numbers of an operator over so many dimensions, as PyTorch's parser fills them up.
Ints filled_up(IntSpan values, int64_t dims) {
  return values.size() == 1 ? Ints(static_cast<size_t>(dims), values[0]) : Ints(values);
}

Tensor convolution_checked(const Tensor& input, const Tensor& weight, const Tensor& bias, IntSpan stride,
                           IntSpan padding, IntSpan dilation, bool transposed, IntSpan output_padding,
                           int64_t groups) {
  const int64_t dims = weight.dim() - 2;
  check(dims > 0, "weight should have at least three dimensions");
  check(dims <= 3, "convolution: at most three dimensions of space are supported, got weight of size ",
        weight.shape());
  return convolution_of(
      input, weight, bias,
      {each(stride, dims, "stride"), each(padding, dims, "padding"), each(dilation, dims, "dilation"),
       each(output_padding, dims, "output_padding"), transposed, groups});
}

Tensor conv(const char* op, int64_t dims, const Tensor& input, const Tensor& weight, const Tensor& bias,
            IntSpan stride, IntSpan padding, IntSpan dilation, int64_t groups) {
  return batched(op, input, dims, [&](const Tensor& batch) {
    const Ints none(static_cast<size_t>(dims), 0);
    return convolution_checked(batch, weight, bias, filled_up(stride, dims), filled_up(padding, dims),
                               filled_up(dilation, dims), false, none, groups);
  });
}

Tensor conv_transpose(const char* op, int64_t dims, const Tensor& input, const Tensor& weight,
                      const Tensor& bias, IntSpan stride, IntSpan padding, IntSpan output_padding,
                      int64_t groups, IntSpan dilation) {
  return batched(op, input, dims, [&](const Tensor& batch) {
    return convolution_checked(batch, weight, bias, filled_up(stride, dims), filled_up(padding, dims),
                               filled_up(dilation, dims), true, filled_up(output_padding, dims), groups);
  });
}

/// Padding that keeps the size: what is missing for symmetry is added at the end.
Tensor conv_same(const Tensor& input, const Tensor& weight, const Tensor& bias, IntSpan stride,
                 IntSpan dilation, int64_t groups) {
  const int64_t dims = weight.dim() - 2;
  check(dims > 0, "weight should have at least three dimensions");
  ConvolutionNumbers numbers{each(stride, dims, "stride"),
                             Ints(static_cast<size_t>(dims), 0),
                             each(dilation, dims, "dilation"),
                             Ints(static_cast<size_t>(dims), 0),
                             false,
                             groups};
  for (const int64_t step : numbers.stride)
    check(step == 1, "padding='same' is not supported for strided convolutions");
  check_convolution(input, weight, bias, numbers);
  check_convolution_dtypes(input, weight, bias, numbers);
  Ints sizes = input.shape();
  sizes[1] = weight.sizes()[0];
  for (size_t d = 0; d < static_cast<size_t>(dims); ++d)
    numbers.padding[d] = numbers.dilation[d] * (weight.sizes()[d + 2] - 1) / 2;
  const Window window{numbers.stride, numbers.padding, numbers.dilation, groups};
  return window.correlate(input, weight, bias, sizes, kFirst);
}

Tensor conv_by_word(const char* op, int64_t dims, const Tensor& input, const Tensor& weight,
                    const Tensor& bias, IntSpan stride, std::string_view padding, IntSpan dilation,
                    int64_t groups) {
  check(padding == "same" || padding == "valid", "Invalid padding string: '", padding, "'");
  const std::array<int64_t, 1> none = {0};
  if (padding == "valid") return conv(op, dims, input, weight, bias, stride, none, dilation, groups);
  return batched(op, input, dims, [&](const Tensor& batch) {
    return conv_same(batch, weight, bias, stride, dilation, groups);
  });
}

}  // namespace

namespace ops {

// ---- convolution ----
Tensor convolution(Body, const Tensor& input, const Tensor& weight, const Tensor& bias, IntSpan stride,
                   IntSpan padding, IntSpan dilation, bool transposed, IntSpan output_padding,
                   int64_t groups) {
  if (is_complex(input.dtype())) fail_convolution_dtype(weight, dilation, transposed, input.dtype());
  return convolution_checked(input, weight, bias, stride, padding, dilation, transposed, output_padding,
                             groups);
}

Tensor conv1d(Body, const Tensor& input, const Tensor& weight, const Tensor& bias, IntSpan stride,
              IntSpan padding, IntSpan dilation, int64_t groups) {
  return conv("conv1d", 1, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv1d(Body, const Tensor& input, const Tensor& weight, const Tensor& bias, IntSpan stride,
              std::string_view padding, IntSpan dilation, int64_t groups) {
  return conv_by_word("conv1d", 1, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv2d(Body, const Tensor& input, const Tensor& weight, const Tensor& bias, IntSpan stride,
              IntSpan padding, IntSpan dilation, int64_t groups) {
  return conv("conv2d", 2, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv2d(Body, const Tensor& input, const Tensor& weight, const Tensor& bias, IntSpan stride,
              std::string_view padding, IntSpan dilation, int64_t groups) {
  return conv_by_word("conv2d", 2, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv3d(Body, const Tensor& input, const Tensor& weight, const Tensor& bias, IntSpan stride,
              IntSpan padding, IntSpan dilation, int64_t groups) {
  return conv("conv3d", 3, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv3d(Body, const Tensor& input, const Tensor& weight, const Tensor& bias, IntSpan stride,
              std::string_view padding, IntSpan dilation, int64_t groups) {
  return conv_by_word("conv3d", 3, input, weight, bias, stride, padding, dilation, groups);
}

Tensor conv_transpose1d(Body, const Tensor& input, const Tensor& weight, const Tensor& bias, IntSpan stride,
                        IntSpan padding, IntSpan output_padding, int64_t groups, IntSpan dilation) {
  return conv_transpose("conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups,
                        dilation);
}
Tensor conv_transpose2d(Body, const Tensor& input, const Tensor& weight, const Tensor& bias, IntSpan stride,
                        IntSpan padding, IntSpan output_padding, int64_t groups, IntSpan dilation) {
  return conv_transpose("conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups,
                        dilation);
}
Tensor conv_transpose3d(Body, const Tensor& input, const Tensor& weight, const Tensor& bias, IntSpan stride,
                        IntSpan padding, IntSpan output_padding, int64_t groups, IntSpan dilation) {
  return conv_transpose("conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups,
                        dilation);
}

}  // namespace ops
}  // namespace onetape
