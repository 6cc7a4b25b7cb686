#include "kernels/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/registry.h"
#include "kernels/walk.h"

namespace onetape {
namespace {

constexpr double kTwoPi = 6.283185307179586;

/// Sets every element to next(), in the order of the tensor's memory.
template <typename T, typename F>
void fill_in_memory_order(const Tensor& out, F next) {
  T* at = out.data<T>();
  const int64_t n = out.numel();
  if (out.is_contiguous()) {
    for (int64_t i = 0; i < n; ++i) at[i] = next();
    return;
  }
  Ints order(out.sizes().size(), 0);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return out.strides()[a] > out.strides()[b]; });
  Ints sizes;
  Ints strides;
  for (const int64_t d : order) {
    sizes.push_back(out.sizes()[d]);
    strides.push_back(out.strides()[d]);
  }
  Walk<1> walk(sizes, {strides});
  for (int64_t i = 0; i < n; ++i, walk.next()) at[walk[0]] = next();
}

/// One normal number; its twin waits in the generator.
double normal_double(Generator& generator) {
  if (generator.next_normal) {
    const double value = *generator.next_normal;
    generator.next_normal.reset();
    return value;
  }
  const double u1 = uniform_double(generator);
  const double u2 = uniform_double(generator);
  const double radius = std::sqrt(-2.0 * std::log1p(-u2));
  const double angle = kTwoPi * u1;
  generator.next_normal = radius * std::sin(angle);
  return radius * std::cos(angle);
}

template <typename T>
void draw_uniform(T* to, int64_t n, Generator& generator) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, double>) {
      to[i] = uniform_double(generator);
    } else {
      to[i] = uniform_float(generator);
    }
  }
}

/// All of a contiguous tensor of 16 elements or more: groups of 16, and the last 16 drawn anew if they are
/// not a group.
template <typename T>
void normal_groups(T* out, int64_t n, double mean, double std, Generator& generator) {
  static const Kernel& kernel = find_kernel("normal_pairs");
  const InnerLoop loop = kernel.loop(dtype_of<T>);
  const Scalar params[] = {Scalar(mean), Scalar(std)};
  const auto run = [&](T* at, int64_t groups) {
    char* data[] = {reinterpret_cast<char*>(at)};
    loop(data, nullptr, groups, params);
  };
  draw_uniform(out, n, generator);
  run(out, n / 16);
  if (n % 16 == 0) return;
  draw_uniform(out + n - 16, 16, generator);
  run(out + n - 16, 1);
}

/// The same for the 16-bit floats, computed in float; what does not fill a group is not drawn in vain.
template <typename T>
void normal_groups_16bit(T* out, int64_t n, double mean, double std, Generator& generator) {
  float group[16];
  for (int64_t at = 0; at < n; at += 16) {
    normal_groups(group, 16, mean, std, generator);
    std::copy(group, group + 16, out + std::min(at, n - 16));
  }
}

/// Poisson-distributed by transformed rejection; W. Hörmann, Insurance: Mathematics and Economics 12 (1993).
/// λ ≥ 10.
double poisson_large(double lambda, Generator& generator) {
  const double root = std::sqrt(lambda);
  const double b = 0.931 + 2.53 * root;
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double accept = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = uniform_double(generator) - 0.5;
    const double v = uniform_double(generator);
    const double distance = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / distance + b) * u + lambda + 0.43);
    if (distance >= 0.07 && v <= accept) return k;
    if (k < 0 || (distance < 0.013 && v > distance)) continue;
    const double bound = -lambda + k * std::log(lambda) - std::lgamma(k + 1);
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (distance * distance) + b) <= bound) return k;
  }
}

/// The same by multiplying uniform numbers until they are below e^−λ.
double poisson_small(double lambda, Generator& generator) {
  if (lambda == 0) return 0;
  const double bound = std::exp(-lambda);
  double product = 1;
  for (int64_t k = 0;; ++k) {
    product *= uniform_double(generator);
    if (product <= bound) return static_cast<double>(k);
  }
}

/// The real and imaginary parts of a complex tensor as one more dimension.
Tensor as_real(const Tensor& t) {
  Ints sizes = t.shape();
  Ints strides(t.strides());
  for (int64_t& stride : strides) stride *= 2;
  sizes.push_back(2);
  strides.push_back(1);
  return Tensor(TensorImpl::view(t.storage(), sizes, strides, 2 * t.storage_offset(), to_real(t.dtype())));
}

}  // namespace

void fill_uniform(const Tensor& out, double from, double to, Generator& generator) {
  if (!out.has_data()) return;
  if (is_complex(out.dtype())) return fill_uniform(as_real(out), from, to, generator);
  visit_floating("uniform", out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = compute_t<T>;
    const C low = static_cast<C>(from);
    const C high = static_cast<C>(to);
    fill_in_memory_order<T>(out, [&]() -> T {
      C unit;
      draw_uniform(&unit, 1, generator);
      const T value = static_cast<T>(std::fma(unit, high - low, low));
      return value == static_cast<T>(high) ? static_cast<T>(low)
                                           : value;  // rounded up to the end that is left out
    });
  });
}

