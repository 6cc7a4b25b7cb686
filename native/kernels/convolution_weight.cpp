#include "core/parallel.h"
#include "kernels/convolution.h"
#include "kernels/convolution_few.h"
#include "kernels/convolution_loops.h"
#include "kernels/convolution_parts.h"
#include "kernels/registry.h"

namespace onetape {
namespace {

using namespace convolution;

/// Sums over some samples at a time, as many as fit into a cache near the CPU; the threads share the weight's
/// rows, so that every sum is made in the same order.
template <typename T>
class WeightSums {
 public:
  WeightSums(const ConvolutionShape& shape, const char* in, const char* out, char* weight)
      : s_(shape),
        grid_(input_grid(shape)),
        offsets_(tap_offsets(shape, grid_)),
        loop_(find_function<TapSumsLoop>("tap_sums", dtype_of<T>)),
        in_(reinterpret_cast<const T*>(in)),
        out_(reinterpret_cast<const T*>(out)),
        weight_(weight) {
    const bool empty = s_.product(s_.out) == 0;
    length_ = empty ? 0 : (s_.out[0] - 1) * grid_.slice() + (s_.out[1] - 1) * grid_.line() + s_.out[2];
    pitch_ = (length_ + kAlign - 1) / kAlign * kAlign;
    const int64_t near = kNear / std::max<int64_t>(kPanel * pitch_ * static_cast<int64_t>(sizeof(T)), 1);
    images_ = std::max<int64_t>(std::min(near, s_.batch), 1);
  }

  void run() const {
    const int64_t taps = std::ssize(offsets_);
    const int64_t results = s_.out_channels * taps;
    const Buffer<T> inputs(images_ * s_.in_channels, grid_.plane(), grid_.line() + kSlack);
    const Buffer<T> grads(images_ * s_.out_channels, pitch_, 0);
    inputs.clear();
    grads.clear();
    std::memset(weight_, 0, static_cast<size_t>(s_.groups * results) * sizeof(T));
    const int64_t panels = (s_.out_channels + kPanel - 1) / kPanel;
    const double work = times(kPanel, taps) * static_cast<double>(length_ * images_);
    const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kWorth / std::max(work, 1.0)));
    for (int64_t group = 0; group < s_.groups; ++group) {
      for (int64_t first = 0; first < s_.batch; first += images_) {
        TapSums what{};
        what.images = std::min(images_, s_.batch - first);
        prepare(inputs.data(), grads.data(), group, first, what.images);
        what.in = reinterpret_cast<const char*>(inputs.data());
        what.in_image = s_.in_channels * grid_.plane();
        what.grad = reinterpret_cast<const char*>(grads.data());
        what.grad_image = s_.out_channels * pitch_;
        what.grad_row = pitch_;
        what.length = length_;
        what.offsets = offsets_.data();
        what.taps = taps;
        what.sums = weight_ + group * results * static_cast<int64_t>(sizeof(T));
        parallel_for(panels, grain, [&](int64_t begin, int64_t end) {
          loop_(what, begin * kPanel, std::min(end * kPanel, s_.out_channels));
        });
      }
    }
  }

 private:
  static constexpr int64_t kAlign = 16;    // positions
  static constexpr int64_t kNear = 24576;  // bytes

  /// Puts some samples' channels into their grids, and the gradients at the positions of a grid.
  void prepare(T* inputs, T* grads, int64_t group, int64_t first, int64_t images) const {
    const int64_t channels = s_.in_channels + s_.out_channels;
    const int64_t grain = std::max<int64_t>(1, 32768 / grid_.plane());
    parallel_for(images * channels, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t n = i / channels;
        const int64_t c = i % channels;
        const int64_t item = (first + n) * s_.groups + group;
        if (c < s_.in_channels) {
          const T* from = in_ + (item * s_.in_channels + c) * s_.product(s_.in);
          grid_.fill(from, inputs + (n * s_.in_channels + c) * grid_.plane());
        } else {
          const int64_t m = c - s_.in_channels;
          spread(out_ + (item * s_.out_channels + m) * s_.product(s_.out),
                 grads + (n * s_.out_channels + m) * pitch_);
        }
      }
    });
  }
  void spread(const T* from, T* to) const {
    for (int64_t d = 0; d < s_.out[0]; ++d) {
      for (int64_t h = 0; h < s_.out[1]; ++h, from += s_.out[2])
        copy_line(from, s_.out[2], to + d * grid_.slice() + h * grid_.line());
    }
  }

  const ConvolutionShape& s_;
  ConvolutionGrid grid_;
  std::vector<int64_t> offsets_;
  TapSumsLoop loop_;
  const T* in_;
  const T* out_;
  char* weight_;
  int64_t length_;
  int64_t pitch_;
  int64_t images_;
};

}  // namespace

void convolve_weight(DType dtype, const ConvolutionShape& shape, const char* in, const char* out,
                     char* weight) {
  if (has_few_places(dtype, shape)) return convolve_few_weight(dtype, shape, in, out, weight);
  visit(dtype, [&](auto tag) { WeightSums<typename decltype(tag)::type>(shape, in, out, weight).run(); });
}

}  // namespace onetape
