#include "kernels/optimize.h"

#include "kernels/pointwise_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

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

/// Calls f with a flag that the compiler knows, since a choice inside the loop would keep it from being
/// vectorised.
template <typename F>
void choose(bool flag, const F& f) {
  flag ? f(std::true_type()) : f(std::false_type());
}

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

/// fma is asked for by name, so that the result is the same on every CPU level.
template <typename T>
void sgd(char* const* data, const int64_t* strides, int64_t n, const Scalar* params) {
  using C = compute_t<T>;
  const C lr = factor<T>(-params[sgd_number::kLr].to<double>());
  const C decay = factor<T>(params[sgd_number::kWeightDecay].to<double>());
  const C sign = params[sgd_number::kMaximize].to<bool>() ? C(-1) : C(1);
  choose(params[sgd_number::kWeightDecay].to<double>() != 0, [&](auto decays) {
    each_element<T>(data, strides, n, std::make_index_sequence<2>(), [=](T& param, const T& grad) {
      const C p = static_cast<C>(param);
      C g = sign * static_cast<C>(grad);
      if constexpr (decays) g = stored<T>(std::fma(decay, p, g));
      param = narrow<T>(std::fma(lr, g, p));
    });
  });
}

template <typename T, bool Decays, bool Nesterov>
void sgd_momentum_loop(char* const* data, const int64_t* strides, int64_t n, const Scalar* params) {
  using C = compute_t<T>;
  const C lr = factor<T>(-params[sgd_number::kLr].to<double>());
  const C decay = factor<T>(params[sgd_number::kWeightDecay].to<double>());
  const C sign = params[sgd_number::kMaximize].to<bool>() ? C(-1) : C(1);
  const C momentum = params[sgd_number::kMomentum].to<C>();
  const C ahead = factor<T>(params[sgd_number::kMomentum].to<double>());
  const C fresh = factor<T>(1 - params[sgd_number::kDampening].to<double>());
  each_element<T>(data, strides, n, std::make_index_sequence<3>(), [=](T& param, const T& grad, T& buffer) {
    const C p = static_cast<C>(param);
    C g = sign * static_cast<C>(grad);
    if constexpr (Decays) g = stored<T>(std::fma(decay, p, g));
    const C kept = stored<T>(std::fma(fresh, g, stored<T>(static_cast<C>(buffer) * momentum)));
    buffer = narrow<T>(kept);
    const C step = Nesterov ? stored<T>(std::fma(ahead, kept, g)) : kept;
    param = narrow<T>(std::fma(lr, step, p));
  });
}

template <typename T>
void sgd_momentum(char* const* data, const int64_t* strides, int64_t n, const Scalar* params) {
  choose(params[sgd_number::kWeightDecay].to<double>() != 0, [&](auto decays) {
    choose(params[sgd_number::kNesterov].to<bool>(),
           [&](auto nesterov) { sgd_momentum_loop<T, decays, nesterov>(data, strides, n, params); });
  });
}

/// One element of Adam; what depends on the numbers alone is prepared once a loop.
template <typename T, bool Decays, bool Near>
struct AdamElement {
  using C = compute_t<T>;
  explicit AdamElement(const Scalar* params)
      : step(-params[adam_number::kStepSize].to<C>()),
        weight1(convert<C>(1 - params[adam_number::kBeta1].to<double>()) - (Near ? C(0) : C(1))),
        beta2(params[adam_number::kBeta2].to<C>()),
        weight2(convert<C>(1 - params[adam_number::kBeta2].to<double>())),
        eps(factor<T>(params[adam_number::kEps].to<double>())),
        root(params[adam_number::kRootCorrection].to<C>()),
        shrink(params[adam_number::kShrink].to<C>()),
        decay(factor<T>(params[adam_number::kWeightDecay].to<double>())),
        sign(params[adam_number::kMaximize].to<bool>() ? C(-1) : C(1)) {}

  /// `largest` maps the new second moment to the one that divides the step.
  template <typename Largest>
  void operator()(T& param, const T& grad, T& first, T& second, const Largest& largest) const {
    const C p = stored<T>(static_cast<C>(param) * shrink);
    C g = sign * static_cast<C>(grad);
    if constexpr (Decays) g = stored<T>(std::fma(decay, p, g));
    // The mean moves from its old value towards g; the sum starts at the nearer of the two.
    const C old = static_cast<C>(first);
    const C mean = stored<T>(std::fma(weight1, g - old, Near ? old : g));
    const C square = stored<T>(std::fma(weight2 * g, g, stored<T>(static_cast<C>(second) * beta2)));
    first = narrow<T>(mean);
    second = narrow<T>(square);
    const C below = stored<T>(stored<T>(stored<T>(std::sqrt(largest(square))) / root) + eps);
    param = narrow<T>(p + step * mean / below);
  }

  C step, weight1, beta2, weight2, eps, root, shrink, decay, sign;
};

template <typename F>
void choose_adam(const Scalar* params, const F& f) {
  choose(params[adam_number::kWeightDecay].to<double>() != 0, [&](auto decays) {
    choose(params[adam_number::kBeta1].to<double>() > 0.5, [&](auto near) { f(decays, near); });
  });
}

template <typename T>
void adam(char* const* data, const int64_t* strides, int64_t n, const Scalar* params) {
  using C = compute_t<T>;
  choose_adam(params, [&](auto decays, auto near) {
    const AdamElement<T, decays, near> element(params);
    each_element<T>(data, strides, n, std::make_index_sequence<4>(),
                    [=](T& p, const T& g, T& first, T& second) {
                      element(p, g, first, second, [](C square) { return square; });
                    });
  });
}

template <typename T>
void adam_max(char* const* data, const int64_t* strides, int64_t n, const Scalar* params) {
  using C = compute_t<T>;
  choose_adam(params, [&](auto decays, auto near) {
    const AdamElement<T, decays, near> element(params);
    each_element<T>(data, strides, n, std::make_index_sequence<5>(),
                    [=](T& p, const T& g, T& first, T& second, T& largest) {
                      const C before = static_cast<C>(largest);
                      element(p, g, first, second, [&](C square) {
                        // A nan wins, as in maximum().
                        const C after = square > before || std::isnan(square) ? square : before;
                        largest = narrow<T>(after);
                        return after;
                      });
                    });
  });
}

template <template <typename> typename Loop, typename... T>
bool add(std::string_view name, Types<T...>) {
  std::array<InnerLoop, kDTypes> loops{};
  (
      [&] {
        if constexpr (wanted<T>) loops[static_cast<size_t>(dtype_of<T>)] = Loop<T>::run;
      }(),
      ...);
  return register_kernel(kLevel, name, loops);
}

template <typename T>
struct Sgd {
  static constexpr InnerLoop run = &sgd<T>;
};
template <typename T>
struct SgdMomentum {
  static constexpr InnerLoop run = &sgd_momentum<T>;
};
template <typename T>
struct Adam {
  static constexpr InnerLoop run = &adam<T>;
};
template <typename T>
struct AdamMax {
  static constexpr InnerLoop run = &adam_max<T>;
};

const bool added = add<Sgd>("sgd", Floats()) && add<SgdMomentum>("sgd_momentum", Floats()) &&
                   add<Adam>("adam", Floats()) && add<AdamMax>("adam_max", Floats());

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
