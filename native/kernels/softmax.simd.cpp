#include "kernels/pointwise_loops.h"
#include "kernels/row_sums.h"
#include "kernels/softmax_loops.h"
#include "kernels/vector_math.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

constexpr int kLanes = kRowLanes;

template <typename T>
compute_t<T> largest(const T* in, int64_t n) {
  using C = compute_t<T>;
  constexpr C none = -std::numeric_limits<C>::infinity();
  if (n < kLanes) {
    C top = none;
    for (int64_t i = 0; i < n; ++i) top = std::max(top, static_cast<C>(in[i]));
    return top;
  }
  C lanes[kLanes];
  std::fill_n(lanes, kLanes, none);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) {
      const C x = static_cast<C>(in[i + l]);
      lanes[l] = x > lanes[l] ? x : lanes[l];
    }
  }
  for (; i < n; ++i) lanes[0] = std::max(lanes[0], static_cast<C>(in[i]));
  return *std::max_element(lanes, lanes + kLanes);
}

/// out[i] = e^(in[i] − shift), in whole vectors: the last ones are filled up.
template <typename T>
void exponentials(const T* in, compute_t<T> shift, compute_t<T>* out, int64_t n) {
  using C = compute_t<T>;
  const int64_t whole = n / kLanes * kLanes;
#pragma GCC ivdep
  for (int64_t i = 0; i < whole; ++i) out[i] = vm::exp(static_cast<C>(in[i]) - shift);
  if (whole == n) return;
  C rest[kLanes] = {};
  for (int64_t i = whole; i < n; ++i) rest[i - whole] = static_cast<C>(in[i]) - shift;
  for (int l = 0; l < kLanes; ++l) rest[l] = vm::exp(rest[l]);
  std::copy_n(rest, n - whole, out + whole);
}

/// Σ e^(in[i] − shift) without keeping the terms.
template <typename T>
double sum_of_exponentials(const T* in, compute_t<T> shift, int64_t n) {
  constexpr int64_t kStretch = 1024;
  compute_t<T> terms[kStretch];
  double total = 0;
  for (int64_t from = 0; from < n; from += kStretch) {
    const int64_t count = std::min(kStretch, n - from);
    exponentials(in + from, shift, terms, count);
    total += add_up<compute_t<T>>(count, [&](int64_t i) { return terms[i]; });
  }
  return total;
}

template <typename T>
struct Softmax {
  using C = compute_t<T>;

  static void row(const T* in, T* out, int64_t n) {
    const C top = largest(in, n);
    if constexpr (std::is_same_v<T, C>) {
      exponentials(in, top, out, n);
      const C sum = static_cast<C>(add_up<C>(n, [out](int64_t i) { return out[i]; }));
      for (int64_t i = 0; i < n; ++i) out[i] /= sum;
    } else {
      const C sum = static_cast<C>(sum_of_exponentials(in, top, n));
      for (int64_t i = 0; i < n; ++i) out[i] = narrow<T>(vm::exp(static_cast<C>(in[i]) - top) / sum);
    }
  }

  static void columns(const SoftmaxBlock& b) {
    C top[SoftmaxBlock::kColumns];
    C sum[SoftmaxBlock::kColumns];
    const T* in = reinterpret_cast<const T*>(b.a);
    T* out = reinterpret_cast<T*>(b.out);
    std::fill_n(top, b.count, -std::numeric_limits<C>::infinity());
    std::fill_n(sum, b.count, C(0));
    for (int64_t r = 0; r < b.n; ++r) {
      for (int64_t k = 0; k < b.count; ++k) {
        const C x = static_cast<C>(in[r * b.step + k]);
        top[k] = x > top[k] ? x : top[k];
      }
    }
    for (int64_t r = 0; r < b.n; ++r) {
#pragma GCC ivdep
      for (int64_t k = 0; k < b.count; ++k) {
        const C term = vm::exp(static_cast<C>(in[r * b.step + k]) - top[k]);
        sum[k] += term;
        if constexpr (std::is_same_v<T, C>) out[r * b.step + k] = term;
      }
    }
    for (int64_t r = 0; r < b.n; ++r) {
#pragma GCC ivdep
      for (int64_t k = 0; k < b.count; ++k) {
        const int64_t at = r * b.step + k;
        if constexpr (std::is_same_v<T, C>) {
          out[at] /= sum[k];
        } else {
          out[at] = narrow<T>(vm::exp(static_cast<C>(in[at]) - top[k]) / sum[k]);
        }
      }
    }
  }

  static void run(const SoftmaxBlock& b) {
    if (b.step != 1) return columns(b);
    for (int64_t r = 0; r < b.count; ++r) {
      row(reinterpret_cast<const T*>(b.a) + r * b.n, reinterpret_cast<T*>(b.out) + r * b.n, b.n);
    }
  }
};

template <typename T>
struct LogSoftmax {
  using C = compute_t<T>;

