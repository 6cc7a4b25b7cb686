#include "kernels/convolution_few.h"

#include "core/parallel.h"
#include "kernels/convolution_parts.h"
#include "kernels/copy.h"
#include "kernels/float_or_double.h"
#include "kernels/gemm.h"

namespace onetape {
namespace {

using namespace convolution;

/// Some images at a time stand side by side: (channel, place, image). A matrix of columns has what each tap
/// meets: (tap, position, image).
template <typename T>
class FewPlaces {
 public:
  explicit FewPlaces(const ConvolutionShape& shape)
      : s_(shape),
        in_(s_.product(s_.in)),
        out_(s_.product(s_.out)),
        taps_(s_.product(s_.kernel)),
        images_(std::clamp<int64_t>(kMost / (s_.in_channels * taps_ * out_), 1, s_.batch)),
        inputs_(images_, s_.groups * s_.in_channels * in_, 0),
        outputs_(images_, s_.groups * s_.out_channels * out_, 0),
        columns_(images_, s_.in_channels * taps_ * out_, 0) {
    for_each_index(s_.kernel, [&](const Sizes& k) {
      for_each_index(s_.out, [&](const Sizes& o) { met_.push_back(place(k, o)); });
    });
  }

  void forward(const T* in, const T* weight, const T* bias, T* out) {
    for_images([&](int64_t first, int64_t count) {
      spread(in, input_size(), first, count, inputs_.data());
      for (int64_t g = 0; g < s_.groups; ++g) {
        gather(g, count);
        T* const results = outputs_.data() + g * s_.out_channels * out_ * count;
        for (int64_t m = 0; bias && m < s_.out_channels; ++m)
          std::fill_n(results + m * out_ * count, out_ * count, bias[g * s_.out_channels + m]);
        multiply(weight_of(weight, g), columns(count), output(g, count), bias ? 1 : 0);
      }
      collect(outputs_.data(), output_size(), first, count, out);
    });
  }

  void transposed(const T* out, const T* weight, const T* bias, T* in) {
    for_images([&](int64_t first, int64_t count) {
      spread(out, output_size(), first, count, outputs_.data());
      for (int64_t c = 0; c < s_.groups * s_.in_channels; ++c)
        std::fill_n(inputs_.data() + c * in_ * count, in_ * count, bias ? bias[c] : T(0));
      for (int64_t g = 0; g < s_.groups; ++g) {
        multiply(weight_of(weight, g).transposed(), output(g, count), columns(count), 0);
        add_up(g, count);
      }
      collect(inputs_.data(), input_size(), first, count, in);
    });
  }

  void weights(const T* in, const T* out, T* weight) {
    for_images([&](int64_t first, int64_t count) {
      spread(in, input_size(), first, count, inputs_.data());
      spread(out, output_size(), first, count, outputs_.data());
      for (int64_t g = 0; g < s_.groups; ++g) {
        gather(g, count);
        multiply(output(g, count), columns(count).transposed(), weight_of(weight, g), first > 0 ? 1 : 0);
      }
    });
  }

 private:
  static constexpr int64_t kMost = 1 << 21;  // elements of the columns

  int64_t input_size() const { return s_.groups * s_.in_channels * in_; }
  int64_t output_size() const { return s_.groups * s_.out_channels * out_; }

  /// Where a tap at a position meets the input; −1 beside it.
  int64_t place(const Sizes& k, const Sizes& o) const {
    int64_t found = 0;
    for (size_t d = 0; d < 3; ++d) {
      const int64_t at = o[d] * s_.stride[d] + k[d] * s_.dilation[d] - s_.padding[d];
      if (at < 0 || at >= s_.in[d]) return -1;
      found = found * s_.in[d] + at;
    }
    return found;
  }

  template <typename F>
  void for_images(const F& f) const {
    for (int64_t first = 0; first < s_.batch; first += images_) f(first, std::min(images_, s_.batch - first));
  }

