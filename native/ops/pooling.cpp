#include "ops/pooling.h"

#include <algorithm>

#include "ops.h"
#include "ops/copy.h"

namespace onetape {
namespace {

constexpr int64_t kLargest = INT32_MAX;
constexpr const char* kCounts[] = {"", "one int", "two ints", "three ints"};
constexpr const char* kAxes[] = {"T", "H", "W"};

/// ` kH: 2 kW: 3`: numbers with the names of the dimensions, of which the last are meant.
std::string by_axis(const char* what, const Ints& values) {
  std::ostringstream text;
  for (size_t i = 0; i < values.size(); ++i)
    text << " " << what << kAxes[3 - values.size() + i] << ": " << values[i];
  return text.str();
}

/// `3x8x8`: a plane's channels and sizes.
std::string by_size(int64_t channels, const Ints& sizes) {
  std::string text = std::to_string(channels);
  for (const int64_t size : sizes) text += "x" + std::to_string(size);
  return text;
}

/// The numbers of windows along one dimension.
int64_t window_count(int64_t size, const PoolNumbers& n, size_t d) {
  const int64_t stride = n.stride[d];
  const int64_t pad = n.padding[d];
  check(stride != 0, "stride should not be zero");
  check(pad >= 0, "pad must be non-negative, but got pad: ", pad);
  check(pad <= ((n.kernel[d] - 1) * n.dilation[d] + 1) / 2,
        "pad should be at most half of effective kernel size, but got pad=", pad,
        ", kernel_size=", n.kernel[d], " and dilation=", n.dilation[d]);
  const int64_t span = size + 2 * pad - n.dilation[d] * (n.kernel[d] - 1) - 1;
  const int64_t numerator = span + (n.ceil_mode ? stride - 1 : 0);
  int64_t count = numerator / stride - (numerator % stride != 0 && (numerator < 0) != (stride < 0)) + 1;
  if (n.ceil_mode && (count - 1) * stride >= size + pad) --count;
  return count;
}

void check_positive(const PoolNumbers& n) {
  const auto positive = [](const Ints& values) {
    return std::ranges::all_of(values, [](auto v) { return v > 0; });
  };
  check(positive(n.kernel), "kernel size should be greater than zero, but got", by_axis("k", n.kernel));
  check(positive(n.stride), "stride should be greater than zero, but got", by_axis("d", n.stride));
  check(positive(n.dilation), "dilation should be greater than zero, but got",
        by_axis("dilation", n.dilation));
}

std::vector<PoolWindow> windows_of(int64_t size, int64_t count, const PoolNumbers& n, size_t d) {
  std::vector<PoolWindow> windows;
  windows.reserve(static_cast<size_t>(count));
  const int64_t step = n.dilation[d];
  for (int64_t i = 0; i < count; ++i) {
    int64_t first = i * n.stride[d] - n.padding[d];
    const int64_t end = std::min(first + (n.kernel[d] - 1) * step + 1, size);
    if (first < 0) first += (-first + step - 1) / step * step;
    windows.push_back({first, end, step, end - first});
  }
  return windows;
}

/// A plan with one plane for all but the last dimensions and no windows yet.
PoolPlan empty_plan(const Tensor& input, int64_t dims) {
  PoolPlan plan{};
  plan.planes = 1;
  const int64_t lead = input.dim() - dims;
  for (int64_t d = 0; d < lead; ++d) plan.planes *= input.sizes()[static_cast<size_t>(d)];
  plan.in = {1, 1, 1};
  for (int64_t d = 0; d < dims; ++d)
    plan.in[static_cast<size_t>(3 - dims + d)] = input.sizes()[static_cast<size_t>(lead + d)];
  for (auto& windows : plan.windows) windows = {{0, 1, 1, 1}};
  return plan;
}

}  // namespace

PoolNumbers pool_numbers(const char* op, int64_t dims, IntSpan kernel, std::optional<IntSpan> stride,
                         IntSpan padding, IntSpan dilation, bool ceil_mode, const char* either) {
  const auto fits = [dims](IntSpan values) { return values.size() == 1 || std::ssize(values) == dims; };
  const auto all = [dims](IntSpan values) {
    return values.size() == 1 ? Ints(static_cast<size_t>(dims), values[0]) : Ints(values);
  };
  check(fits(kernel), op, ": kernel_size must ", either, "be a single int, or a tuple of ", kCounts[dims]);
  const bool given = stride && !stride->empty();
  check(!given || fits(*stride), op, ": stride must ", either, "be omitted, a single int, or a tuple of ",
        kCounts[dims]);
  check(fits(padding), op, ": padding must ", either, "be a single int, or a tuple of ", kCounts[dims]);
  check(fits(dilation), op, ": dilation must be either a single int, or a tuple of ", kCounts[dims]);
  for (const IntSpan values : {kernel, given ? *stride : kernel, padding, dilation}) {
    for (const int64_t value : values)
      check(value <= kLargest && value >= -kLargest, op, ": a number is too large: ", value);
  }
  return {all(kernel), all(given ? *stride : kernel), all(padding), all(dilation), ceil_mode};
}

PoolPlan pool_plan(const Tensor& input, const PoolNumbers& numbers) {
  const int64_t dims = std::ssize(numbers.kernel);
  const auto lead = static_cast<size_t>(input.dim() - dims);
  PoolPlan plan = empty_plan(input, dims);
  Ints sizes;
  Ints counts;
  for (size_t d = 0; d < numbers.kernel.size(); ++d) {
    sizes.push_back(input.sizes()[lead + d]);
    counts.push_back(window_count(sizes.back(), numbers, d));
  }
  check_positive(numbers);
  if (dims == 2) {
    const bool filled = std::ranges::all_of(input.sizes().last(3), [](int64_t size) { return size > 0; });
    check(filled && input.dim() <= 4,
          "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:",
          input.shape());
  }
  const int64_t channels = input.sizes()[lead - 1];
  check(std::ranges::all_of(counts, [](int64_t count) { return count >= 1; }), "Given input size: (",
        by_size(channels, sizes), "). Calculated output size: (", by_size(channels, counts),
        "). Output size is too small");
  for (size_t d = 0; d < numbers.kernel.size(); ++d)
    plan.windows[3 - numbers.kernel.size() + d] = windows_of(sizes[d], counts[d], numbers, d);
  return plan;
}

void set_averages(PoolPlan& plan, const PoolNumbers& numbers, bool count_include_pad,
                  std::optional<int64_t> divisor_override) {
  plan.divisor = divisor_override.value_or(0);
  if (!count_include_pad) return;
  for (size_t d = 0; d < numbers.kernel.size(); ++d) {
    const size_t at = 3 - numbers.kernel.size() + d;
    for (int64_t i = 0; i < std::ssize(plan.windows[at]); ++i) {
      const int64_t first = i * numbers.stride[d] - numbers.padding[d];
      const int64_t end = std::min(first + numbers.kernel[d], plan.in[at] + numbers.padding[d]);
      plan.windows[at][static_cast<size_t>(i)].size = end - first;
    }
  }
}

PoolPlan adaptive_plan(const Tensor& input, IntSpan output_size) {
  const int64_t dims = std::ssize(output_size);
  PoolPlan plan = empty_plan(input, dims);
  for (int64_t d = 0; d < dims; ++d) {
    const auto at = static_cast<size_t>(3 - dims + d);
    const int64_t size = plan.in[at];
    const int64_t count = output_size[static_cast<size_t>(d)];
    std::vector<PoolWindow> windows;
    windows.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      // i · size / count, and (i + 1) · size / count rounded up, without overflow.
      const int64_t first = i / count * size + i % count * size / count;
      const int64_t end = 1 + ((i + 1) * size - 1) / count;
      windows.push_back({first, end, 1, end - first});
    }
    plan.windows[at] = std::move(windows);
  }
  return plan;
}

