#include "kernels/scan.h"

#include "kernels/lines.h"

namespace onetape {
namespace {

/// What running values of T are kept in.
template <typename T>
struct Wide {
  using type = compute_t<T>;
};
template <>
struct Wide<float> {
  using type = double;
};
template <>
struct Wide<complex64> {
  using type = complex128;
};

/// out[i] = step(value before, in[i]) along every line.
template <typename T, typename F>
void scan(const Tensor& out, const Tensor& in, int64_t dim, typename Wide<T>::type start, F step) {
  using W = typename Wide<T>::type;
  const int64_t n = in.sizes()[dim];
  const int64_t out_step = out.strides()[dim];
  const int64_t in_step = in.strides()[dim];
  for_lines<2>({out, in}, dim, [&](const Walk<2>& line) {
    T* to = out.data<T>() + line[0];
    const T* from = in.data<T>() + line[1];
    W value = start;
    for (int64_t i = 0; i < n; ++i) {
      value = step(value, static_cast<W>(from[i * in_step]));
      to[i * out_step] = static_cast<T>(value);
    }
  });
}

}  // namespace

void running_sum(const Tensor& out, const Tensor& in, int64_t dim) {
  if (!out.has_data()) return;
  visit_all(in.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using W = typename Wide<T>::type;
    scan<T>(out, in, dim, W(0), [](W a, W b) { return static_cast<W>(a + b); });
  });
}

void running_product(const Tensor& out, const Tensor& in, int64_t dim) {
  if (!out.has_data()) return;
  visit_all(in.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using W = typename Wide<T>::type;
    scan<T>(out, in, dim, W(1), [](W a, W b) { return static_cast<W>(a * b); });
  });
}

void running_extremum(const Tensor& out, const Tensor& index, const Tensor& in, int64_t dim, bool largest) {
  if (!out.has_data()) return;
  const int64_t n = in.sizes()[dim];
  visit_real(largest ? "cummax_cpu" : "cummin_cpu", in.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    for_lines<3>({out, index, in}, dim, [&](const Walk<3>& line) {
      T* to = out.data<T>() + line[0];
      int64_t* at = index.data<int64_t>() + line[1];
      const T* from = in.data<T>() + line[2];
      T best = n > 0 ? from[0] : T();
      int64_t where = 0;
      for (int64_t i = 0; i < n; ++i) {
        const C x = static_cast<C>(from[i * in.strides()[dim]]);
        const C y = static_cast<C>(best);
        if (x != x || (y == y && (largest ? x >= y : x <= y))) {
          best = from[i * in.strides()[dim]];
          where = i;
        }
        to[i * out.strides()[dim]] = best;
        at[i * index.strides()[dim]] = where;
      }
    });
  });
}

}  // namespace onetape