  /// Copies a matrix the other way round.
  static void turn(const T* from, int64_t rows, int64_t size, T* to) {
    constexpr int64_t kItem = sizeof(T);
    const auto bytes = [](const T* data) { return reinterpret_cast<char*>(const_cast<T*>(data)); };
    std::array<LoopOperand, 2> operands = {
        {{bytes(to), {rows * kItem, kItem}}, {bytes(from), {kItem, size * kItem}}}};
    run_loop(Ints{size, rows}, operands, copy_loop(dtype_of<T>, dtype_of<T>));
  }
  static void spread(const T* all, int64_t size, int64_t first, int64_t count, T* to) {
    turn(all + first * size, count, size, to);
  }
  static void collect(const T* from, int64_t size, int64_t first, int64_t count, T* all) {
    turn(from, size, count, all + first * size);
  }

  /// Calls f(places of the images, columns) for every tap and position of a group that meet the input, and
  /// f(null, columns) for the others. Threads share the channels.
  template <typename F>
  void for_columns(int64_t group, int64_t count, const F& f) const {
    constexpr int64_t kGrain = 16384;  // elements worth a thread
    const int64_t each = taps_ * out_ * count;
    T* const inputs = inputs_.data() + group * s_.in_channels * in_ * count;
    parallel_for(s_.in_channels, std::max<int64_t>(kGrain / each, 1), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        T* column = columns_.data() + c * each;
        for (const int64_t met : met_) {
          f(met < 0 ? nullptr : inputs + (c * in_ + met) * count, column);
          column += count;
        }
      }
    });
  }
  void gather(int64_t group, int64_t count) const {
    for_columns(group, count, [count](const T* from, T* column) {
      from ? copy_line(from, count, column) : static_cast<void>(std::fill_n(column, count, T(0)));
    });
  }
  void add_up(int64_t group, int64_t count) const {
    for_columns(group, count, [count](T* to, const T* column) {
      for (int64_t n = 0; to && n < count; ++n) to[n] += column[n];
    });
  }

  static MatrixView view(const T* data, int64_t rows, int64_t columns) {
    return {reinterpret_cast<char*>(const_cast<T*>(data)), rows, columns, columns, 1};
  }
  MatrixView weight_of(const T* weight, int64_t group) const {
    const int64_t taps = s_.in_channels * taps_;
    return view(weight + group * s_.out_channels * taps, s_.out_channels, taps);
  }
  MatrixView columns(int64_t count) const {
    return view(columns_.data(), s_.in_channels * taps_, out_ * count);
  }
  MatrixView output(int64_t group, int64_t count) const {
    return view(outputs_.data() + group * s_.out_channels * out_ * count, s_.out_channels, out_ * count);
  }
  static void multiply(const MatrixView& a, const MatrixView& b, const MatrixView& c, int beta) {
    gemm("convolution", dtype_of<T>, a, b, c, Scalar(1), Scalar(beta));
  }

  const ConvolutionShape& s_;
  const int64_t in_;  // places of a plane
  const int64_t out_;
  const int64_t taps_;
  const int64_t images_;
  const Buffer<T> inputs_;
  const Buffer<T> outputs_;
  const Buffer<T> columns_;
  std::vector<int64_t> met_;
};

template <typename T>
const T* elements(const char* data, T /*like*/) {
  return reinterpret_cast<const T*>(data);
}
template <typename T>
T* elements(char* data, T /*like*/) {
  return reinterpret_cast<T*>(data);
}

}  // namespace

void convolve_few(DType dtype, const ConvolutionShape& shape, const char* in, const char* weight,
                  const char* bias, char* out) {
  visit_float_or_double(dtype, [&](auto t) {
    FewPlaces<decltype(t)>(shape).forward(elements(in, t), elements(weight, t), elements(bias, t),
                                          elements(out, t));
  });
}

void convolve_few_transposed(DType dtype, const ConvolutionShape& shape, const char* out, const char* weight,
                             const char* bias, char* in) {
  visit_float_or_double(dtype, [&](auto t) {
    FewPlaces<decltype(t)>(shape).transposed(elements(out, t), elements(weight, t), elements(bias, t),
                                             elements(in, t));
  });
}

void convolve_few_weight(DType dtype, const ConvolutionShape& shape, const char* in, const char* out,
                         char* weight) {
  visit_float_or_double(dtype, [&](auto t) {
    FewPlaces<decltype(t)>(shape).weights(elements(in, t), elements(out, t), elements(weight, t));
  });
}

}  // namespace onetape