void check_not_empty(const char* op, const Tensor& input, int64_t first) {
  for (int64_t d = first; d < input.dim(); ++d) {
    check(input.sizes()[static_cast<size_t>(d)] > 0, op,
          ": Expected input to have non-zero size for non-batch dimensions, but input has sizes ",
          input.shape(), " with dimension ", d, " being empty");
  }
}

Ints pooled_sizes(const Tensor& input, const PoolPlan& plan, int64_t dims) {
  Ints sizes = input.shape();
  for (int64_t d = 0; d < dims; ++d) {
    sizes[sizes.size() - static_cast<size_t>(dims - d)] =
        std::ssize(plan.windows[static_cast<size_t>(3 - dims + d)]);
  }
  return sizes;
}

// ---- recorded ----

namespace {

/// The last dimensions as one.
Tensor flat_planes(const Tensor& t, int64_t planes) {
  return ops::reshape(t, Ints{planes, planes == 0 ? 0 : t.numel() / planes});
}

}  // namespace

namespace {

/// Planes of `size` elements with the elements of grad at their places, and else zeros.
Tensor at_places(const Tensor& grad, const Tensor& places, int64_t size) {
  const Ints sizes = {grad.sizes()[0], size};
  if (recording(grad) || !is_floating(grad.dtype()) || !same(places.sizes(), grad.sizes()))
    return ops::scatter_add(ops::zeros(sizes, Options{.dtype = grad.dtype()}), 1, places, grad);
  const Tensor from = dense(grad);
  const Tensor at = dense(places);
  Tensor result = Tensor::empty(sizes, grad.dtype());
  if (result.has_data())
    max_pool_backward(grad.dtype(), sizes[0], size, grad.sizes()[1], from.bytes(), at.data<int64_t>(),
                      result.bytes());
  return result;
}

}  // namespace