void fill_normal(const Tensor& out, double mean, double std, Generator& generator) {
  if (!out.has_data()) return;
  if (is_complex(out.dtype())) return fill_normal(as_real(out), mean, std / std::sqrt(2.0), generator);
  const int64_t n = out.numel();
  visit_floating("normal_kernel_cpu", out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (n < 16 || !out.is_contiguous()) {
      fill_in_memory_order<T>(out,
                              [&] { return static_cast<T>(std::fma(normal_double(generator), std, mean)); });
    } else if constexpr (std::is_same_v<T, compute_t<T>>) {
      normal_groups(out.data<T>(), n, mean, std, generator);
    } else {
      normal_groups_16bit(out.data<T>(), n, mean, std, generator);
    }
  });
}

void fill_exponential(const Tensor& out, double lambda, Generator& generator) {
  if (!out.has_data()) return;
  visit_floating("exponential_cpu", out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    fill_in_memory_order<T>(
        out, [&] { return static_cast<T>(-1.0 / lambda * std::log1p(-uniform_double(generator))); });
  });
}

void fill_integers(const Tensor& out, uint64_t range, int64_t base, Generator& generator) {
  if (!out.has_data()) return;
  const bool wide = range == 0 || range >= (uint64_t{1} << 28);
  visit_real("random_from_to", out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    fill_in_memory_order<T>(out, [&]() -> T {
      uint64_t value = wide ? generator.random64() : generator.random();
      if (range != 0) value %= range;
      return convert<T>(static_cast<int64_t>(value + static_cast<uint64_t>(base)));
    });
  });
}

void fill_any_integers(const Tensor& out, Generator& generator) {
  if (!out.has_data()) return;
  visit_real("random_kernel_cpu", out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    fill_in_memory_order<T>(out, [&]() -> T {
      if constexpr (std::is_same_v<T, bool>) {
        return (generator.random() & 1) != 0;
      } else if constexpr (std::is_same_v<T, int64_t>) {
        return static_cast<int64_t>(generator.random64() % (uint64_t{1} << 63));
      } else if constexpr (std::is_same_v<T, double>) {
        return static_cast<double>(generator.random64() % ((uint64_t{1} << 53) + 1));
      } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(generator.random() %
                              (static_cast<uint32_t>(std::numeric_limits<T>::max()) + 1));
      } else {
        constexpr int kDigits = std::is_same_v<T, float> ? 24 : std::is_same_v<T, Half> ? 11 : 8;
        return T(static_cast<float>(generator.random() % ((uint32_t{1} << kDigits) + 1)));
      }
    });
  });
}

void fill_permutation(const Tensor& out, Generator& generator) {
  if (!out.has_data()) return;
  const int64_t n = out.numel();
  const bool wide = n >= static_cast<int64_t>(UINT32_MAX / 20);
  visit_real("randperm", out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* at = out.data<T>();
    for (int64_t i = 0; i < n; ++i) at[i] = convert<T>(i);
    for (int64_t i = 0; i + 1 < n; ++i) {
      const uint64_t drawn = wide ? generator.random64() : generator.random();
      std::swap(at[i], at[i + static_cast<int64_t>(drawn % static_cast<uint64_t>(n - i))]);
    }
  });
}

void fill_bernoulli(const Tensor& out, double p, Generator& generator) {
  if (!out.has_data()) return;
  visit_real("bernoulli_scalar_cpu_", out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    fill_in_memory_order<T>(out, [&] { return convert<T>(uniform_double(generator) < p); });
  });
}

void fill_bernoulli(const Tensor& out, const Tensor& probabilities, Generator& generator) {
  if (!out.has_data()) return;
  visit_real("bernoulli_tensor_cpu_self_", out.dtype(), [&](auto out_tag) {
    using T = typename decltype(out_tag)::type;
    T* to = out.data<T>();
    visit_floating("bernoulli_tensor_cpu_p_", probabilities.dtype(), [&](auto tag) {
      using P = typename decltype(tag)::type;
      const P* from = probabilities.data<P>();
      for (int64_t i = 0; i < out.numel(); ++i) {
        const compute_t<P> p = from[i];
        check(p >= 0 && p <= 1,
              "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
              "improved?  If so, please report an enhancement request to PyTorch.)");
      }
      for (int64_t i = 0; i < out.numel(); ++i) {
        if constexpr (std::is_same_v<P, double>) {
          to[i] = convert<T>(uniform_double(generator) < from[i]);
        } else {
          to[i] = convert<T>(uniform_float(generator) < static_cast<float>(from[i]));
        }
      }
    });
  });
}

void fill_poisson(const Tensor& out, const Tensor& rate, Generator& generator) {
  if (!out.has_data()) return;
  visit_floating("poisson_cpu", out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = rate.data<T>();
    T* to = out.data<T>();
    for (int64_t i = 0; i < out.numel(); ++i) {
      const auto lambda = static_cast<double>(static_cast<compute_t<T>>(from[i]));
      const double events =
          lambda >= 10 ? poisson_large(lambda, generator) : poisson_small(lambda, generator);
      to[i] = static_cast<T>(static_cast<compute_t<T>>(events));
    }
  });
}

}  // namespace onetape
