#include "kernels/range.h"

#include <cmath>

namespace onetape {
namespace {

/// What an arange of T is computed in.
template <typename T>
struct Wide {
  using type = int64_t;
};
template <> struct Wide<float> { using type = double; };
template <> struct Wide<double> { using type = double; };
template <> struct Wide<Half> { using type = float; };
template <> struct Wide<BFloat16> { using type = float; };

/// a · b + c, rounded once for float and double.
template <typename T>
T multiply_add(T a, T b, T c) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fma(a, b, c);
  } else {
    return T(a * b) + c;
  }
}

/// PyTorch's vector loop takes two registers of 32 bytes at a time and rounds the first element of each to T before it
/// goes on from there; what is left over is computed element by element. The numbers are to be the same.
template <typename T>
void arange(T* out, int64_t n, typename Wide<T>::type start, typename Wide<T>::type step) {
  using W = typename Wide<T>::type;
  constexpr int64_t kLanes = 32 / sizeof(T);
  int64_t i = 0;
  if constexpr (!std::is_integral_v<T>) {
    for (; i + 2 * kLanes <= n; i += kLanes * 2) {
      for (int64_t first = i; first < i + 2 * kLanes; first += kLanes) {
        const T base = static_cast<T>(multiply_add(step, static_cast<W>(first), start));
        for (int64_t j = 0; j < kLanes; ++j) {
          out[first + j] = static_cast<T>(multiply_add(static_cast<W>(j), step, static_cast<W>(base)));
        }
      }
    }
  }
  for (; i < n; ++i) out[i] = static_cast<T>(multiply_add(step, static_cast<W>(i), start));
}

/// Calls at(i, value) for the numbers of an evenly spaced sequence, computed in T.
template <typename T, typename F>
void spaced(int64_t n, T start, T end, F at) {
  const T step = n > 1 ? static_cast<T>((end - start) / static_cast<T>(static_cast<double>(n - 1))) : T(0);
  const int64_t half = n / 2;
  for (int64_t i = 0; i < n; ++i) {
    const auto from_start = static_cast<T>(static_cast<double>(i));
    const auto from_end = static_cast<T>(static_cast<double>(n - 1 - i));
    at(i, i < half || n == 1 ? multiply_add<T>(step, from_start, start) : multiply_add<T>(T(-step), from_end, end));
  }
}

}  // namespace

void fill_arange(const Tensor& out, const Scalar& start, const Scalar& step) {
  const DType dtype = out.dtype();
  if (dtype == DType::Bool) fail(ErrorKind::NotImplemented, "\"arange_cpu\" not implemented for 'Bool'");
  visit_real("arange_cpu", dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using W = typename Wide<T>::type;
    arange(out.data<T>(), out.numel(), start.to<W>(), step.to<W>());
  });
}

void fill_linspace(const Tensor& out, const Scalar& start, const Scalar& end) {
  visit_all(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = std::conditional_t<std::is_integral_v<T>, double, T>;
    T* to = out.data<T>();
    spaced<C>(out.numel(), static_cast<C>(start.to<T>()), static_cast<C>(end.to<T>()),
              [to](int64_t i, C value) { to[i] = convert<T>(value); });
  });
}

void fill_logspace(const Tensor& out, const Scalar& start, const Scalar& end, double base) {
  visit_all(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = out.data<T>();
    if constexpr (std::is_integral_v<T>) {
      spaced<float>(out.numel(), static_cast<float>(start.to<T>()), static_cast<float>(end.to<T>()),
                    [to, base](int64_t i, float x) { to[i] = convert<T>(std::pow(static_cast<float>(base), x)); });
    } else {
      using C = compute_t<T>;
      const C from = static_cast<C>(convert<T>(base));
      spaced<T>(out.numel(), start.to<T>(), end.to<T>(),
                [to, from](int64_t i, T x) { to[i] = static_cast<T>(std::pow(from, static_cast<C>(x))); });
    }
  });
}

}  // namespace onetape
