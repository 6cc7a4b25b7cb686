#include <algorithm>
#include <cmath>

#include "ops.h"
#include "ops/copy.h"

namespace onetape::ops {
namespace {

struct Windows {
  Ints image;
  Ints kernel;
  Ints count;
  int64_t planes;
};

Ints one_each(IntSpan values, size_t dims, const char* what) {
  check(values.size() == 1 || values.size() == dims, what, " must either be a single int or tuple of ", dims,
        " ints");
  return values.size() == 1 ? Ints(dims, values[0]) : Ints(values);
}

Windows windows_of(const char* op, const Tensor& self, IntSpan kernel_size, IntSpan output_size,
                   const Tensor& random_samples, size_t dims) {
  constexpr std::array<const char*, 3> kNames = {"time", "height", "width"};
  const std::string name = std::string(op) + "(): ";
  Windows w{{},
            one_each(kernel_size, dims, "fractional_max_pool: kernel_size"),
            one_each(output_size, dims, "fractional_max_pool: output_size"),
            1};
  const int64_t wanted = static_cast<int64_t>(dims) + 1;
  check(self.dim() == wanted || self.dim() == wanted + 1, name, "Expected ", wanted, "D or ", wanted + 1,
        "D tensor, but got: ", self.shape());
  const size_t lead = static_cast<size_t>(self.dim()) - dims;
  for (size_t d = 0; d < lead; ++d) w.planes *= self.sizes()[d];
  for (size_t d = 0; d < dims; ++d) {
    const int64_t size = self.sizes()[lead + d];
    w.image.push_back(size);
    check(w.kernel[d] > 0 && w.count[d] > 0 && w.count[d] + w.kernel[d] - 1 <= size - (dims == 3 ? 1 : 0),
          name, "pool ", kNames[3 - dims + d], " ", w.kernel[d], " too large relative to input ",
          kNames[3 - dims + d], " ", size);
  }
  check(random_samples.dim() == 3, "Expect _random_samples to have 3 dimensions, got ", random_samples.dim());
  check(random_samples.dtype() == self.dtype(), "Expect _random_samples to have the same dtype as input");
  check(random_samples.sizes()[2] == static_cast<int64_t>(dims), "Expect _random_samples.size(2) equals to ",
        dims, "; got ", random_samples.sizes()[2], ".");
  check(random_samples.numel() >= w.planes * static_cast<int64_t>(dims),
        "Expect _random_samples to have numbers for all channels of all samples");
  if (self.dtype() != DType::F32 && self.dtype() != DType::F64) {
    fail(ErrorKind::NotImplemented, "\"fractional_max_pool", dims, "d_out_frame\" not implemented for '",
         scalar_type_name(self.dtype()), "'");
  }
  return w;
}

/// Where the windows of one dimension begin.
template <typename T>
std::vector<int64_t> starts_of(T sample, int64_t size, int64_t count, int64_t kernel) {
  std::vector<int64_t> starts(static_cast<size_t>(count), size - kernel);
  if (count < 2) return starts;
  const T step = static_cast<T>(size - kernel) / static_cast<T>(count - 1);
  for (int64_t i = 0; i + 1 < count; ++i) {
    const auto found =
        static_cast<int64_t>((static_cast<T>(i) + sample) * step) - static_cast<int64_t>(sample * step);
    starts[static_cast<size_t>(i)] = std::clamp<int64_t>(found, 0, size - kernel);  // in spite of rounding
  }
  return starts;
}

/// Calls body(multi-index) for all places of a box, in row-major order.
template <typename Body>
void for_box(const Ints& sizes, Body body) {
  Ints at(sizes.size(), 0);
  int64_t total = 1;
  for (const int64_t size : sizes) total *= size;
  for (int64_t n = 0; n < total; ++n) {
    body(at);
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++at[d] < sizes[d]) break;
      at[d] = 0;
    }
  }
}

/// The place of the largest element of each window, in its plane.
template <typename T>
void find_largest(const Windows& w, const T* image, const T* samples, int64_t* places) {
  const size_t dims = w.image.size();
  int64_t plane = 1;
  for (const int64_t size : w.image) plane *= size;
  for (int64_t p = 0; p < w.planes; ++p, image += plane) {
    std::vector<std::vector<int64_t>> starts;
    for (size_t d = 0; d < dims; ++d) {
      // The numbers of images are for width and height, those of volumes in the order of the dimensions.
      const size_t number = dims == 2 ? 1 - d : d;
      const T sample = samples[static_cast<size_t>(p) * dims + number];
      check(sample >= 0 && sample <= 1, "fractional_max_pool: random samples must be in [0, 1)");
      starts.push_back(starts_of(sample, w.image[d], w.count[d], w.kernel[d]));
    }
    for_box(w.count, [&](const Ints& window) {
      int64_t best = -1;
      for_box(w.kernel, [&](const Ints& inside) {
        int64_t place = 0;
        for (size_t d = 0; d < dims; ++d)
          place = place * w.image[d] + starts[d][static_cast<size_t>(window[d])] + inside[d];
        if (best < 0 || image[place] > image[best] || std::isnan(image[place])) best = place;
      });
      *places++ = best;
    });
  }
}

std::tuple<Tensor, Tensor> pooled(const char* node, const Windows& w, const Tensor& self,
                                  const Tensor& random_samples) {
  const size_t dims = w.image.size();
  Ints sizes(self.sizes().first(static_cast<size_t>(self.dim()) - dims));
  sizes.append(w.count);
  const Tensor places = Tensor::empty(sizes, DType::I64);
  const Tensor image = dense(self);
  const Tensor samples = dense(random_samples);
  visit_floating("fractional_max_pool", self.dtype(), [&](auto tag) {
    if (!places.has_data()) return;
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
      find_largest(w, image.data<T>(), samples.data<T>(), places.data<int64_t>());
  });
  const auto flat = [planes = w.planes](const Tensor& t) {
    return reshape(t, Ints{planes, planes == 0 ? 0 : t.numel() / planes});
  };
  Tensor values;
  {
    const GradModeGuard off(false);
    values = reshape(gather(flat(image), 1, flat(places)), sizes);
  }
  if (!recording(self)) return {values, places};
  values = record(values, node, {self}, saving(save(places)), [flat, in_sizes = self.shape()](Backward& g) {
    const Tensor none = flat(zeros(in_sizes, Options{.dtype = g.grad().dtype()}));
    g.set(0, reshape(scatter_add(none, 1, flat(g.saved(0)), flat(g.grad())), in_sizes));
  });
  return {values, places};
}

}  // namespace

// ---- fractional_max_pool2d ----
std::tuple<Tensor, Tensor> fractional_max_pool2d(Body, const Tensor& self, IntSpan kernel_size,
                                                 IntSpan output_size, const Tensor& random_samples) {
  const Windows w = windows_of("fractional_max_pool2d", self, kernel_size, output_size, random_samples, 2);
  return pooled("FractionalMaxPool2DBackward0", w, self, random_samples);
}

// ---- fractional_max_pool3d ----
std::tuple<Tensor, Tensor> fractional_max_pool3d(Body, const Tensor& self, IntSpan kernel_size,
                                                 IntSpan output_size, const Tensor& random_samples) {
  const Windows w =
      windows_of("fractional_max_pool3d_out", self, kernel_size, output_size, random_samples, 3);
  return pooled("FractionalMaxPool3DBackward0", w, self, random_samples);
}

}  // namespace onetape::ops
