#include <algorithm>

#include "kernels/convolution_loops.h"

#ifdef __FMA__
#include <immintrin.h>
#endif

#include "kernels/pointwise_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

#ifdef __AVX2__
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif

/// Several elements at once: a register of float or double; one element of any other type.
template <typename T>
struct Lanes {
  using Vector = T;
  static constexpr int64_t kCount = 1;
};
template <>
struct Lanes<float> {
  using Vector [[gnu::vector_size(kBytes)]] = float;
  static constexpr int64_t kCount = kBytes / 4;
};
template <>
struct Lanes<double> {
  using Vector [[gnu::vector_size(kBytes)]] = double;
  static constexpr int64_t kCount = kBytes / 8;
};
template <typename T>
using Vector = typename Lanes<T>::Vector;

template <typename T>
inline Vector<T> load(const T* from) {
  Vector<T> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <typename T>
inline void store(T* to, const Vector<T>& v) {
  std::memcpy(to, &v, sizeof v);
}

/// a · x + sum, rounded once where the CPU can.
template <typename T>
inline Vector<T> fused(const Vector<T>& a, const Vector<T>& x, const Vector<T>& sum) {
#ifdef __FMA__
  if constexpr (std::is_same_v<T, float>) return _mm256_fmadd_ps(a, x, sum);
  if constexpr (std::is_same_v<T, double>) return _mm256_fmadd_pd(a, x, sum);
#endif
  return a * x + sum;
}
template <typename T>
inline Vector<T> all_of(T value) {
#ifdef __FMA__
  if constexpr (std::is_same_v<T, float>) return _mm256_set1_ps(value);
  if constexpr (std::is_same_v<T, double>) return _mm256_set1_pd(value);
#endif
  return value - Vector<T>{};
}
template <typename T>
inline T total(const Vector<T>& v) {
  if constexpr (Lanes<T>::kCount == 1) {
    return v;
  } else {
    T sum = v[0];
    for (int64_t i = 1; i < Lanes<T>::kCount; ++i) sum += v[i];
    return sum;
  }
}

// ---- correlation ----

/// Where the results of one pass over the weights go.
template <typename T>
class Places {
 public:
  Places(const Correlation& what, int64_t begin, int64_t end) : what_(what), at_(begin) {
    line_ = begin / what.pitch;
    column_ = begin % what.pitch;
    count_ = end - begin;
  }
  /// Are all results neighbours in memory?
  bool dense() const { return what_.out_step == 1 && column_ + count_ <= what_.columns; }
  T* row(int64_t r) const {
    return reinterpret_cast<T*>(what_.out) + r * what_.out_row + line_ * what_.out_line +
           column_ * what_.out_step;
  }
  /// Writes the wanted ones of `values`.
  void scatter(const T* values, int64_t r) const {
    T* line = reinterpret_cast<T*>(what_.out) + r * what_.out_row + line_ * what_.out_line;
    int64_t column = column_;
    for (int64_t done = 0; done < count_;) {
      const int64_t wanted = std::min(count_ - done, what_.columns - column);
      for (int64_t i = 0; i < wanted; ++i) line[(column + i) * what_.out_step] = values[done + i];
      done += what_.pitch - column;
      column = 0;
      line += what_.out_line;
    }
  }

 private:
  const Correlation& what_;
  int64_t at_;
  int64_t line_;
  int64_t column_;
  int64_t count_;
};

template <typename T, int R, int V>
struct Tile {
  static constexpr int64_t kLanes = Lanes<T>::kCount;
  static constexpr int64_t kWidth = V * kLanes;

  /// Results of rows [row, row + R) at positions [begin, end), at most kWidth of them.
  static void run(const Correlation& what, int64_t row, int64_t begin, int64_t end) {
    const T* in = reinterpret_cast<const T*>(what.in) + begin;
    const T* weight =
        reinterpret_cast<const T*>(what.weights) + row / kPanel * kPanel * what.taps + row % kPanel;
    Vector<T> sums[R][V];
    for (int r = 0; r < R; ++r) {
      const T first = what.bias ? reinterpret_cast<const T*>(what.bias)[row + r] : T(0);
      for (int v = 0; v < V; ++v) sums[r][v] = all_of(first);
    }
    for (int64_t k = 0; k < what.taps; ++k) {
      const T* from = in + what.offsets[k];
      Vector<T> x[V];
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) x[v] = load(from + v * kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        const Vector<T> w = all_of(weight[k * kPanel + r]);
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) sums[r][v] = fused<T>(w, x[v], sums[r][v]);
      }
    }
    const Places<T> places(what, begin, end);
    const bool dense = end - begin == kWidth && places.dense();
    for (int r = 0; r < R; ++r) {
      T values[kWidth];
      T* to = dense ? places.row(row + r) : values;
      for (int v = 0; v < V; ++v) store(to + v * kLanes, sums[r][v]);
      if (!dense) places.scatter(values, row + r);
    }
  }
};

