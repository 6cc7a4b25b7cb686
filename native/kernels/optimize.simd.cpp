// Elements of the steps of SGD and of the optimizers that keep two moments of the gradient.

#include "kernels/optimize_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

template <typename T, bool Decays>
struct Sgd {
  using C = compute_t<T>;
  explicit Sgd(const Scalar* params)
      : gradient(params), lr(factor<T>(-params[sgd_number::kLr].to<double>())) {}
  void operator()(T& param, const T& grad) const {
    const C p = static_cast<C>(param);
    param = narrow<T>(std::fma(lr, gradient(p, grad), p));
  }

  Gradient<T, Decays> gradient;
  C lr;
};

template <typename T, bool Decays>
struct SgdMomentum {
  using C = compute_t<T>;
  explicit SgdMomentum(const Scalar* params)
      : gradient(params),
        lr(factor<T>(-params[sgd_momentum_number::kLr].to<double>())),
        momentum(params[sgd_momentum_number::kMomentum].to<C>()),
        ahead(factor<T>(params[sgd_momentum_number::kMomentum].to<double>())),
        fresh(factor<T>(1 - params[sgd_momentum_number::kDampening].to<double>())),
        nesterov(params[sgd_momentum_number::kNesterov].to<bool>()) {}
  void operator()(T& param, const T& grad, T& buffer) const {
    const C p = static_cast<C>(param);
    const C g = gradient(p, grad);
    const C kept = stored<T>(std::fma(fresh, g, stored<T>(static_cast<C>(buffer) * momentum)));
    buffer = narrow<T>(kept);
    param = narrow<T>(std::fma(lr, nesterov ? stored<T>(std::fma(ahead, kept, g)) : kept, p));
  }

  Gradient<T, Decays> gradient;
  C lr, momentum, ahead, fresh;
  bool nesterov;
};

template <typename T, bool Decays>
struct AdamMoments {
  using C = compute_t<T>;
  explicit AdamMoments(const Scalar* params)
      : gradient(params),
        mean(params[adam_number::kBeta1].to<double>()),
        square(params[adam_number::kBeta2].to<double>()),
        step(-params[adam_number::kStepSize].to<C>()),
        eps(factor<T>(params[adam_number::kEps].to<double>())),
        root(params[adam_number::kRootCorrection].to<C>()),
        shrink(params[adam_number::kShrink].to<C>()) {}

  /// `largest` maps the new second moment to the one that divides the step.
  template <typename Largest>
  void update(T& param, const T& grad, T& first, T& second, const Largest& largest) const {
    const C p = stored<T>(static_cast<C>(param) * shrink);
    const C g = gradient(p, grad);
    const C m = mean(static_cast<C>(first), g);
    const C s = square(static_cast<C>(second), g);
    first = narrow<T>(m);
    second = narrow<T>(s);
    const C below = stored<T>(stored<T>(stored<T>(std::sqrt(largest(s))) / root) + eps);
    param = narrow<T>(p + step * m / below);
  }

  Gradient<T, Decays> gradient;
  Lerp<T> mean;
  MeanSquare<T> square;
  C step, eps, root, shrink;
};

template <typename T, bool Decays>
struct Adam : AdamMoments<T, Decays> {
  using C = compute_t<T>;
  using AdamMoments<T, Decays>::AdamMoments;
  void operator()(T& param, const T& grad, T& first, T& second) const {
    this->update(param, grad, first, second, [](C square) { return square; });
  }
};

template <typename T, bool Decays>
struct AdamMax : AdamMoments<T, Decays> {
  using C = compute_t<T>;
  using AdamMoments<T, Decays>::AdamMoments;
  void operator()(T& param, const T& grad, T& first, T& second, T& largest) const {
    this->update(param, grad, first, second, [&](C square) {
      const C before = static_cast<C>(largest);
      // A nan wins, as in maximum().
      const C after = square > before || std::isnan(square) ? square : before;
      largest = narrow<T>(after);
      return after;
    });
  }
};

