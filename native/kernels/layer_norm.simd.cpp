#include "kernels/layer_norm.h"

#include <vector>

#include "kernels/pointwise_loops.h"
#include "kernels/row_sums.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

template <typename T>
struct LayerNorm {
  using C = compute_t<T>;

  static C at(const T* p, int64_t i) { return static_cast<C>(p[i]); }

  static void forward(const NormBlock& b) {
    const T* weight = reinterpret_cast<const T*>(b.weight);
    const T* bias = reinterpret_cast<const T*>(b.bias);
    const double share = 1.0 / static_cast<double>(b.n);
    for (int64_t r = 0; r < b.rows; ++r) {
      const T* in = reinterpret_cast<const T*>(b.in) + r * b.n;
      T* out = reinterpret_cast<T*>(b.out) + r * b.n;
      const C mean = static_cast<C>(add_up<C>(b.n, [in](int64_t i) { return at(in, i); }) * share);
      const double squares =
          add_up<C>(b.n, [in, mean](int64_t i) { return (at(in, i) - mean) * (at(in, i) - mean); });
      const C rstd = static_cast<C>(1.0 / std::sqrt(squares * share + b.eps));
      reinterpret_cast<C*>(b.mean)[r] = mean;
      reinterpret_cast<C*>(b.rstd)[r] = rstd;
      if (weight && bias) {
        for (int64_t i = 0; i < b.n; ++i)
          out[i] = narrow<T>((at(in, i) - mean) * rstd * at(weight, i) + at(bias, i));
      } else if (weight) {
        for (int64_t i = 0; i < b.n; ++i) out[i] = narrow<T>((at(in, i) - mean) * rstd * at(weight, i));
      } else if (bias) {
        for (int64_t i = 0; i < b.n; ++i) out[i] = narrow<T>((at(in, i) - mean) * rstd + at(bias, i));
      } else {
        for (int64_t i = 0; i < b.n; ++i) out[i] = narrow<T>((at(in, i) - mean) * rstd);
      }
    }
  }

  /// Gradient of the input of one row. With y = (in − mean) · rstd and g = grad · weight:
  /// rstd · (g − mean of g − y · mean of g · y).
  template <typename Weighted>
  static void input_row(const T* in, T* out, int64_t n, C mean, C rstd, Weighted g) {
    const double share = 1.0 / static_cast<double>(n);
    const C offset = static_cast<C>(add_up<C>(n, g) * share);
    const C slope =
        static_cast<C>(add_up<C>(n, [&](int64_t i) { return g(i) * ((at(in, i) - mean) * rstd); }) * share);
    for (int64_t i = 0; i < n; ++i)
      out[i] = narrow<T>(rstd * (g(i) - offset - (at(in, i) - mean) * rstd * slope));
  }

  static void backward(const NormBlock& b) {
    constexpr int64_t kRows = 64;  // rows whose terms are summed in C before they go into the double sums
    const T* weight = reinterpret_cast<const T*>(b.weight);
    std::vector<C> sums(b.weight_sum || b.bias_sum ? static_cast<size_t>(2 * b.n) : 0);
    C* weight_sum = sums.data();
    C* bias_sum = sums.data() + (sums.empty() ? 0 : b.n);
    for (int64_t r = 0; r < b.rows; ++r) {
      const T* in = reinterpret_cast<const T*>(b.in) + r * b.n;
      const T* grad = reinterpret_cast<const T*>(b.grad) + r * b.n;
      const C mean = reinterpret_cast<const C*>(b.mean)[r];
      const C rstd = reinterpret_cast<const C*>(b.rstd)[r];
      T* out = reinterpret_cast<T*>(b.out) + r * b.n;
      if (b.out && weight) {
        input_row(in, out, b.n, mean, rstd,
                  [grad, weight](int64_t i) { return at(grad, i) * at(weight, i); });
      } else if (b.out) {
        input_row(in, out, b.n, mean, rstd, [grad](int64_t i) { return at(grad, i); });
      }
      if (sums.empty()) continue;
      for (int64_t i = 0; i < b.n; ++i) weight_sum[i] += at(grad, i) * ((at(in, i) - mean) * rstd);
      for (int64_t i = 0; i < b.n; ++i) bias_sum[i] += at(grad, i);
      if ((r + 1) % kRows == 0 || r + 1 == b.rows) {
        for (int64_t i = 0; b.weight_sum && i < b.n; ++i)
          b.weight_sum[i] += static_cast<double>(weight_sum[i]);
        for (int64_t i = 0; b.bias_sum && i < b.n; ++i) b.bias_sum[i] += static_cast<double>(bias_sum[i]);
        std::fill(sums.begin(), sums.end(), C(0));
      }
    }
  }
};

template <typename... T>
bool register_all(Types<T...>) {
  (
      [] {
        if constexpr (wanted<T>) {
          register_loop(kLevel, "LayerNormKernelImpl", dtype_of<T>, as_loop(&LayerNorm<T>::forward));
          register_loop(kLevel, "LayerNormBackwardKernelImpl", dtype_of<T>, as_loop(&LayerNorm<T>::backward));
        }
      }(),
      ...);
  return true;
}
[[maybe_unused]] const bool registered = register_all(Floats());

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
