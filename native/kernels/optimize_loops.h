#pragma once

// What the kernels of the optimizers have in common. Included by their *.simd.cpp files; see
// pointwise_loops.h.

#include "kernels/optimize.h"
#include "kernels/pointwise_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {

/// Rounds as if every intermediate result were stored in T, which is what a chain of single operators does.
template <typename T>
compute_t<T> stored(compute_t<T> value) {
  return static_cast<compute_t<T>>(narrow<T>(value));
}

/// A factor of an addition, which PyTorch rounds to the tensors' own type.
template <typename T>
compute_t<T> factor(double value) {
  return stored<T>(convert<compute_t<T>>(value));
}

/// A running mean, moved from its old value towards a new one; the sum starts at the nearer of the two.
template <typename T>
struct Lerp {
  using C = compute_t<T>;
  /// Of the old value, `kept` stays.
  explicit Lerp(double kept) : near(1 - kept < 0.5), weight(convert<C>(1 - kept) - (near ? C(0) : C(1))) {}
  C operator()(C from, C to) const { return stored<T>(std::fma(weight, to - from, near ? from : to)); }

  bool near;
  C weight;
};

/// A running mean of squares.
template <typename T>
struct MeanSquare {
  using C = compute_t<T>;
  explicit MeanSquare(double share) : kept(convert<C>(share)), fresh(convert<C>(1 - share)) {}
  C operator()(C before, C value) const {
    return stored<T>(std::fma(fresh * value, value, stored<T>(before * kept)));
  }

  C kept, fresh;
};

/// The gradient as the step takes it. fma is asked for by name, so that the result is the same on every CPU
/// level.
template <typename T, bool Decays>
struct Gradient {
  using C = compute_t<T>;
  explicit Gradient(const Scalar* params)
      : sign(params[step_number::kMaximize].to<bool>() ? C(-1) : C(1)),
        decay(factor<T>(params[step_number::kWeightDecay].to<double>())) {}
  C operator()(C param, const T& grad) const {
    const C g = sign * static_cast<C>(grad);
    if constexpr (Decays) return stored<T>(std::fma(decay, param, g));
    return g;
  }

  C sign, decay;
};

/// Calls update with references to an element of every operand.
template <typename T, size_t... K, typename F>
void each_element(char* const* data, const int64_t* strides, int64_t n, std::index_sequence<K...>, F update) {
  if (((strides[K] == sizeof(T)) && ...)) {
    const std::array<T*, sizeof...(K)> at = {reinterpret_cast<T*>(data[K])...};
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) update(at[K][i]...);
    return;
  }
  for (int64_t i = 0; i < n; ++i) update(*reinterpret_cast<T*>(data[K] + i * strides[K])...);
}

/// The loop of an optimizer: Element<T, Decays>(params) changes one element of each of the operands. Whether
/// the weights decay is known to the compiler, since a choice inside the loop would keep it from being
/// vectorised.
template <template <typename, bool> typename Element, size_t Operands, typename T>
void update_loop(char* const* data, const int64_t* strides, int64_t n, const Scalar* params) {
  constexpr auto operands = std::make_index_sequence<Operands>();
  const auto run = [&](auto element) {
    each_element<T>(data, strides, n, operands, [element](auto&... each) { element(each...); });
  };
  if (params[step_number::kWeightDecay].to<double>() != 0) {
    run(Element<T, true>(params));
  } else {
    run(Element<T, false>(params));
  }
}

/// `const Update<Sgd, 2> sgd("sgd");` makes the kernel of an optimizer.
template <template <typename, bool> typename Element, size_t Operands>
struct Update {
  explicit Update(std::string_view name) { add(name, Floats()); }

 private:
  template <typename... T>
  static void add(std::string_view name, Types<T...>) {
    (
        [&] {
          if constexpr (wanted<T>)
            register_loop(kLevel, name, dtype_of<T>, &update_loop<Element, Operands, T>);
        }(),
        ...);
  }
};

}  // namespace ONETAPE_LEVEL
}  // namespace onetape
