#include <algorithm>

#include "ops.h"
#include "ops/pooling.h"

namespace onetape::ops {
namespace {

void check_floating(const char* kernel, const Tensor& input) {
  if (!is_floating(input.dtype())) {
    fail(ErrorKind::NotImplemented, "\"", kernel, "\" not implemented for '", scalar_type_name(input.dtype()),
         "'");
  }
}

/// As many sizes as dimensions; one stands for all.
Ints all_sizes(IntSpan output_size, int64_t dims) {
  return output_size.size() == 1 ? Ints(static_cast<size_t>(dims), output_size[0]) : Ints(output_size);
}

/// The one size of an operator over one dimension.
int64_t only_size(const char* op, const Tensor& input, IntSpan output_size) {
  check(input.dim() == 2 || input.dim() == 3, "Expected 2 to 3 dimensions, but got ", input.dim(),
        "-dimensional tensor for argument #1 'self' (while checking arguments for ", op, ")");
  check(output_size.size() == 1, op, "() argument 'output_size' should contain one int (got ",
        output_size.size(), ")");
  return output_size[0];
}

Tensor adaptive_average(const char* op, const char* kernel, const char* node, const char* separators[2],
                        const Tensor& input, const Ints& sizes) {
  const int64_t dims = std::ssize(sizes);
  std::string list;
  for (size_t d = 0; d < sizes.size(); ++d) list += (d ? separators[d - 1] : "") + std::to_string(sizes[d]);
  check(std::ranges::all_of(sizes, [](int64_t size) { return size >= 0; }), op,
        ": elements of output_size must be greater than or equal to 0 but received {", list, "}");
  const bool whole = std::ranges::all_of(sizes, [](int64_t size) { return size == 1; });
  if (whole && !is_complex(input.dtype())) {
    const Ints last = dims == 2 ? Ints{-1, -2} : Ints{-1, -2, -3};
    return mean(input, IntSpan(last), true);
  }
  check(input.dim() == dims + 1 || input.dim() == dims + 2, op, "(): Expected ", dims + 1, "D or ", dims + 2,
        "D tensor, but got ", input.shape());
  check_not_empty((std::string(op) + "()").c_str(), input, input.dim() - dims);
  check_floating(kernel, input);
  return record_average_pool(node, input, adaptive_plan(input, sizes), dims);
}

std::tuple<Tensor, Tensor> adaptive_max(const char* op, const char* kernel, const char* node,
                                        const Tensor& input, const Ints& sizes) {
  const int64_t dims = std::ssize(sizes);
  check(input.dim() == dims + 1 || input.dim() == dims + 2, op, "(): Expected ", dims + 1, "D or ", dims + 2,
        "D tensor, but got: ", input.shape());
  check_not_empty((std::string(op) + "()").c_str(), input, input.dim() - dims);
  for (const int64_t size : sizes) {
    Ints result = input.shape();
    std::copy(sizes.begin(), sizes.end(), result.end() - dims);
    check(size >= 0, "Trying to create tensor with negative dimension ", size, ": ", result);
  }
  check_floating(kernel, input);
  const MaxPool found = record_max_pool(kernel, node, input, adaptive_plan(input, sizes), dims);
  return {found.values, found.indices};
}

}  // namespace

// ---- adaptive_avg_pool1d ----
Tensor adaptive_avg_pool1d(Body, const Tensor& input, IntSpan output_size) {
  const int64_t size = only_size("adaptive_avg_pool1d", input, output_size);
  return squeeze(adaptive_avg_pool2d(unsqueeze(input, -2), Ints{1, size}), -2);
}

// ---- adaptive_avg_pool2d ----
Tensor adaptive_avg_pool2d(Body, const Tensor& input, IntSpan output_size) {
  const Ints sizes = all_sizes(output_size, 2);
  check(sizes.size() == 2, "adaptive_avg_pool2d: output_size must be 2");
  const char* separators[2] = {", ", ""};
  return adaptive_average("adaptive_avg_pool2d", "adaptive_avg_pool2d", "AdaptiveAvgPool2DBackward0",
                          separators, input, sizes);
}

// ---- adaptive_avg_pool3d ----
Tensor adaptive_avg_pool3d(Body, const Tensor& input, IntSpan output_size) {
  const Ints sizes = all_sizes(output_size, 3);
  check(sizes.size() == 3, "adaptive_avg_pool3d: output_size must be 3");
  const char* separators[2] = {", ", ","};
  return adaptive_average("adaptive_avg_pool3d", "adaptive_avg_pool3d_cpu", "AdaptiveAvgPool3DBackward0",
                          separators, input, sizes);
}

// ---- adaptive_max_pool1d ----
std::tuple<Tensor, Tensor> adaptive_max_pool1d(Body, const Tensor& self, IntSpan output_size) {
  const int64_t size = only_size("adaptive_max_pool1d", self, output_size);
  check_not_empty("adaptive_max_pool1d()", self, self.dim() - 1);
  const auto [values, indices] = adaptive_max_pool2d(unsqueeze(self, -2), Ints{1, size});
  return {squeeze(values, -2), squeeze(indices, -2)};
}

// ---- adaptive_max_pool2d ----
std::tuple<Tensor, Tensor> adaptive_max_pool2d(Body, const Tensor& self, IntSpan output_size) {
  const Ints sizes = all_sizes(output_size, 2);
  check(sizes.size() == 2, "adaptive_max_pool2d(): internal error: output_size.size() must be 2");
  return adaptive_max("adaptive_max_pool2d", "adaptive_max_pool2d", "AdaptiveMaxPool2DBackward0", self,
                      sizes);
}

// ---- adaptive_max_pool3d ----
std::tuple<Tensor, Tensor> adaptive_max_pool3d(Body, const Tensor& self, IntSpan output_size) {
  const Ints sizes = all_sizes(output_size, 3);
  check(sizes.size() == 3, "adaptive_max_pool3d(): internal error: output_size.size() must be 3");
  return adaptive_max("adaptive_max_pool3d", "adaptive_max_pool3d_cpu", "AdaptiveMaxPool3DBackward0", self,
                      sizes);
}

}  // namespace onetape::ops