template <typename T>
struct Loops {
  static constexpr int64_t kLanes = Lanes<T>::kCount;

  template <int R, int V>
  static void rows(const Correlation& what, int64_t row, int64_t begin, int64_t end) {
    constexpr int64_t width = Tile<T, R, V>::kWidth;
    for (int64_t q = begin; q < end; q += width) Tile<T, R, V>::run(what, row, q, std::min(q + width, end));
  }

  static void correlate(const Correlation& what, int64_t begin, int64_t end) {
    if (what.rows == 1) return rows<1, 8>(what, 0, begin, end);
    // Either the taps of one stretch of positions or one panel of weights stays in the nearest cache.
    constexpr int64_t kKept = 49152;
    const bool many = what.rows * what.taps * static_cast<int64_t>(sizeof(T)) > 4 * kKept;
    const int64_t stretch = Tile<T, 4, 3>::kWidth * (many ? 8 : 1);
    for (int64_t q = begin; q < end; q += stretch) {
      const int64_t last = std::min(q + stretch, end);
      int64_t row = 0;
      for (; row + 4 <= what.rows; row += 4) rows<4, 3>(what, row, q, last);
      if (what.rows - row == 3) rows<3, 3>(what, row, q, last);
      if (what.rows - row == 2) rows<2, 3>(what, row, q, last);
      if (what.rows - row == 1) rows<1, 3>(what, row, q, last);
    }
  }

  // ---- sums for the weights' gradient ----

  template <int R, int K>
  static void sums(const TapSums& what, int64_t row, int64_t tap) {
    Vector<T> found[R][K] = {};
    for (int64_t n = 0; n < what.images; ++n) {
      const T* in = reinterpret_cast<const T*>(what.in) + n * what.in_image;
      const T* grad = reinterpret_cast<const T*>(what.grad) + n * what.grad_image + row * what.grad_row;
      const T* from[K];
      for (int k = 0; k < K; ++k) from[k] = in + what.offsets[tap + k];
      for (int64_t q = 0; q < what.length; q += kLanes) {
        Vector<T> x[K];
#pragma GCC unroll 4
        for (int k = 0; k < K; ++k) x[k] = load(from[k] + q);
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) {
          const Vector<T> g = load(grad + r * what.grad_row + q);
#pragma GCC unroll 4
          for (int k = 0; k < K; ++k) found[r][k] = fused<T>(g, x[k], found[r][k]);
        }
      }
    }
    T* to = reinterpret_cast<T*>(what.sums);
    for (int r = 0; r < R; ++r) {
      for (int k = 0; k < K; ++k) to[(row + r) * what.taps + tap + k] += total<T>(found[r][k]);
    }
  }

  template <int R>
  static void sums_of_rows(const TapSums& what, int64_t row) {
    int64_t tap = 0;
    for (; tap + 3 <= what.taps; tap += 3) sums<R, 3>(what, row, tap);
    for (; tap < what.taps; ++tap) sums<R, 1>(what, row, tap);
  }

  static void tap_sums(const TapSums& what, int64_t row_begin, int64_t row_end) {
    int64_t row = row_begin;
    for (; row + 4 <= row_end; row += 4) sums_of_rows<4>(what, row);
    for (; row < row_end; ++row) sums_of_rows<1>(what, row);
  }
};

template <typename... T>
bool register_all(Types<T...>) {
  (
      [] {
        if constexpr (wanted<T>) {
          register_loop(kLevel, "correlation", dtype_of<T>, as_loop(&Loops<T>::correlate));
          register_loop(kLevel, "tap_sums", dtype_of<T>, as_loop(&Loops<T>::tap_sums));
        }
      }(),
      ...);
  return true;
}
using Convolved = Types<uint8_t, int8_t, int16_t, int32_t, int64_t, float, double, complex64, complex128>;
[[maybe_unused]] const bool registered = register_all(Convolved());

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
