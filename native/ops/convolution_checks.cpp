#include "ops/convolution_checks.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include "ops/type_words.h"

namespace onetape {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();

/// `8 x 8`
struct BySize {
  IntSpan values;
};
std::ostream& operator<<(std::ostream& out, BySize sizes) {
  for (size_t i = 0; i < sizes.values.size(); ++i) out << (i ? " x " : "") << sizes.values[i];
  return out;
}

/// How error texts name a tensor's type.
std::string type_name(const Tensor& t) {
  const bool plain = t.dtype() != DType::Bool && t.dtype() != DType::BF16 && !is_complex(t.dtype());
  const std::string name(scalar_type_name(t.dtype()));
  return plain ? "torch." + name + "Tensor" : "CPU" + name + "Type";
}

void check_numbers(const ConvolutionNumbers& n) {
  const auto least = [](const Ints& values) { return *std::min_element(values.begin(), values.end()); };
  check(n.groups > 0, "non-positive groups is not supported");
  check(least(n.padding) >= 0, "negative padding is not supported");
  check(least(n.output_padding) >= 0, "negative output_padding is not supported");
  check(least(n.stride) > 0, "non-positive stride is not supported");
  check(least(n.dilation) > 0, "non-positive dilation is not supported");
  for (const Ints* values : {&n.padding, &n.output_padding, &n.stride, &n.dilation}) {
    for (const int64_t value : *values)
      check(value <= kLargest, "convolution: numbers above 2147483647 are not supported, got ", value);
  }
}

}  // namespace

void fail_convolution_dtype(const Tensor& weight, IntSpan dilation, bool transposed, DType dtype) {
  const bool space = weight.dim() == 5;
  const char* name = space ? "compute_columns3d" : "slow_conv2d_cpu";
  if (std::ranges::any_of(dilation, [](int64_t d) { return d != 1; })) name = "slow_conv_dilated<>";
  if (transposed) name = space ? "slow_conv_transpose3d_out_cpu" : "slow_conv_transpose2d_out_cpu";
  fail(ErrorKind::NotImplemented, "\"", name, "\" not implemented for '", scalar_type_name(dtype), "'");
}

void check_convolution_dtypes(const Tensor& input, const Tensor& weight, const Tensor& bias,
                              const ConvolutionNumbers& numbers) {
  const DType dtype = input.dtype();
  const bool integral = is_integral(dtype) && (!numbers.transposed || dtype == DType::I64);
  const bool exists = is_differentiable(dtype) || integral;
  if (weight.dtype() != dtype && (dtype == DType::F32 || dtype == DType::BF16 || is_complex(dtype))) {
    fail(ErrorKind::Runtime, "Input type (", type_name(input), ") and weight type (", type_name(weight),
         ") should be the same",
         is_complex(dtype) ? "" : " or input should be a MKLDNN tensor and weight is a dense tensor");
  }
  check(!bias.defined() || bias.dtype() == dtype || (numbers.transposed && !exists), "Input type (",
        type_words(dtype), ") and bias type (", type_words(bias.defined() ? bias.dtype() : dtype),
        ") should be the same");
  if (!exists) {
    fail_convolution_dtype(weight, numbers.dilation, numbers.transposed, dtype);
  }
  check(weight.dtype() == dtype, "expected scalar type ", scalar_type_name(dtype), " but found ",
        scalar_type_name(weight.dtype()));
}

