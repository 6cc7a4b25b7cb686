// Variance and standard deviation, with the mean. Kept in double, so that the result is as good as exact for
// float.

#include "kernels/reduce_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

/// Mean of n elements and the sum of their squared distances from it.
struct Moments {
  double mean = 0;
  double squares = 0;
  double n = 0;

  void take_in(const Moments& other) {
    if (other.n == 0) return;
    const double total = n + other.n;
    const double distance = other.mean - mean;
    mean = n == 0 ? other.mean : mean + distance * (other.n / total);
    squares += other.squares + (n == 0 ? 0 : distance * distance * (n * other.n / total));
    n = total;
  }
};

/// out[0] variance, out[1] mean unless null; params: correction
template <typename T, bool Root>
struct Spread {
  using Acc = Moments;
  explicit Spread(const Scalar* params) : correction(params[0].to<double>()) {}
  static Acc nothing() { return {}; }
  static Acc merge(Acc a, const Acc& b) {
    a.take_in(b);
    return a;
  }
  void finish(const Acc& acc, char* const* out, int64_t at) const {
    const double variance = acc.n == 0 ? std::numeric_limits<double>::quiet_NaN()
                                       : acc.squares / std::max(0.0, acc.n - correction);
    put<T>(out[0], at, static_cast<compute_t<T>>(Root ? std::sqrt(variance) : variance));
    const double mean = acc.n == 0 ? std::numeric_limits<double>::quiet_NaN() : acc.mean;
    if (out[1]) put<T>(out[1], at, static_cast<compute_t<T>>(mean));
  }
  double correction;
};

template <typename T>
struct MomentsLoops {
  static constexpr int64_t kItem = sizeof(T);
  static constexpr int kLanes = 16;

  /// f of elements [0, n), added up in lanes.
  template <typename F>
  static double add_up(const T* in, int64_t n, F f) {
    double lanes[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int l = 0; l < kLanes; ++l)
        lanes[l] += f(static_cast<double>(static_cast<compute_t<T>>(in[i + l])));
    }
    for (; i < n; ++i) lanes[0] += f(static_cast<double>(static_cast<compute_t<T>>(in[i])));
    double total = 0;
    for (const double lane : lanes) total += lane;
    return total;
  }

  /// Twice over stretches that stay in the cache: first their mean, then the distances from it.
  static void row(const T* in, int64_t n, Moments& acc) {
    constexpr int64_t kStretch = 2048;
    for (int64_t from = 0; from < n; from += kStretch) {
      const int64_t count = std::min(kStretch, n - from);
      const double mean = add_up(in + from, count, [](double x) { return x; }) / static_cast<double>(count);
      const double squares = add_up(in + from, count, [mean](double x) { return (x - mean) * (x - mean); });
      acc.take_in({mean, squares, static_cast<double>(count)});
    }
  }

  /// Neighbouring results from neighbouring elements: a running mean and its correction, a row at a time.
  static void columns(const ReduceBlock& b) {
    constexpr int64_t kColumns = 1024;
    double mean[kColumns +
                16];  // a cache line or two apart modulo the page: loads must not wait for unrelated stores
    double squares[kColumns];
    for (int64_t from = 0; from < b.keep; from += kColumns) {
      const int64_t n = std::min(kColumns, b.keep - from);
      std::fill_n(mean, n, 0.0);
      std::fill_n(squares, n, 0.0);
      const char* in = b.in + from * kItem;
      for (int64_t r = 0; r < b.reduce; ++r, in += b.reduce_stride) {
        const double share = 1.0 / static_cast<double>(r + 1);
        for (int64_t k = 0; k < n; ++k) {
          const double x = static_cast<double>(load<T>(in + k * kItem));
          const double distance = x - mean[k];
          mean[k] += distance * share;
          squares[k] += distance * (x - mean[k]);
        }
      }
      Moments* acc = reinterpret_cast<Moments*>(b.into) + from;
      for (int64_t k = 0; k < n; ++k) acc[k].take_in({mean[k], squares[k], static_cast<double>(b.reduce)});
    }
  }

  /// Short or strided sequences, several at once: their means, then the distances from them.
  static void side_by_side(const ReduceBlock& b) {
    constexpr int64_t kGroup = 16;
    const auto count = static_cast<double>(b.reduce);
    for (int64_t from = 0; from < b.keep; from += kGroup) {
      const int64_t n = std::min(kGroup, b.keep - from);
      const auto at = [&](int64_t r, int64_t k) {
        return static_cast<double>(load<T>(b.in + (from + k) * b.keep_stride + r * b.reduce_stride));
      };
      double mean[kGroup] = {};
      double squares[kGroup] = {};
      for (int64_t r = 0; r < b.reduce; ++r) {
        for (int64_t k = 0; k < n; ++k) mean[k] += at(r, k);
      }
      for (int64_t k = 0; k < n; ++k) mean[k] /= count;
      for (int64_t r = 0; r < b.reduce; ++r) {
        for (int64_t k = 0; k < n; ++k) squares[k] += (at(r, k) - mean[k]) * (at(r, k) - mean[k]);
      }
      Moments* acc = reinterpret_cast<Moments*>(b.into) + from;
      for (int64_t k = 0; k < n; ++k) acc[k].take_in({mean[k], squares[k], count});
    }
  }

  static void add(const ReduceBlock& b, const Scalar*) {
    constexpr int64_t kLongRow = 64;
    if (b.reduce == 0) return;
    if (b.reduce_stride == kItem && (b.reduce >= kLongRow || b.keep == 1)) {
      for (int64_t k = 0; k < b.keep; ++k) {
        row(reinterpret_cast<const T*>(b.in + k * b.keep_stride), b.reduce,
            reinterpret_cast<Moments*>(b.into)[k]);
      }
    } else if (b.keep_stride == kItem) {
      columns(b);
    } else {
      side_by_side(b);
    }
  }
};
template <template <typename> class, typename T>
using Loops = MomentsLoops<T>;

template <typename T>
struct Var : Spread<T, false> {
  using Spread<T, false>::Spread;
};
template <typename T>
struct Std : Spread<T, true> {
  using Spread<T, true>::Spread;
};
const Fold<Var, Floats, Loops> var("var_cpu");
const Fold<Std, Floats, Loops> std_("std_cpu");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
