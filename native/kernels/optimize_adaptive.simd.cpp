// Elements of the steps of the optimizers that find their own size of a step for each element from squares or
// signs of gradients, and of the averaging one.

#include "kernels/optimize_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

template <typename T, bool Decays>
struct RmsPropMeans {
  using C = compute_t<T>;
  explicit RmsPropMeans(const Scalar* params)
      : gradient(params),
        square(params[rmsprop_number::kAlpha].to<double>()),
        mean(params[rmsprop_number::kAlpha].to<double>()),
        lr(-params[rmsprop_number::kLr].to<C>()),
        along(factor<T>(-params[rmsprop_number::kLr].to<double>())),
        eps(factor<T>(params[rmsprop_number::kEps].to<double>())),
        momentum(params[rmsprop_number::kMomentum].to<C>()) {}

  /// What the step is divided by.
  C below(C g, T& squares) const {
    const C s = square(static_cast<C>(squares), g);
    squares = narrow<T>(s);
    return stored<T>(stored<T>(std::sqrt(s)) + eps);
  }
  C below_centered(C g, T& squares, T& means) const {
    const C s = square(static_cast<C>(squares), g);
    const C m = mean(static_cast<C>(means), g);
    squares = narrow<T>(s);
    means = narrow<T>(m);
    return stored<T>(stored<T>(std::sqrt(stored<T>(std::fma(-m, m, s)))) + eps);
  }
  void move(T& param, C p, C g, C divisor) const { param = narrow<T>(p + lr * g / divisor); }
  void move(T& param, C p, C g, C divisor, T& buffer) const {
    const C b = stored<T>(stored<T>(static_cast<C>(buffer) * momentum) + g / divisor);
    buffer = narrow<T>(b);
    param = narrow<T>(std::fma(along, b, p));
  }

  Gradient<T, Decays> gradient;
  MeanSquare<T> square;
  Lerp<T> mean;
  C lr, along, eps, momentum;
};

template <typename T, bool Decays>
struct RmsProp : RmsPropMeans<T, Decays> {
  using C = compute_t<T>;
  using RmsPropMeans<T, Decays>::RmsPropMeans;
  void operator()(T& param, const T& grad, T& squares) const {
    const C p = static_cast<C>(param);
    const C g = this->gradient(p, grad);
    this->move(param, p, g, this->below(g, squares));
  }
};

template <typename T, bool Decays>
struct RmsPropMomentum : RmsPropMeans<T, Decays> {
  using C = compute_t<T>;
  using RmsPropMeans<T, Decays>::RmsPropMeans;
  void operator()(T& param, const T& grad, T& squares, T& buffer) const {
    const C p = static_cast<C>(param);
    const C g = this->gradient(p, grad);
    this->move(param, p, g, this->below(g, squares), buffer);
  }
};

template <typename T, bool Decays>
struct RmsPropCentered : RmsPropMeans<T, Decays> {
  using C = compute_t<T>;
  using RmsPropMeans<T, Decays>::RmsPropMeans;
  void operator()(T& param, const T& grad, T& squares, T& means) const {
    const C p = static_cast<C>(param);
    const C g = this->gradient(p, grad);
    this->move(param, p, g, this->below_centered(g, squares, means));
  }
};

template <typename T, bool Decays>
struct RmsPropCenteredMomentum : RmsPropMeans<T, Decays> {
  using C = compute_t<T>;
  using RmsPropMeans<T, Decays>::RmsPropMeans;
  void operator()(T& param, const T& grad, T& squares, T& means, T& buffer) const {
    const C p = static_cast<C>(param);
    const C g = this->gradient(p, grad);
    this->move(param, p, g, this->below_centered(g, squares, means), buffer);
  }
};

template <typename T, bool Decays>
struct Adagrad {
  using C = compute_t<T>;
  explicit Adagrad(const Scalar* params)
      : gradient(params),
        step(-params[adagrad_number::kStepSize].to<C>()),
        eps(factor<T>(params[adagrad_number::kEps].to<double>())) {}
  void operator()(T& param, const T& grad, T& sum) const {
    const C p = static_cast<C>(param);
    const C g = gradient(p, grad);
    const C s = stored<T>(std::fma(g, g, static_cast<C>(sum)));
    sum = narrow<T>(s);
    param = narrow<T>(p + step * g / stored<T>(stored<T>(std::sqrt(s)) + eps));
  }