  static void row(const T* in, T* out, int64_t n) {
    const C top = largest(in, n);
    const C log_sum = static_cast<C>(std::log(sum_of_exponentials(in, top, n)));
    for (int64_t i = 0; i < n; ++i) out[i] = narrow<T>(static_cast<C>(in[i]) - top - log_sum);
  }

  static void columns(const SoftmaxBlock& b) {
    C top[SoftmaxBlock::kColumns];
    C sum[SoftmaxBlock::kColumns];
    const T* in = reinterpret_cast<const T*>(b.a);
    T* out = reinterpret_cast<T*>(b.out);
    std::fill_n(top, b.count, -std::numeric_limits<C>::infinity());
    std::fill_n(sum, b.count, C(0));
    for (int64_t r = 0; r < b.n; ++r) {
      for (int64_t k = 0; k < b.count; ++k) {
        const C x = static_cast<C>(in[r * b.step + k]);
        top[k] = x > top[k] ? x : top[k];
      }
    }
    for (int64_t r = 0; r < b.n; ++r) {
      for (int64_t k = 0; k < b.count; ++k) sum[k] += vm::exp(static_cast<C>(in[r * b.step + k]) - top[k]);
    }
    for (int64_t k = 0; k < b.count; ++k) sum[k] = std::log(sum[k]);
    for (int64_t r = 0; r < b.n; ++r) {
#pragma GCC ivdep
      for (int64_t k = 0; k < b.count; ++k) {
        const int64_t at = r * b.step + k;
        out[at] = narrow<T>(static_cast<C>(in[at]) - top[k] - sum[k]);
      }
    }
  }

  static void run(const SoftmaxBlock& b) {
    if (b.step != 1) return columns(b);
    for (int64_t r = 0; r < b.count; ++r) {
      row(reinterpret_cast<const T*>(b.a) + r * b.n, reinterpret_cast<T*>(b.out) + r * b.n, b.n);
    }
  }
};

/// Softmax: (grad − Σ grad · y) · y. Its logarithm: grad − e^y · Σ grad.
template <typename T, bool Log>
struct Gradient {
  using C = compute_t<T>;

  static C term(C grad, C y) { return Log ? grad : grad * y; }
  static C result(C grad, C y, C sum) { return Log ? grad - vm::exp(y) * sum : (grad - sum) * y; }

  static void row(const T* grad, const T* y, T* out, int64_t n) {
    const auto at = [&](int64_t i) { return term(static_cast<C>(grad[i]), static_cast<C>(y[i])); };
    const C sum = static_cast<C>(add_up<C>(n, at));
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i)
      out[i] = narrow<T>(result(static_cast<C>(grad[i]), static_cast<C>(y[i]), sum));
  }

  static void columns(const SoftmaxBlock& b) {
    C sum[SoftmaxBlock::kColumns] = {};
    const T* grad = reinterpret_cast<const T*>(b.a);
    const T* y = reinterpret_cast<const T*>(b.b);
    T* out = reinterpret_cast<T*>(b.out);
    for (int64_t r = 0; r < b.n; ++r) {
      for (int64_t k = 0; k < b.count; ++k) {
        sum[k] += term(static_cast<C>(grad[r * b.step + k]), static_cast<C>(y[r * b.step + k]));
      }
    }
    for (int64_t r = 0; r < b.n; ++r) {
#pragma GCC ivdep
      for (int64_t k = 0; k < b.count; ++k) {
        const int64_t at = r * b.step + k;
        out[at] = narrow<T>(result(static_cast<C>(grad[at]), static_cast<C>(y[at]), sum[k]));
      }
    }
  }

  static void run(const SoftmaxBlock& b) {
    if (b.step != 1) return columns(b);
    for (int64_t r = 0; r < b.count; ++r) {
      row(reinterpret_cast<const T*>(b.a) + r * b.n, reinterpret_cast<const T*>(b.b) + r * b.n,
          reinterpret_cast<T*>(b.out) + r * b.n, b.n);
    }
  }
};
template <typename T>
using SoftmaxGradient = Gradient<T, false>;
template <typename T>
using LogSoftmaxGradient = Gradient<T, true>;

/// Registers Op<T>::run for the floating types.
template <template <typename> class Op>
struct Register {
  explicit Register(std::string_view name) { add(name, Floats()); }

 private:
  template <typename... T>
  static void add(std::string_view name, Types<T...>) {
    (
        [&] {
          if constexpr (wanted<T>) register_loop(kLevel, name, dtype_of<T>, as_loop(&Op<T>::run));
        }(),
        ...);
  }
};
const Register<Softmax> softmax("softmax");
const Register<LogSoftmax> log_softmax("log_softmax");
const Register<SoftmaxGradient> softmax_backward("softmax_backward");
const Register<LogSoftmaxGradient> log_softmax_backward("log_softmax_backward");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
