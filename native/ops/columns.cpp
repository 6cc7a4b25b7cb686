#include "kernels/columns.h"

#include <algorithm>

#include "ops.h"
#include "ops/copy.h"

namespace onetape::ops {
namespace {

using Sizes = ColumnShape::Sizes;

/// `(2, 3)`
struct InText {
  const Sizes& sizes;
  friend std::ostream& operator<<(std::ostream& out, const InText& text) {
    return out << '(' << text.sizes[0] << ", " << text.sizes[1] << ')';
  }
};

/// What both operators are given, checked.
struct Numbers {
  Sizes kernel;
  Sizes dilation;
  Sizes padding;
  Sizes stride;

  /// How many stretches an image has; not positive where there are none.
  Sizes count(const Sizes& image) const {
    Sizes found{};
    for (size_t d = 0; d < 2; ++d) {
      const int64_t span = image[d] + 2 * padding[d] - (dilation[d] * (kernel[d] - 1) + 1);
      found[d] = (span < 0 ? -((-span + stride[d] - 1) / stride[d]) : span / stride[d]) + 1;
    }
    return found;
  }
};

Sizes two(const char* name, IntSpan values) {
  check(values.size() == 2, "It is expected ", name, " equals to 2, but got size ", values.size());
  for (const int64_t value : values)
    check(value <= INT32_MAX && value >= -INT32_MAX, name, " has a number that is too large: ", value);
  return {values[0], values[1]};
}

Numbers numbers_of(IntSpan kernel_size, IntSpan dilation, IntSpan padding, IntSpan stride) {
  const Numbers n{two("kernel_size", kernel_size), two("dilation", dilation), two("padding", padding),
                  two("stride", stride)};
  const auto check_least = [](const char* what, const char* bound, const char* name, const Sizes& values,
                              int64_t least) {
    check(values[0] >= least && values[1] >= least, what, " should be ", bound, ", but got ", name,
          "_height: ", values[0], " ", name, "_width: ", values[1]);
  };
  check_least("kernel size", "greater than zero", "kernel", n.kernel, 1);
  check_least("dilation", "greater than zero", "dilation", n.dilation, 1);
  check_least("padding", "non-negative", "pad", n.padding, 0);
  check_least("stride", "greater than zero", "stride", n.stride, 1);
  return n;
}

void check_dtype(const char* kernel, const Tensor& t) {
  if (is_integral(t.dtype())) {
    fail(ErrorKind::NotImplemented, "\"", kernel, "\" not implemented for '", scalar_type_name(t.dtype()),
         "'");
  }
}

ColumnShape shape_of(const Numbers& n, int64_t channels, const Sizes& image) {
  return {channels, image, n.kernel, n.dilation, n.padding, n.stride, n.count(image)};
}

bool filled(const Tensor& t, size_t last) {
  return std::ranges::all_of(t.sizes().last(last), [](int64_t size) { return size > 0; });
}

}  // namespace

// ---- im2col ----
Tensor im2col(Body, const Tensor& self, IntSpan kernel_size, IntSpan dilation, IntSpan padding,
              IntSpan stride) {
  const Numbers n = numbers_of(kernel_size, dilation, padding, stride);
  check_index(self.dim() > 2, "Dimension out of range (expected to be in range of [", -self.dim(), ", ",
              self.dim() - 1, "], but got 2)");
  check(self.dim() <= 4 && filled(self, 3),
        "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
        "input, but got: ",
        self.shape());
  const IntSpan in = self.sizes().last(3);
  const Sizes image = {in[1], in[2]};
  const Sizes count = n.count(image);
  check(count[0] >= 1 && count[1] >= 1, "Given input with spatial size ", InText{image},
        ", kernel_size=", InText{n.kernel}, ", dilation=", InText{n.dilation},
        ", padding=", InText{n.padding}, ", calculated shape of the array of sliding blocks as ",
        InText{count}, ", but its components must be at least one.");
  check_dtype("im2col_out_cpu", self);
  Ints sizes = {in[0] * n.kernel[0] * n.kernel[1], count[0] * count[1]};
  if (self.dim() == 4) sizes.insert(0, self.sizes()[0]);
  const Tensor from = dense(self);
  Tensor result = Tensor::empty(sizes, self.dtype());
  const int64_t channels = self.numel() / (in[1] * in[2]);
  if (result.has_data())
    image_to_columns(self.dtype(), shape_of(n, channels, image), from.bytes(), result.bytes());
  if (!recording(self) || !is_differentiable(self.dtype())) return result;
  return record(result, "Im2ColBackward0", {self}, [n, image](Backward& g) {
    g.set(0, col2im(g.grad(), image, n.kernel, n.dilation, n.padding, n.stride));
  });
}

// ---- col2im ----
Tensor col2im(Body, const Tensor& self, IntSpan output_size, IntSpan kernel_size, IntSpan dilation,
              IntSpan padding, IntSpan stride) {
  const Sizes image = two("output_size", output_size);
  const Numbers n = numbers_of(kernel_size, dilation, padding, stride);
  check((self.dim() == 2 || self.dim() == 3) && filled(self, 2),
        "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions "
        "for "
        "input, but got: ",
        self.shape());
  const IntSpan in = self.sizes().last(2);
  const int64_t first = self.dim() - 2;
  const int64_t taps = n.kernel[0] * n.kernel[1];
  check(in[0] % taps == 0,
        "Expected size of input's dimension 1 to be divisible by the product of kernel_size,",
        " but got input.size(1)=", in[0], " and kernel_size=", InText{n.kernel}, ".");
  const Sizes count = n.count(image);
  check(in[1] == count[0] * count[1] && count[0] > 0 && count[1] > 0, "Given output_size=", InText{image},
        ", kernel_size=", InText{n.kernel}, ", dilation=", InText{n.dilation},
        ", padding=", InText{n.padding}, ", stride=", InText{n.stride},
        ", expected size of input's dimension 2 to match the calculated number of sliding blocks ", count[0],
        " * ", count[1], " = ", count[0] * count[1], ", but got input.size(2)=", in[1], ".");
  check_dtype("col2im_out_cpu", self);
  Ints sizes = {in[0] / taps, image[0], image[1]};
  if (first == 1) sizes.insert(0, self.sizes()[0]);
  const Tensor from = dense(self);
  Tensor result = zeros(sizes, Options{.dtype = self.dtype()});
  const int64_t channels = (first == 1 ? self.sizes()[0] : 1) * (in[0] / taps);
  if (result.has_data())
    columns_to_image(self.dtype(), shape_of(n, channels, image), from.bytes(), result.bytes());
  if (!recording(self) || !is_differentiable(self.dtype())) return result;
  return record(result, "Col2ImBackward0", {self},
                [n](Backward& g) { g.set(0, im2col(g.grad(), n.kernel, n.dilation, n.padding, n.stride)); });
}

}  // namespace onetape::ops