template <typename T, bool Decays>
struct Adamax {
  using C = compute_t<T>;
  explicit Adamax(const Scalar* params)
      : gradient(params),
        mean(params[adamax_number::kBeta1].to<double>()),
        step(-params[adamax_number::kStepSize].to<C>()),
        beta2(params[adamax_number::kBeta2].to<C>()),
        eps(factor<T>(params[adamax_number::kEps].to<double>())) {}
  void operator()(T& param, const T& grad, T& first, T& most) const {
    const C p = static_cast<C>(param);
    const C g = gradient(p, grad);
    const C m = mean(static_cast<C>(first), g);
    const C before = stored<T>(static_cast<C>(most) * beta2);
    const C now = stored<T>(std::abs(g) + eps);
    const C after = before > now || std::isnan(before) ? before : now;
    first = narrow<T>(m);
    most = narrow<T>(after);
    param = narrow<T>(p + step * m / after);
  }

  Gradient<T, Decays> gradient;
  Lerp<T> mean;
  C step, beta2, eps;
};

template <typename T, bool Decays>
struct NAdam {
  using C = compute_t<T>;
  explicit NAdam(const Scalar* params)
      : gradient(params),
        mean(params[nadam_number::kBeta1].to<double>()),
        square(params[nadam_number::kBeta2].to<double>()),
        grad_size(params[nadam_number::kGradSize].to<C>()),
        mean_size(params[nadam_number::kMeanSize].to<C>()),
        eps(factor<T>(params[nadam_number::kEps].to<double>())),
        correction(params[nadam_number::kCorrection].to<C>()),
        shrink(params[nadam_number::kShrink].to<C>()) {}
  void operator()(T& param, const T& grad, T& first, T& second) const {
    const C p = stored<T>(static_cast<C>(param) * shrink);
    const C g = gradient(p, grad);
    const C m = mean(static_cast<C>(first), g);
    const C s = square(static_cast<C>(second), g);
    first = narrow<T>(m);
    second = narrow<T>(s);
    const C below = stored<T>(stored<T>(std::sqrt(stored<T>(s / correction))) + eps);
    const C half = stored<T>(p + grad_size * g / below);
    param = narrow<T>(half + mean_size * m / below);
  }

  Gradient<T, Decays> gradient;
  Lerp<T> mean;
  MeanSquare<T> square;
  C grad_size, mean_size, eps, correction, shrink;
};

template <typename T, bool Decays>
struct RAdam {
  using C = compute_t<T>;
  explicit RAdam(const Scalar* params)
      : gradient(params),
        mean(params[radam_number::kBeta1].to<double>()),
        square(params[radam_number::kBeta2].to<double>()),
        lr(params[radam_number::kLr].to<C>()),
        eps(factor<T>(params[radam_number::kEps].to<double>())),
        correction1(params[radam_number::kCorrection1].to<C>()),
        root(params[radam_number::kRootCorrection2].to<C>()),
        rect(params[radam_number::kRect].to<C>()),
        rectified(params[radam_number::kRectified].to<bool>()),
        shrink(params[radam_number::kShrink].to<C>()) {}
  void operator()(T& param, const T& grad, T& first, T& second) const {
    const C p = stored<T>(static_cast<C>(param) * shrink);
    const C g = gradient(p, grad);
    const C m = mean(static_cast<C>(first), g);
    const C s = square(static_cast<C>(second), g);
    first = narrow<T>(m);
    second = narrow<T>(s);
    const C plain = stored<T>(stored<T>(m / correction1) * lr);
    // A number over a tensor is its reciprocal times the number.
    const C below = stored<T>(stored<T>(std::sqrt(s)) + eps);
    const C rate = stored<T>(stored<T>(C(1) / below) * root);
    const C adapted = stored<T>(stored<T>(plain * rate) * rect);
    param = narrow<T>(p - (rectified ? adapted : plain));
  }

  Gradient<T, Decays> gradient;
  Lerp<T> mean;
  MeanSquare<T> square;
  C lr, eps, correction1, root, rect;
  bool rectified;
  C shrink;
};

const Update<Sgd, 2> sgd("sgd");
const Update<SgdMomentum, 3> sgd_momentum("sgd_momentum");
const Update<Adam, 4> adam("adam");
const Update<AdamMax, 5> adam_max("adam_max");
const Update<Adamax, 4> adamax("adamax");
const Update<NAdam, 4> nadam("nadam");
const Update<RAdam, 4> radam("radam");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
