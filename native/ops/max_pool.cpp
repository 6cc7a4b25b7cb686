#include "ops.h"
#include "ops/pooling.h"

namespace onetape::ops {
namespace {

/// One number of a list that may hold no more.
int64_t only(const char* what, const char* kinds, IntSpan values) {
  check(values.size() == 1, "max_pool1d() ", what, " must be ", kinds, " of size 1 but got size ",
        values.size());
  return values[0];
}

void check_max_pool1d(const Tensor& self, IntSpan kernel_size, std::optional<IntSpan> stride, IntSpan padding,
                      IntSpan dilation, bool ceil_mode) {
  const bool given = stride && !stride->empty();
  const IntSpan sizes = self.sizes();
  check(
      (self.dim() == 2 || self.dim() == 3) && sizes.back() > 0 && sizes[sizes.size() - 2] > 0,
      "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:",
      self.shape());
  const int64_t kernel = only("kernel_size", "an int, list of ints or tuple of ints", kernel_size);
  const int64_t step =
      given ? only("stride", "None, an int, list of ints, or tuple of ints", *stride) : kernel;
  const int64_t pad = only("padding", "an int, list of ints, or tuple of ints", padding);
  const int64_t gap = only("dilation", "an int, list of ints or tuple of ints", dilation);
  for (const int64_t value : {kernel, step, pad, gap})
    check(value <= INT32_MAX, "max_pool1d() a number is too large: ", value);
  check(kernel > 0, "max_pool1d() kernel_size must be greater than zero, but got ", kernel);
  check(step > 0, "max_pool1d() stride must be greater than zero, but got ", step);
  check(pad >= 0, "max_pool1d() padding must be non-negative, but got ", pad);
  check(pad <= kernel / 2,
        "max_pool1d() padding should be at most half of kernel size, but got padding=", pad,
        " and kernel_size=", kernel);
  check(gap > 0, "max_pool1d() dilation must be greater than zero, but got ", gap);
  const int64_t span = sizes.back() + 2 * pad - gap * (kernel - 1) - 1;
  const int64_t count = span < 0 && !(ceil_mode && span + step > 0) ? 0 : 1;
  check(count > 0,
        "max_pool1d() Invalid computed output size: ", (span - (span < 0 ? step - 1 : 0)) / step + 1);
}

/// Values and places over the last two or three dimensions.
std::tuple<Tensor, Tensor> max_pool(const char* op, const char* node, const Tensor& self,
                                    const PoolNumbers& numbers) {
  const int64_t dims = std::ssize(numbers.kernel);
  check(self.dim() == dims + 1 || self.dim() == dims + 2, "non-empty ", dims + 1, "D or ", dims + 2,
        "D (batch mode) tensor expected for input");
  if (dims == 3) check_not_empty("max_pool3d_with_indices_out_cpu_template()", self, self.dim() - 4);
  const MaxPool found = record_max_pool(op, node, self, pool_plan(self, numbers), dims);
  return {found.values, found.indices};
}

}  // namespace

// ---- max_pool1d ----
std::tuple<Tensor, Tensor> max_pool1d_with_indices(Body, const Tensor& self, IntSpan kernel_size,
                                                   std::optional<IntSpan> stride, IntSpan padding,
                                                   IntSpan dilation, bool ceil_mode) {
  check_max_pool1d(self, kernel_size, stride, padding, dilation, ceil_mode);
  const bool given = stride && !stride->empty();
  const int64_t step = given ? (*stride)[0] : kernel_size[0];
  const auto [values, indices] =
      max_pool2d_with_indices(unsqueeze(self, -2), Ints{1, kernel_size[0]}, IntSpan(Ints{1, step}),
                              Ints{0, padding[0]}, Ints{1, dilation[0]}, ceil_mode);
  return {squeeze(values, -2), squeeze(indices, -2)};
}
Tensor max_pool1d(Body, const Tensor& self, IntSpan kernel_size, std::optional<IntSpan> stride,
                  IntSpan padding, IntSpan dilation, bool ceil_mode) {
  check_max_pool1d(self, kernel_size, stride, padding, dilation, ceil_mode);
  if (!is_floating(self.dtype())) {
    fail(ErrorKind::NotImplemented, "\"max_pool1d_impl\" not implemented for '",
         scalar_type_name(self.dtype()), "'");
  }
  return std::get<0>(max_pool1d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

// ---- max_pool2d ----
std::tuple<Tensor, Tensor> max_pool2d_with_indices(Body, const Tensor& self, IntSpan kernel_size,
                                                   std::optional<IntSpan> stride, IntSpan padding,
                                                   IntSpan dilation, bool ceil_mode) {
  return max_pool("max_pool2d", "MaxPool2DWithIndicesBackward0", self,
                  pool_numbers("max_pool2d", 2, kernel_size, stride, padding, dilation, ceil_mode));
}
Tensor max_pool2d(Body, const Tensor& self, IntSpan kernel_size, std::optional<IntSpan> stride,
                  IntSpan padding, IntSpan dilation, bool ceil_mode) {
  return std::get<0>(max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

// ---- max_pool3d ----
std::tuple<Tensor, Tensor> max_pool3d_with_indices(Body, const Tensor& self, IntSpan kernel_size,
                                                   std::optional<IntSpan> stride, IntSpan padding,
                                                   IntSpan dilation, bool ceil_mode) {
  return max_pool("max_pool3d", "MaxPool3DWithIndicesBackward0", self,
                  pool_numbers("max_pool3d", 3, kernel_size, stride, padding, dilation, ceil_mode));
}
Tensor max_pool3d(Body, const Tensor& self, IntSpan kernel_size, std::optional<IntSpan> stride,
                  IntSpan padding, IntSpan dilation, bool ceil_mode) {
  return std::get<0>(max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

}  // namespace onetape::ops
