#include "ops.h"
#include "ops/pooling.h"

namespace onetape::ops {
namespace {

Tensor average_pool(const char* node, const Tensor& input, const PoolNumbers& numbers, bool count_include_pad,
                    std::optional<int64_t> divisor_override) {
  check(!divisor_override || *divisor_override != 0, "divisor must be not zero");
  PoolPlan plan = pool_plan(input, numbers);
  set_averages(plan, numbers, count_include_pad, divisor_override);
  return record_average_pool(node, input, plan, std::ssize(numbers.kernel));
}

void check_dtype(const char* kernel, DType dtype, bool is_known) {
  if (!is_known) {
    fail(ErrorKind::NotImplemented, "\"", kernel, "\" not implemented for '", scalar_type_name(dtype), "'");
  }
}

}  // namespace

// ---- avg_pool1d ----
Tensor avg_pool1d(Body, const Tensor& input, IntSpan kernel_size, std::optional<IntSpan> stride,
                  IntSpan padding, bool ceil_mode, bool count_include_pad) {
  const auto only = [](const char* name, IntSpan values) {
    check(values.size() == 1, "avg_pool1d() argument '", name, "' should contain one int (got ",
          values.size(), ")");
    return values[0];
  };
  check(input.dim() == 2 || input.dim() == 3, "Expected 2 to 3 dimensions, but got ", input.dim(),
        "-dimensional tensor for argument #1 'self' (while checking arguments for avg_pool1d)");
  const int64_t kernel = only("kernel_size", kernel_size);
  const int64_t step = stride && !stride->empty() ? only("stride", *stride) : kernel;
  const Tensor pooled = avg_pool2d(unsqueeze(input, -2), Ints{1, kernel}, IntSpan(Ints{1, step}),
                                   Ints{0, only("padding", padding)}, ceil_mode, count_include_pad, {});
  return squeeze(pooled, -2);
}

// ---- avg_pool2d ----
Tensor avg_pool2d(Body, const Tensor& input, IntSpan kernel_size, std::optional<IntSpan> stride,
                  IntSpan padding, bool ceil_mode, bool count_include_pad,
                  std::optional<int64_t> divisor_override) {
  const PoolNumbers numbers = pool_numbers("avg_pool2d", 2, kernel_size, stride, padding, Ints{1}, ceil_mode);
  check_index(input.dim() >= 3, "Dimension out of range (expected to be in range of [", -input.dim(), ", ",
              input.dim() - 1, "], but got -3)");
  check_dtype("avg_pool2d", input.dtype(), is_floating(input.dtype()) || input.dtype() == DType::I64);
  return average_pool("AvgPool2DBackward0", input, numbers, count_include_pad, divisor_override);
}

// ---- avg_pool3d ----
Tensor avg_pool3d(Body, const Tensor& input, IntSpan kernel_size, std::optional<IntSpan> stride,
                  IntSpan padding, bool ceil_mode, bool count_include_pad,
                  std::optional<int64_t> divisor_override) {
  const PoolNumbers numbers =
      pool_numbers("avg_pool3d", 3, kernel_size, stride, padding, Ints{1}, ceil_mode, "");
  check(input.dim() == 4 || input.dim() == 5, "non-empty 4D or 5D (batch mode) tensor expected for input");
  check_not_empty("avg_pool3d()", input, input.dim() - 4);
  const IntSpan in = input.sizes().last(3);
  const Ints& pad = numbers.padding;
  const Ints& k = numbers.kernel;
  check(pad[0] < 0 || pad[1] < 0 || pad[2] < 0 ||
            (in[0] + 2 * pad[0] >= k[0] && in[1] + 2 * pad[1] >= k[1] && in[2] + 2 * pad[2] >= k[2]),
        "input image (T: ", in[0], " H: ", in[1], " W: ", in[2], ") smaller than kernel size (kT: ", k[0],
        " kH: ", k[1], " kW: ", k[2], ")");
  const DType dtype = input.dtype();
  check_dtype("avg_pool3d_out_frame", dtype,
              dtype == DType::F32 || dtype == DType::F64 || dtype == DType::I64);
  return average_pool("AvgPool3DBackward0", input, numbers, count_include_pad, divisor_override);
}

// ---- lp_pool1d, lp_pool2d, lp_pool3d ----
namespace {

/// Norms from the averages of the elements' powers.
Tensor norms(const Tensor& averages, double norm_type, int64_t elements) {
  const Tensor powers = mul(sign(averages), relu(abs(averages)));
  return pow(mul(powers, Scalar(elements)), wrapped_number(Scalar(1.0 / norm_type)));
}

/// How many elements a window has.
int64_t elements_of(IntSpan kernel_size, size_t dims) {
  int64_t count = 1;
  for (size_t d = 0; d < dims; ++d) count *= kernel_size[kernel_size.size() == 1 ? 0 : d];
  return count;
}

}  // namespace

Tensor lp_pool1d(Body, const Tensor& input, double norm_type, IntSpan kernel_size,
                 std::optional<IntSpan> stride, bool ceil_mode) {
  const Tensor averages = avg_pool1d(pow(input, wrapped_number(Scalar(norm_type))), kernel_size, stride,
                                     Ints{0}, ceil_mode, true);
  return norms(averages, norm_type, elements_of(kernel_size, 1));
}
Tensor lp_pool2d(Body, const Tensor& input, double norm_type, IntSpan kernel_size,
                 std::optional<IntSpan> stride, bool ceil_mode) {
  const Tensor averages = avg_pool2d(pow(input, wrapped_number(Scalar(norm_type))), kernel_size, stride,
                                     Ints{0}, ceil_mode, true, {});
  return norms(averages, norm_type, elements_of(kernel_size, 2));
}
Tensor lp_pool3d(Body, const Tensor& input, double norm_type, IntSpan kernel_size,
                 std::optional<IntSpan> stride, bool ceil_mode) {
  const Tensor averages = avg_pool3d(pow(input, wrapped_number(Scalar(norm_type))), kernel_size, stride,
                                     Ints{0}, ceil_mode, true, {});
  return norms(averages, norm_type, elements_of(kernel_size, 3));
}

}  // namespace onetape::ops