  Gradient<T, Decays> gradient;
  C step, eps;
};

template <typename T, bool Decays>
struct Adadelta {
  using C = compute_t<T>;
  explicit Adadelta(const Scalar* params)
      : gradient(params),
        square(params[adadelta_number::kRho].to<double>()),
        lr(factor<T>(-params[adadelta_number::kLr].to<double>())),
        eps(factor<T>(params[adadelta_number::kEps].to<double>())) {}
  C root(C squares) const { return stored<T>(std::sqrt(stored<T>(squares + eps))); }
  void operator()(T& param, const T& grad, T& squares, T& steps) const {
    const C p = static_cast<C>(param);
    const C g = gradient(p, grad);
    const C s = square(static_cast<C>(squares), g);
    const C before = static_cast<C>(steps);
    const C step = stored<T>(stored<T>(root(before) / root(s)) * g);
    squares = narrow<T>(s);
    steps = narrow<T>(square(before, step));
    param = narrow<T>(std::fma(lr, step, p));
  }

  Gradient<T, Decays> gradient;
  MeanSquare<T> square;
  C lr, eps;
};

template <typename C>
C sign_of(C value) {
  return value > C(0) ? C(1) : value < C(0) ? C(-1) : C(0);
}

template <typename T, bool Decays>
struct Rprop {
  using C = compute_t<T>;
  explicit Rprop(const Scalar* params)
      : gradient(params),
        shrinking(factor<T>(params[rprop_number::kShrinking].to<double>())),
        growing(factor<T>(params[rprop_number::kGrowing].to<double>())),
        least(params[rprop_number::kLeast].to<C>()),
        most(params[rprop_number::kMost].to<C>()) {}
  void operator()(T& param, const T& grad, T& before, T& sizes) const {
    const C p = static_cast<C>(param);
    const C g = gradient(p, grad);
    const C turn = stored<T>(g * static_cast<C>(before));
    const C change = turn > C(0) ? growing : turn < C(0) ? shrinking : C(1);
    const C wanted = stored<T>(static_cast<C>(sizes) * change);
    const C raised = wanted < least ? least : wanted;  // a nan stays
    const C size = stored<T>(raised > most ? most : raised);
    const C used = turn < C(0) ? C(0) : g;
    sizes = narrow<T>(size);
    before = narrow<T>(used);
    param = narrow<T>(std::fma(-sign_of(used), size, p));
  }

  Gradient<T, Decays> gradient;
  C shrinking, growing, least, most;
};

template <typename T, bool Decays>
struct Asgd {
  using C = compute_t<T>;
  explicit Asgd(const Scalar* params)
      : gradient(params),
        eta(factor<T>(-params[asgd_number::kEta].to<double>())),
        shrink(params[asgd_number::kShrink].to<C>()),
        mu(params[asgd_number::kMu].to<C>()) {}
  void operator()(T& param, const T& grad, T& average) const {
    const C old = static_cast<C>(param);
    const C g = gradient(old, grad);
    const C p = stored<T>(std::fma(eta, g, stored<T>(old * shrink)));
    const C mean = static_cast<C>(average);
    param = narrow<T>(p);
    average = narrow<T>(mu == C(1) ? p : mean + stored<T>(stored<T>(p - mean) * mu));
  }

  Gradient<T, Decays> gradient;
  C eta, shrink, mu;
};

const Update<RmsProp, 3> rmsprop("rmsprop");
const Update<RmsPropMomentum, 4> rmsprop_momentum("rmsprop_momentum");
const Update<RmsPropCentered, 4> rmsprop_centered("rmsprop_centered");
const Update<RmsPropCenteredMomentum, 5> rmsprop_centered_momentum("rmsprop_centered_momentum");
const Update<Adagrad, 3> adagrad("adagrad");
const Update<Adadelta, 4> adadelta("adadelta");
const Update<Rprop, 4> rprop("rprop");
const Update<Asgd, 3> asgd("asgd");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