namespace {

void check_channels(const Tensor& input, const Tensor& weight, const Tensor& bias,
                    const ConvolutionNumbers& numbers) {
  const int64_t groups = numbers.groups;
  const IntSpan sizes = weight.sizes();
  const int64_t wanted = numbers.transposed ? sizes[0] : sizes[1] * groups;
  const int64_t results = numbers.transposed ? sizes[1] * groups : sizes[0];
  check(sizes[0] >= groups, "Given groups=", groups, ", expected weight to be at least ", groups,
        " at dimension 0, but got weight of size ", weight.shape(), " instead");
  check(sizes[0] % groups == 0, "Given groups=", groups, ", expected weight to be divisible by ", groups,
        " at dimension 0, but got weight of size [", weight.shape(), "] instead");
  const auto given = [&] {
    return numbers.transposed ? std::string("Given transposed=1") : "Given groups=" + std::to_string(groups);
  };
  check(input.sizes()[1] == wanted, given(), ", weight of size ", weight.shape(), ", expected input",
        input.shape(), " to have ", wanted, " channels, but got ", input.sizes()[1], " channels instead");
  check(!bias.defined() || (bias.dim() == 1 && bias.numel() == results),
        numbers.transposed ? "Given transposed=1, weight of size " : "Given weight of size ", weight.shape(),
        ", expected bias to be 1-dimensional with ", results, " elements, but got bias of size ",
        bias.defined() ? bias.shape() : Ints(), " instead");
}

/// Names and numbers of the dimensions of space: ` stride_height: 2 stride_width: 2`. One dimension counts as
/// the width of a plane.
std::string by_dimension(const char* what, const Ints& values, int64_t other) {
  constexpr const char* kNames[] = {"depth", "height", "width"};
  const size_t n = std::max<size_t>(values.size(), 2);
  std::ostringstream text;
  for (size_t i = 0; i < n; ++i) {
    const int64_t value = values.size() == 1 && i == 0 ? other : values[values.size() == 1 ? 0 : i];
    text << " " << what << "_" << kNames[3 - n + i] << ": " << value;
  }
  return text.str();
}

Ints transposed_sizes(const Tensor& input, const Tensor& weight, const ConvolutionNumbers& n) {
  Ints sizes;
  Ints given;
  bool fits = true;
  for (size_t d = 0; d < n.stride.size(); ++d) {
    check(n.output_padding[d] < n.stride[d] || n.output_padding[d] < n.dilation[d],
          "output padding must be smaller than either stride or dilation, but got",
          by_dimension("output_padding", n.output_padding, 0), by_dimension("stride", n.stride, 1),
          by_dimension("dilation", n.dilation, 1));
    given.push_back(input.sizes()[d + 2]);
    sizes.push_back((given.back() - 1) * n.stride[d] - 2 * n.padding[d] +
                    n.dilation[d] * (weight.sizes()[d + 2] - 1) + n.output_padding[d] + 1);
    fits = fits && sizes.back() > 0;
  }
  if (fits) return sizes;
  if (sizes.size() == 1) {
    given.insert(0, 1);
    sizes.insert(0, 1);
  }
  fail(ErrorKind::Runtime, "Given input size per channel: (", BySize{given},
       "). Calculated output size per channel: (", BySize{sizes}, "). Output size is too small");
}

}  // namespace

void check_convolution(const Tensor& input, const Tensor& weight, const Tensor& bias,
                       const ConvolutionNumbers& numbers) {
  check_numbers(numbers);
  check(weight.dim() == input.dim(), "Expected ", weight.dim(), "-dimensional input for ", weight.dim(),
        "-dimensional weight ", weight.shape(), ", but got ", input.dim(), "-dimensional input of size ",
        input.shape(), " instead");
  check_channels(input, weight, bias, numbers);
  for (int d = 2; d < weight.dim(); ++d) {
    check(weight.sizes()[static_cast<size_t>(d)] > 0,
          "convolution: the kernel has no elements, got weight of size ", weight.shape());
  }
}

Ints convolution_sizes(const Tensor& input, const Tensor& weight, const ConvolutionNumbers& numbers) {
  if (numbers.transposed) return transposed_sizes(input, weight, numbers);
  Ints sizes;
  Ints padded;
  Ints kernel;
  bool fits = true;
  for (size_t d = 0; d < numbers.stride.size(); ++d) {
    padded.push_back(input.sizes()[d + 2] + 2 * numbers.padding[d]);
    kernel.push_back(numbers.dilation[d] * (weight.sizes()[d + 2] - 1) + 1);
    fits = fits && padded.back() >= kernel.back();
    sizes.push_back((padded.back() - kernel.back()) / numbers.stride[d] + 1);
  }
  check(fits, "Calculated padded input size per channel: (", BySize{padded}, "). Kernel size: (",
        BySize{kernel}, "). Kernel size can't be greater than actual input size");
  return sizes;
}

}  // namespace onetape
