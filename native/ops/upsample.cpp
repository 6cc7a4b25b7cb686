#include <numbers>
#include <numeric>

#include "kernels/resample.h"
#include "ops.h"
#include "ops/copy.h"

namespace onetape {
namespace {

enum class Curve { Nearest, NearestExact, Linear, Cubic, WideLinear, WideCubic, WideLanczos };

/// A wide curve covers all elements that a larger step leaves out: it smooths what it makes smaller.
bool is_wide(Curve curve) { return curve >= Curve::WideLinear; }

using Scales = std::array<std::optional<double>, 3>;

/// One kind of resampling, as PyTorch calls it.
struct Method {
  Curve curve;
  const char* node;
  const char* backward_node;
  const char* kernel;  // in errors about dtypes
  bool align_corners = false;
};

// ---- where elements come from ----

/// Distance of neighbouring results in units of the input.
template <typename C>
C step_of(int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  if (align_corners) return out > 1 ? static_cast<C>(in - 1) / static_cast<C>(out - 1) : C(0);
  constexpr double kLargest = 1e30;  // beyond the end of every line, and still finite
  if (scale && *scale > 0) return static_cast<C>(std::min(1.0 / *scale, kLargest));
  return static_cast<C>(in) / static_cast<C>(out);
}

/// The weights of a curve of third degree through four points, at t between the second and the third.
template <typename C>
std::array<C, 4> cubic_weights(C t) {
  constexpr C a = C(-0.75);  // the slope that PyTorch has chosen
  const auto near = [](C x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [](C x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

/// How far from its middle a wide curve reaches, at steps of 1.
double reach_of(Curve curve) { return curve == Curve::WideLinear ? 1 : curve == Curve::WideCubic ? 2 : 3; }

/// The weight at a distance from the middle of a wide curve.
template <typename C>
C wide_weight(Curve curve, C x) {
  x = std::abs(x);
  if (curve == Curve::WideLinear) return x < 1 ? 1 - x : C(0);
  if (curve == Curve::WideCubic) {
    constexpr C a = C(-0.5);  // steeper than where nothing is smoothed: PyTorch follows Pillow here
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : C(0);
  }
  const auto sinc = [](C t) {
    return t == 0 ? C(1) : std::sin(t * std::numbers::pi_v<C>) / (t * std::numbers::pi_v<C>);
  };
  return x < 3 ? sinc(x) * sinc(x / 3) : C(0);
}

template <typename C>
Taps wide_taps(Curve curve, int64_t in, int64_t out, C step) {
  const double wide = std::max<double>(1, static_cast<double>(step));
  const C reach = static_cast<C>(reach_of(curve) * wide);
  const C scale = step >= 1 ? 1 / step : C(1);
  const auto most = static_cast<int64_t>(
      std::min<double>(std::ceil(static_cast<double>(reach)) * 2 + 1, static_cast<double>(in)));
  const auto inside = [in](C place) {
    return static_cast<int64_t>(std::clamp<C>(place, 0, static_cast<C>(in)));
  };
  int64_t all = 0;
  check(!__builtin_mul_overflow(most, out, &all), "the resampled line is too long");
  const auto size = static_cast<size_t>(all);
  Taps taps{in, out, most, std::vector<int64_t>(size), std::vector<double>(size), {}};
  std::vector<C> weights;
  for (int64_t i = 0; i < out; ++i) {
    const C middle = step * (static_cast<C>(i) + C(0.5));
    const int64_t first = inside(middle - reach + C(0.5));
    const int64_t count = std::clamp<int64_t>(inside(middle + reach + C(0.5)) - first, 0, most);
    weights.assign(static_cast<size_t>(count), C(0));
    C total = 0;
    for (int64_t k = 0; k < count; ++k) {
      const C weight =
          wide_weight<C>(curve, (static_cast<C>(k) + (static_cast<C>(first) - middle) + C(0.5)) * scale);
      weights[static_cast<size_t>(k)] = weight;
      total += weight;
    }
    taps.counts.push_back(count);
    for (int64_t k = 0; k < count; ++k) {
      const auto at = static_cast<size_t>(taps.first(i) + k);
      const C weight = weights[static_cast<size_t>(k)];
      taps.places[at] = first + k;
      taps.weights[at] = static_cast<double>(total == 0 ? weight : weight / total);
    }
  }
  return taps;
}

template <typename C>
Taps taps_in(Curve curve, int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  const int count = curve == Curve::Cubic ? 4 : curve == Curve::Linear ? 2 : 1;
  const C step = step_of<C>(in, out, align_corners, scale);
  if (is_wide(curve)) return wide_taps<C>(curve, in, out, step);
  Taps taps{in, out, count, {}, {}, {}};
  const auto add = [&](int64_t place, C weight) {
    taps.places.push_back(std::clamp<int64_t>(place, 0, in - 1));
    taps.weights.push_back(static_cast<double>(weight));
  };
  for (int64_t i = 0; i < out; ++i) {
    const C at = static_cast<C>(i);
    if (count == 1) {
      const C place = curve == Curve::Nearest ? at * step : (at + C(0.5)) * step;
      add(in == out && curve == Curve::Nearest
              ? i
              : static_cast<int64_t>(std::min(std::floor(place), static_cast<C>(in - 1))),
          C(1));
      continue;
    }
    const C place = align_corners ? step * at : step * (at + C(0.5)) - C(0.5);
    if (count == 2) {
      const C inside = in == out ? at : std::clamp<C>(place, 0, static_cast<C>(in - 1));
      const auto first = static_cast<int64_t>(inside);
      const C share = std::clamp<C>(inside - static_cast<C>(first), 0, 1);
      add(first, 1 - share);
      add(first + (first < in - 1 ? 1 : 0), share);
      continue;
    }
    const C below = std::clamp<C>(std::floor(place), -2, static_cast<C>(in));
    const std::array<C, 4> weights = cubic_weights(std::clamp<C>(place - below, 0, 1));
    for (int64_t k = 0; k < 4; ++k) add(static_cast<int64_t>(below) - 1 + k, weights[static_cast<size_t>(k)]);
  }
  return taps;
}

Taps unchanged(int64_t size) {
  Taps taps{size,
            size,
            1,
            std::vector<int64_t>(static_cast<size_t>(size)),
            std::vector<double>(static_cast<size_t>(size), 1.0),
            {}};
  std::iota(taps.places.begin(), taps.places.end(), int64_t{0});
  return taps;
}

ResampleShape resample_shape(const Method& m, DType dtype, IntSpan in, IntSpan out, const Scales& scales) {
  ResampleShape shape;
  const size_t dims = in.size();
  for (size_t d = 0; d < 3; ++d) {
    if (d + dims < 3) {
      shape[d] = unchanged(1);
      continue;
    }
    const size_t at = d + dims - 3;
    shape[d] = dtype == DType::F64 ? taps_in<double>(m.curve, in[at], out[at], m.align_corners, scales[at])
                                   : taps_in<float>(m.curve, in[at], out[at], m.align_corners, scales[at]);
  }
  return shape;
}

// ---- the map and its transpose, each the gradient of the other ----

Tensor mapped(const Method& m, const Tensor& self, const Ints& small, const Ints& large, const Scales& scales,
              bool spread) {
  const Tensor in = dense(self);
  Tensor result = Tensor::empty(spread ? small : large, self.dtype());
  const size_t dims = small.size() - 2;
  const int64_t planes = small[0] * small[1];
  if (result.numel() > 0 && result.has_data()) {
    const ResampleShape shape =
        resample_shape(m, self.dtype(), IntSpan(small).last(dims), IntSpan(large).last(dims), scales);
    const auto run = [&](const ResampleShape& part, const Tensor& from, const Tensor& to) {
      resample(m.kernel, self.dtype(), part, planes, spread, from.bytes(), to.bytes());
    };
    if (is_wide(m.curve)) {  // one dimension after the other, so that the taps do not multiply
      const ResampleShape across = {shape[0], unchanged(shape[1].in), shape[2]};
      const ResampleShape along = {shape[0], shape[1], unchanged(shape[2].out)};
      const Tensor middle = Tensor::empty(Ints{planes, shape[1].in, shape[2].out}, self.dtype());
      run(spread ? along : across, in, middle);
      run(spread ? across : along, middle, result);
    } else {
      run(shape, in, result);
    }
  }
  if (!recording(self)) return result;
  return record(result, spread ? m.backward_node : m.node, {self},
                [m, small, large, scales, spread](Backward& g) {
                  g.set(0, mapped(m, g.grad(), small, large, scales, !spread));
                });
}

void write_sizes(std::ostringstream& text, IntSpan sizes) {
  const std::string_view names = std::string_view("DHW").substr(3 - sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) text << (d ? ", " : "(") << names[d] << ": " << sizes[d];
  text << ")";
}

Tensor upsample(const Method& m, int64_t dims, const Tensor& self, IntSpan output_size,
                const Scales& scales) {
  check(std::ssize(output_size) == dims, "It is expected output_size equals to ", dims, ", but got size ",
        output_size.size());
  check(self.dim() == dims + 2, "It is expected input_size equals to ", dims + 2, ", but got size ",
        self.dim());
  const Ints small = self.shape();
  const IntSpan in = IntSpan(small).last(static_cast<size_t>(dims));
  const auto positive = [](int64_t size) { return size > 0; };
  if (!std::ranges::all_of(in, positive) || !std::ranges::all_of(output_size, positive)) {
    std::ostringstream text;
    text << "Input and output sizes should be greater than 0, but got input ";
    write_sizes(text, in);
    text << (dims == 1 ? " and output " : " output ");
    write_sizes(text, output_size);
    fail(ErrorKind::Runtime, text.str());
  }
  check(small[1] > 0 || dims == 1, "Non-empty ", dims + 2,
        "D data tensor expected but got a tensor with sizes ", small);
  if (self.dtype() == DType::U8 && m.curve != Curve::Nearest && m.curve != Curve::NearestExact)
    fail(ErrorKind::NotImplemented, "\"", m.kernel, "\" not implemented for 'Byte'");
  if (is_wide(m.curve) && (self.dtype() == DType::F16 || self.dtype() == DType::BF16)) {
    fail(ErrorKind::NotImplemented, "\"", m.kernel, "\" not implemented for '",
         scalar_type_name(self.dtype()), "'");
  }
  Ints large = {small[0], small[1]};
  for (const int64_t size : output_size) large.push_back(size);
  return mapped(m, self, small, large, scales, false);
}

using Factor = std::optional<double>;

constexpr const char* kWideKernel = "compute_index_ranges_weights";

}  // namespace

namespace ops {

// ---- upsample_nearest1d, upsample_nearest2d, upsample_nearest3d ----
Tensor upsample_nearest1d(Body, const Tensor& self, IntSpan output_size, Factor scales) {
  return upsample({Curve::Nearest, "UpsampleNearest1DBackward0", "UpsampleNearest1DBackwardBackward0",
                   "compute_indices_weights_nearest"},
                  1, self, output_size, {scales});
}
Tensor upsample_nearest2d(Body, const Tensor& self, IntSpan output_size, Factor scales_h, Factor scales_w) {
  return upsample({Curve::Nearest, "UpsampleNearest2DBackward0", "UpsampleNearest2DBackwardBackward0",
                   "upsample_nearest2d_channels_last"},
                  2, self, output_size, {scales_h, scales_w});
}
Tensor upsample_nearest3d(Body, const Tensor& self, IntSpan output_size, Factor scales_d, Factor scales_h,
                          Factor scales_w) {
  return upsample({Curve::Nearest, "UpsampleNearest3DBackward0", "UpsampleNearest3DBackwardBackward0",
                   "compute_indices_weights_nearest"},
                  3, self, output_size, {scales_d, scales_h, scales_w});
}

// ---- _upsample_nearest_exact1d, _upsample_nearest_exact2d, _upsample_nearest_exact3d ----
Tensor _upsample_nearest_exact1d(Body, const Tensor& self, IntSpan output_size, Factor scales) {
  return upsample({Curve::NearestExact, "UpsampleNearestExact1DBackward0",
                   "UpsampleNearestExact1DBackwardBackward0", "compute_indices_weights_nearest"},
                  1, self, output_size, {scales});
}
Tensor _upsample_nearest_exact2d(Body, const Tensor& self, IntSpan output_size, Factor scales_h,
                                 Factor scales_w) {
  return upsample({Curve::NearestExact, "UpsampleNearestExact2DBackward0",
                   "UpsampleNearestExact2DBackwardBackward0", "upsample_nearest2d_channels_last"},
                  2, self, output_size, {scales_h, scales_w});
}
Tensor _upsample_nearest_exact3d(Body, const Tensor& self, IntSpan output_size, Factor scales_d,
                                 Factor scales_h, Factor scales_w) {
  return upsample({Curve::NearestExact, "UpsampleNearestExact3DBackward0",
                   "UpsampleNearestExact3DBackwardBackward0", "compute_indices_weights_nearest"},
                  3, self, output_size, {scales_d, scales_h, scales_w});
}

// ---- upsample_linear1d, upsample_bilinear2d, upsample_trilinear3d ----
Tensor upsample_linear1d(Body, const Tensor& self, IntSpan output_size, bool align_corners, Factor scales) {
  return upsample({Curve::Linear, "UpsampleLinear1DBackward0", "UpsampleLinear1DBackwardBackward0",
                   "compute_indices_weights_linear", align_corners},
                  1, self, output_size, {scales});
}
Tensor upsample_bilinear2d(Body, const Tensor& self, IntSpan output_size, bool align_corners, Factor scales_h,
                           Factor scales_w) {
  return upsample({Curve::Linear, "UpsampleBilinear2DBackward0", "UpsampleBilinear2DBackwardBackward0",
                   "upsample_bilinear2d_channels_last", align_corners},
                  2, self, output_size, {scales_h, scales_w});
}
Tensor upsample_trilinear3d(Body, const Tensor& self, IntSpan output_size, bool align_corners,
                            Factor scales_d, Factor scales_h, Factor scales_w) {
  return upsample({Curve::Linear, "UpsampleTrilinear3DBackward0", "UpsampleTrilinear3DBackwardBackward0",
                   "compute_indices_weights_linear", align_corners},
                  3, self, output_size, {scales_d, scales_h, scales_w});
}

// ---- upsample_bicubic2d ----
Tensor upsample_bicubic2d(Body, const Tensor& self, IntSpan output_size, bool align_corners, Factor scales_h,
                          Factor scales_w) {
  return upsample({Curve::Cubic, "UpsampleBicubic2DBackward0", "UpsampleBicubic2DBackwardBackward0",
                   "compute_indices_weights_cubic", align_corners},
                  2, self, output_size, {scales_h, scales_w});
}

// ---- _upsample_bilinear2d_aa, _upsample_bicubic2d_aa, _upsample_lanczos2d_aa ----
Tensor _upsample_bilinear2d_aa(Body, const Tensor& self, IntSpan output_size, bool align_corners,
                               Factor scales_h, Factor scales_w) {
  return upsample({Curve::WideLinear, "UpsampleBilinear2DAaBackward0",
                   "UpsampleBilinear2DAaBackwardBackward0", kWideKernel, align_corners},
                  2, self, output_size, {scales_h, scales_w});
}
Tensor _upsample_bicubic2d_aa(Body, const Tensor& self, IntSpan output_size, bool align_corners,
                              Factor scales_h, Factor scales_w) {
  return upsample({Curve::WideCubic, "UpsampleBicubic2DAaBackward0", "UpsampleBicubic2DAaBackwardBackward0",
                   kWideKernel, align_corners},
                  2, self, output_size, {scales_h, scales_w});
}
Tensor _upsample_lanczos2d_aa(Body, const Tensor& self, IntSpan output_size, bool align_corners,
                              Factor scales_h, Factor scales_w) {
  return upsample({Curve::WideLanczos, "UpsampleLanczos2DAaBackward0", "UpsampleLanczos2DAaBackwardBackward0",
                   kWideKernel, align_corners},
                  2, self, output_size, {scales_h, scales_w});
}

}  // namespace ops
}  // namespace onetape
