#include "kernels/range.h"

#include <cmath>

namespace onetape {
namespace {

/// What an arange of T is computed in.
template <typename T>
struct Wide {
  using type = int64_t;
};
template <>
struct Wide<float> {
  using type = double;
};
template <>
struct Wide<double> {
  using type = double;
};
template <>
struct Wide<Half> {
  using type = float;
};
template <>
struct Wide<BFloat16> {
  using type = float;
};

/// a · b + c, rounded once for float and double.
template <typename T>
T multiply_add(T a, T b, T c) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fma(a, b, c);
  } else {
    return T(a * b) + c;
  }
}

/// PyTorch's vector loop takes two registers of 32 bytes at a time and rounds the first element of each to T
/// before it goes on from there; what is left over is computed element by element. The numbers are to be the
/// same.
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

/// Calls at(i, value) for the numbers of an evenly spaced sequence, computed in C; `fused` rounds once a
/// number.
template <typename C, bool fused, typename F>
void spaced(int64_t n, C start, C end, F at) {
  const C step = n > 1 ? (end - start) / static_cast<C>(n - 1) : C(0);
  const int64_t half = n / 2;
  const auto number = [](C a, C b, C c) { return fused ? std::fma(a, b, c) : a * b + c; };
  for (int64_t i = 0; i < n; ++i) {
    const bool early = i < half || n == 1;
    at(i, early ? number(step, static_cast<C>(i), start) : number(-step, static_cast<C>(n - 1 - i), end));
  }
}

/// What such a sequence of T is computed in.
template <typename T>
using spaced_t = std::conditional_t<std::is_integral_v<T>, double, compute_t<T>>;

}  // namespace

void fill_arange(const Tensor& out, const Scalar& start, const Scalar& step) {
  if (!out.has_data()) return;
  const DType dtype = out.dtype();
  if (dtype == DType::Bool) fail(ErrorKind::NotImplemented, "\"arange_cpu\" not implemented for 'Bool'");
  visit_real("arange_cpu", dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using W = typename Wide<T>::type;
    arange(out.data<T>(), out.numel(), start.to<W>(), step.to<W>());
  });
}

void fill_linspace(const Tensor& out, const Scalar& start, const Scalar& end) {
  if (!out.has_data()) return;
  const int64_t n = out.numel();
  if (is_complex(out.dtype())) {  // real and imaginary parts are sequences of their own
    visit_floating("linspace_cpu", to_real(out.dtype()), [&](auto tag) {
      using C = typename decltype(tag)::type;
      if constexpr (std::is_floating_point_v<C>) {
        C* to = out.data<C>();
        const auto from = start.to<std::complex<C>>();
        const auto last = end.to<std::complex<C>>();
        spaced<C, true>(n, from.real(), last.real(), [to](int64_t i, C value) { to[2 * i] = value; });
        spaced<C, true>(n, from.imag(), last.imag(), [to](int64_t i, C value) { to[2 * i + 1] = value; });
      }
    });
    return;
  }
  visit_real("linspace_cpu", out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = spaced_t<T>;
    T* to = out.data<T>();
    spaced<C, true>(n, static_cast<C>(start.to<T>()), static_cast<C>(end.to<T>()),
                    [to](int64_t i, C value) { to[i] = convert<T>(value); });
  });
}

void fill_logspace(const Tensor& out, const Scalar& start, const Scalar& end, double base) {
  if (!out.has_data()) return;
  const int64_t n = out.numel();
  if (is_complex(out.dtype())) {
    visit_floating("logspace_cpu", to_real(out.dtype()), [&](auto tag) {
      using C = std::complex<compute_t<typename decltype(tag)::type>>;
      using R = typename C::value_type;
      const C step = n > 1 ? (end.to<C>() - start.to<C>()) / static_cast<R>(n - 1) : C(0);
      C* to = out.data<C>();
      for (int64_t i = 0; i < n; ++i) {
        const bool early = i < n / 2 || n == 1;
        to[i] = std::pow(C(static_cast<R>(base)), early ? start.to<C>() + step * static_cast<R>(i)
                                                        : end.to<C>() - step * static_cast<R>(n - 1 - i));
      }
    });
    return;
  }
  visit_real("logspace_cpu", out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto first = convert<double>(start.to<T>());
    const auto last = convert<double>(end.to<T>());
    T* to = out.data<T>();
    spaced<double, false>(n, first, last,
                          [to, base](int64_t i, double x) { to[i] = convert<T>(std::pow(base, x)); });
  });
}

}  // namespace onetape