MaxPool record_max_pool(const char* op, const char* node, const Tensor& input, const PoolPlan& plan,
                        int64_t dims) {
  const Ints sizes = pooled_sizes(input, plan, dims);
  const Tensor in = dense(input);
  MaxPool found{Tensor::empty(sizes, input.dtype()), Tensor::empty(sizes, DType::I64)};
  if (in.has_data())
    max_pool(op, input.dtype(), plan, in.bytes(), found.values.bytes(), found.indices.data<int64_t>());
  if (!recording(input) || !is_differentiable(input.dtype())) return found;
  found.values = record(found.values, node, {input}, saving(save(found.indices)),
                        [planes = plan.planes, in_sizes = input.shape()](Backward& g) {
                          const Tensor at = flat_planes(g.saved(0), planes);
                          const Tensor grad = flat_planes(g.grad(), planes);
                          const int64_t size =
                              planes == 0 ? 0 : checked_numel(in_sizes, grad.dtype()) / planes;
                          g.set(0, ops::reshape(at_places(grad, at, size), in_sizes));
                        });
  return found;
}

namespace {

Tensor spread_averages(const char* node, const Tensor& grad, const PoolPlan& plan, IntSpan in_sizes,
                       int64_t dims) {
  const Tensor from = dense(grad);
  Tensor result = ops::zeros(in_sizes, Options{.dtype = grad.dtype()});
  if (result.has_data()) average_pool_backward(grad.dtype(), plan, from.bytes(), result.bytes());
  if (!recording(grad)) return result;
  return record(std::move(result), node, {grad}, [node, plan, dims](Backward& g) {
    g.set(0, record_average_pool(node, g.grad(), plan, dims));
  });
}

}  // namespace

Tensor record_average_pool(const char* node, const Tensor& input, const PoolPlan& plan, int64_t dims) {
  const Tensor in = dense(input);
  Tensor result = Tensor::empty(pooled_sizes(input, plan, dims), input.dtype());
  if (result.has_data()) average_pool(input.dtype(), plan, in.bytes(), result.bytes());
  if (!recording(input) || !is_differentiable(input.dtype())) return result;
  return record(std::move(result), node, {input}, [node, plan, dims, in_sizes = input.shape()](Backward& g) {
    g.set(0, spread_averages(node, g.grad(), plan, in_sizes, dims));
  });
}

}  // namespace onetape
