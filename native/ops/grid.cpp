#include "ops.h"
#include "ops/composed.h"

namespace onetape::ops {
namespace {

enum class Beside : uint8_t { Zeros, Border, Reflection };

struct Sampling {
  Beside beside;
  bool align_corners;
};

Beside parse_padding(std::string_view word) {
  if (word == "zeros") return Beside::Zeros;
  if (word == "border") return Beside::Border;
  check_value(word == "reflection",
              "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
              "but got: '",
              word, "'");
  return Beside::Reflection;
}

/// From [−1, 1] to numbers of elements.
Tensor to_places(const Tensor& at, int64_t size, bool align_corners) {
  if (align_corners) return mul(add(at, Scalar(1)), Scalar(0.5 * static_cast<double>(size - 1)));
  return div(sub(mul(add(at, Scalar(1)), Scalar(size)), Scalar(1)), Scalar(2));
}

/// Places mirrored at the ends until they are between them.
Tensor mirrored(const Tensor& at, int64_t size, bool align_corners) {
  const double low = align_corners ? 0 : -0.5;
  const double span = align_corners ? static_cast<double>(size - 1) : static_cast<double>(size);
  if (span == 0) return mul(at, Scalar(0));
  const Tensor distance = abs(sub(at, Scalar(low)));
  const Tensor extra = fmod(distance, Scalar(span));
  const Tensor turns = floor(div(detach(distance), Scalar(span)));
  const Tensor forward = eq(fmod(turns, Scalar(2)), Scalar(0));
  return where(forward, add(extra, Scalar(low)), add(rsub(extra, Scalar(span)), Scalar(low)));
}

Tensor padded(const Tensor& at, int64_t size, const Sampling& how) {
  if (how.beside == Beside::Zeros) return at;
  const Tensor inside = how.beside == Beside::Reflection ? mirrored(at, size, how.align_corners) : at;
  return clamp(inside, std::optional<Scalar>(0), std::optional<Scalar>(size - 1));
}

/// One element an axis: its number, and with which weight it counts.
struct Tap {
  Tensor place;   // whole numbers, maybe beside the image
  Tensor weight;  // undefined: 1
};

/// The elements at the crossings of the taps of all axes, the last axis first: [samples, channels, places].
Tensor looked_up(const Tensor& input, std::span<const Tap> taps) {
  const int64_t samples = input.sizes()[0];
  const int64_t channels = input.sizes()[1];
  Tensor cell;
  Tensor valid;
  Tensor weight;
  for (size_t i = taps.size(); i-- > 0;) {  // the first dimension of the image is the last axis of the grid
    const int64_t size = input.sizes()[input.sizes().size() - 1 - i];
    const Tensor place = detach(taps[i].place);
    const Tensor inside = logical_and(ge(place, Scalar(0)), le(place, Scalar(size - 1)));
    const Tensor number = to_dtype(where(inside, place, zeros_like(place)), DType::I64);
    cell = cell.defined() ? add(mul(cell, Scalar(size)), number) : number;
    valid = valid.defined() ? logical_and(valid, inside) : inside;
    if (taps[i].weight.defined()) weight = weight.defined() ? mul(weight, taps[i].weight) : taps[i].weight;
  }
  const int64_t places = cell.sizes()[1];
  int64_t image = 1;
  for (const int64_t size : input.sizes().subspan(2)) image *= size;
  const Tensor flat = reshape(input, Ints{samples, channels, image});
  const Tensor found = gather(flat, 2, expand(unsqueeze(cell, 1), Ints{samples, channels, places}));
  const Tensor kept = masked_fill(found, logical_not(unsqueeze(valid, 1)), Scalar(0));
  return weight.defined() ? mul(kept, unsqueeze(weight, 1)) : kept;
}

/// Σ over all choices of one tap an axis.
Tensor sum_of_crossings(const Tensor& input, const std::vector<std::vector<Tap>>& axes) {
  Tensor total;
  std::vector<size_t> at(axes.size(), 0);
  for (;;) {
    std::vector<Tap> taps;
    for (size_t i = 0; i < axes.size(); ++i) taps.push_back(axes[i][at[i]]);
    const Tensor term = looked_up(input, taps);
    total = total.defined() ? add(total, term) : term;
    size_t i = 0;
    while (i < axes.size() && ++at[i] == axes[i].size()) at[i++] = 0;
    if (i == axes.size()) return total;
  }
}

std::vector<Tap> nearest_taps(const Tensor& at) { return {{round(detach(at)), Tensor()}}; }

std::vector<Tap> linear_taps(const Tensor& at) {
  const Tensor low = floor(detach(at));
  const Tensor share = sub(at, low);
  return {{low, rsub(share, Scalar(1))}, {add(low, Scalar(1)), share}};
}

std::vector<Tap> cubic_taps(const Tensor& at, int64_t size, const Sampling& how) {
  constexpr double kSlope = -0.75;
  const Tensor low = floor(detach(at));
  const Tensor share = sub(at, low);
  // Both are polynomials of the distance: within one element, and from one to two.
  const auto near = [](const Tensor& x) {
    const Tensor inner = sub(mul(x, Scalar(kSlope + 2)), Scalar(kSlope + 3));
    return add(mul(mul(inner, x), x), Scalar(1));
  };
  const auto far = [](const Tensor& x) {
    const Tensor inner = add(mul(sub(mul(x, Scalar(kSlope)), Scalar(5 * kSlope)), x), Scalar(8 * kSlope));
    return sub(mul(inner, x), Scalar(4 * kSlope));
  };
  const Tensor rest = rsub(share, Scalar(1));
  const std::array<Tensor, 4> weights = {far(add(share, Scalar(1))), near(share), near(rest),
                                         far(add(rest, Scalar(1)))};
  std::vector<Tap> taps;
  for (int i = 0; i < 4; ++i)
    taps.push_back({padded(add(low, Scalar(i - 1)), size, how), weights[static_cast<size_t>(i)]});
  return taps;
}

Tensor sampled(const Tensor& input, const Tensor& grid, std::string_view mode, const Sampling& how) {
  const auto dims = static_cast<size_t>(input.dim()) - 2;
  const int64_t samples = input.sizes()[0];
  const int64_t places = samples == 0 ? 0 : grid.numel() / (samples * static_cast<int64_t>(dims));
  const Tensor flat = reshape(grid, Ints{samples, places, static_cast<int64_t>(dims)});
  std::vector<std::vector<Tap>> axes;
  for (size_t i = 0; i < dims; ++i) {
    const int64_t size = input.sizes()[input.sizes().size() - 1 - i];
    const Tensor at = to_places(select(flat, 2, static_cast<int64_t>(i)), size, how.align_corners);
    if (mode == "bicubic") {
      axes.push_back(cubic_taps(at, size, how));
    } else {
      const Tensor inside = padded(at, size, how);
      axes.push_back(mode == "nearest" ? nearest_taps(inside) : linear_taps(inside));
    }
  }
  Ints sizes(input.sizes().first(2));
  sizes.append(grid.sizes().subspan(1, dims));
  Tensor result = reshape(sum_of_crossings(input, axes), sizes);
  // The nearest element does not change with the place, yet the place gets a gradient: zeros.
  if (mode == "nearest" && grid.requires_grad()) result = add(result, mul(sum(flat), Scalar(0)));
  return result;
}

void check_grid(const Tensor& input, const Tensor& grid, std::string_view mode) {
  check(input.dtype() == grid.dtype(),
        "grid_sampler(): expected input and grid to have same dtype, but input has ", name_of(input.dtype()),
        " and grid has ", name_of(grid.dtype()));
  check(input.dim() > 0 && grid.dim() > 0 && input.sizes()[0] == grid.sizes()[0],
        "grid_sampler(): expected grid and input to have same batch size, but got input with sizes ",
        input.shape(), " and grid with sizes ", grid.shape());
  check(input.dim() >= 3 && grid.sizes().back() == input.dim() - 2,
        "grid_sampler(): expected grid to have size ", input.dim() - 2,
        " in last dimension, but got grid with sizes ", grid.shape());
  for (size_t d = 2; d < input.sizes().size(); ++d) {
    check(input.sizes()[d] > 0,
          "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes ",
          input.shape(), " with dimension ", d, " being empty");
  }
  check((input.dim() == 4 || input.dim() == 5) && input.dim() == grid.dim(),
        "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with "
        "sizes ",
        input.shape(), " and grid with sizes ", grid.shape());
  check(input.dim() == 4 || mode != "bicubic",
        "grid_sampler(): bicubic interpolation only supports 4D input");
}

/// From −1 to 1 in the dtype of theta.
Tensor line(int64_t size, bool align_corners, DType dtype) {
  if (size <= 1) return zeros(Ints{size}, Options{.dtype = dtype});
  const Tensor ends = linspace(Scalar(-1), Scalar(1), size, Options{.dtype = dtype});
  return align_corners ? ends : mul(ends, Scalar(static_cast<double>(size - 1) / static_cast<double>(size)));
}

}  // namespace

// ---- affine_grid ----
Tensor affine_grid(Body, const Tensor& theta, IntSpan size, std::optional<bool> align_corners) {
  const bool align = align_corners.value_or(false);
  check_value(is_floating(theta.dtype()), "Expected theta to have floating point type, but got torch.",
              name_of(theta.dtype()));
  const auto dims = static_cast<int64_t>(size.size()) - 2;
  if (dims != 2 && dims != 3) {
    fail(
        ErrorKind::NotImplemented,
        "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size ",
        Ints(size), ".");
  }
  check_value(theta.dim() == 3 && theta.sizes()[1] == dims && theta.sizes()[2] == dims + 1,
              "Expected a batch of ", dims, "D affine matrices of shape Nx", dims, "x", dims + 1,
              " for size ", Ints(size), ". Got torch.Size(", ShapeText{theta.sizes()}, ").");
  check_value(std::ranges::all_of(size, [](int64_t one) { return one > 0; }),
              "Expected non-zero, positive output size. Got ", Ints(size));
  check(size[0] == theta.sizes()[0], "Expected a batch of affine matrices for each of ", size[0],
        " samples, but got ", theta.sizes()[0]);
  const IntSpan space = size.subspan(2);
  const auto parts = [space = Ints(space), align, dims](std::span<const Tensor> in) {
    std::vector<Tensor> columns;
    for (int64_t i = dims; i-- > 0;) {
      Ints shape(static_cast<size_t>(dims), 1);
      shape[static_cast<size_t>(i)] = space[static_cast<size_t>(i)];
      const Tensor along = line(space[static_cast<size_t>(i)], align, in[0].dtype());
      columns.push_back(reshape(expand(reshape(along, shape), space), Ints{-1}));
    }
    columns.push_back(ones_like(columns[0]));
    const Tensor base = unsqueeze(stack(columns, 1), 0);
    Ints shape = {in[0].sizes()[0]};
    shape.append(space);
    shape.push_back(dims);
    return reshape(matmul(base, transpose(in[0], 1, 2)), shape);
  };
  return composed("AffineGridGeneratorBackward0", std::array{theta}, parts);
}

// ---- grid_sample ----
Tensor grid_sample(Body, const Tensor& input, const Tensor& grid, std::string_view mode,
                   std::string_view padding_mode, std::optional<bool> align_corners) {
  check_value(
      mode == "bilinear" || mode == "nearest" || mode == "bicubic",
      "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '", mode,
      "'");
  const Sampling how{parse_padding(padding_mode), align_corners.value_or(false)};
  check_grid(input, grid, mode);
  visit_floating(input.dim() == 4 ? "grid_sampler_2d_cpu_kernel_impl" : "grid_sampler3d_cpu", input.dtype(),
                 [](auto) {});
  const auto parts = [how, mode = std::string(mode)](std::span<const Tensor> in) {
    return sampled(in[0], in[1], mode, how);
  };
  return composed(input.dim() == 4 ? "GridSampler2DBackward0" : "GridSampler3DBackward0",
                  std::array{input, grid}, parts);
}

}  // namespace onetape::ops
