// The steps of SGD and of the optimizers that keep moments of the gradient; options and states are those of
// optimizers.opt.

#include <cmath>

#include "ops/optimizer_step.h"
#include "optimizers.h"

namespace onetape::optimizers {
namespace {

/// What a decoupled weight decay leaves of a parameter, and what the other kind adds to the gradient.
struct Decay {
  double shrink;
  double added;
  Decay(bool decoupled, double lr, double weight_decay)
      : shrink(decoupled ? 1 - lr * weight_decay : 1), added(decoupled ? 0 : weight_decay) {}
};

}  // namespace

// ---- SGD ----
void sgd::step(ParameterStep& one) {
  static const Kernel& plain = find_kernel("sgd");
  static const Kernel& with_momentum = find_kernel("sgd_momentum");
  const double lr = one.option(kLr);
  if (one.option(kMomentum) == 0) {
    namespace number = sgd_number;
    StepNumbers<number::kCount> numbers(one.flag(kMaximize), one.option(kWeightDecay));
    numbers[number::kLr] = lr;
    one.run(plain, numbers, {});
    return;
  }
  namespace number = sgd_momentum_number;
  StepNumbers<number::kCount> numbers(one.flag(kMaximize), one.option(kWeightDecay));
  numbers[number::kLr] = lr;
  numbers[number::kMomentum] = one.option(kMomentum);
  // The first step takes the gradient as it is: an empty buffer, and no dampening.
  numbers[number::kDampening] = one.fresh() ? 0.0 : one.option(kDampening);
  numbers[number::kNesterov] = one.flag(kNesterov);
  one.run(with_momentum, numbers, {kMomentumBufferState});
}

// ---- Adam, AdamW ----
void adam::step(ParameterStep& one) {
  static const Kernel& plain = find_kernel("adam");
  static const Kernel& with_max = find_kernel("adam_max");
  namespace number = adam_number;
  const double lr = one.option(kLr);
  const Decay decay(one.flag(kDecoupledWeightDecay), lr, one.option(kWeightDecay));
  const double step = one.count(kStepState);
  StepNumbers<number::kCount> numbers(one.flag(kMaximize), decay.added);
  numbers[number::kStepSize] = lr / (1 - std::pow(one.option(kBetas0), step));
  numbers[number::kBeta1] = one.option(kBetas0);
  numbers[number::kBeta2] = one.option(kBetas1);
  numbers[number::kEps] = one.option(kEps);
  numbers[number::kRootCorrection] = std::sqrt(1 - std::pow(one.option(kBetas1), step));
  numbers[number::kShrink] = decay.shrink;
  if (one.flag(kAmsgrad)) {
    one.run(with_max, numbers, {kExpAvgState, kExpAvgSqState, kMaxExpAvgSqState});
  } else {
    one.run(plain, numbers, {kExpAvgState, kExpAvgSqState});
  }
}

// ---- Adamax ----
void adamax::step(ParameterStep& one) {
  static const Kernel& kernel = find_kernel("adamax");
  namespace number = adamax_number;
  const double step = one.count(kStepState);
  StepNumbers<number::kCount> numbers(one.flag(kMaximize), one.option(kWeightDecay));
  numbers[number::kStepSize] = one.option(kLr) / (1 - std::pow(one.option(kBetas0), step));
  numbers[number::kBeta1] = one.option(kBetas0);
  numbers[number::kBeta2] = one.option(kBetas1);
  numbers[number::kEps] = one.option(kEps);
  one.run(kernel, numbers, {kExpAvgState, kExpInfState});
}

// ---- NAdam ----
void nadam::step(ParameterStep& one) {
  static const Kernel& kernel = find_kernel("nadam");
  namespace number = nadam_number;
  const double lr = one.option(kLr);
  const double beta1 = one.option(kBetas0);
  const Decay decay(one.flag(kDecoupledWeightDecay), lr, one.option(kWeightDecay));
  const double step = one.count(kStepState);
  const auto momentum = [&](double at) {
    return beta1 * (1.0 - 0.5 * std::pow(0.96, at * one.option(kMomentumDecay)));
  };
  const double now = momentum(step);
  const double next = momentum(step + 1);
  // The product is kept, and multiplied, in the type of its tensor.
  const double product = one.set_number(kMuProductState, one.multiplied(kMuProductState, now));
  StepNumbers<number::kCount> numbers(one.flag(kMaximize), decay.added);
  numbers[number::kGradSize] = -lr * (1.0 - now) / (1.0 - product);
  numbers[number::kMeanSize] = -lr * next / (1.0 - product * next);
  numbers[number::kBeta1] = beta1;
  numbers[number::kBeta2] = one.option(kBetas1);
  numbers[number::kEps] = one.option(kEps);
  numbers[number::kCorrection] = 1 - std::pow(one.option(kBetas1), step);
  numbers[number::kShrink] = decay.shrink;
  one.run(kernel, numbers, {kExpAvgState, kExpAvgSqState});
}

// ---- RAdam ----
void radam::step(ParameterStep& one) {
  static const Kernel& kernel = find_kernel("radam");
  namespace number = radam_number;
  const double lr = one.option(kLr);
  const double beta2 = one.option(kBetas1);
  const Decay decay(one.flag(kDecoupledWeightDecay), lr, one.option(kWeightDecay));
  const double step = one.count(kStepState);
  const double correction2 = 1 - std::pow(beta2, step);
  // The length that a plain mean of squares would have to be as certain, now and in the end.
  const double longest = 2 / (1 - beta2) - 1;
  const double length = longest - 2 * step * std::pow(beta2, step) / correction2;
  const bool rectified = length > 5.0;
  StepNumbers<number::kCount> numbers(one.flag(kMaximize), decay.added);
  numbers[number::kLr] = lr;
  numbers[number::kBeta1] = one.option(kBetas0);
  numbers[number::kBeta2] = beta2;
  numbers[number::kEps] = one.option(kEps);
  numbers[number::kCorrection1] = 1 - std::pow(one.option(kBetas0), step);
  numbers[number::kRootCorrection2] = std::sqrt(correction2);
  numbers[number::kRect] =
      rectified ? std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length))
                : 1.0;
  numbers[number::kRectified] = rectified;
  numbers[number::kShrink] = decay.shrink;
  one.run(kernel, numbers, {kExpAvgState, kExpAvgSqState});
}

}  // namespace onetape::optimizers
