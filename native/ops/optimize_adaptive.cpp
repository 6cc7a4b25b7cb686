// The steps of the optimizers that find their own size of a step for each element, and of the averaging one;
// options and states are those of optimizers.opt.

#include <algorithm>
#include <cmath>

#include "ops/optimizer_step.h"
#include "optimizers.h"

namespace onetape::optimizers {

// ---- RMSprop ----
void rmsprop::step(ParameterStep& one) {
  static const Kernel& plain = find_kernel("rmsprop");
  static const Kernel& with_momentum = find_kernel("rmsprop_momentum");
  static const Kernel& centered = find_kernel("rmsprop_centered");
  static const Kernel& centered_momentum = find_kernel("rmsprop_centered_momentum");
  namespace number = rmsprop_number;
  one.count(kStepState);
  StepNumbers<number::kCount> numbers(one.flag(kMaximize), one.option(kWeightDecay));
  numbers[number::kLr] = one.option(kLr);
  numbers[number::kAlpha] = one.option(kAlpha);
  numbers[number::kEps] = one.option(kEps);
  numbers[number::kMomentum] = one.option(kMomentum);
  const bool momentum = one.option(kMomentum) > 0;
  if (one.flag(kCentered)) {
    if (momentum) {
      one.run(centered_momentum, numbers, {kSquareAvgState, kGradAvgState, kMomentumBufferState});
    } else {
      one.run(centered, numbers, {kSquareAvgState, kGradAvgState});
    }
  } else if (momentum) {
    one.run(with_momentum, numbers, {kSquareAvgState, kMomentumBufferState});
  } else {
    one.run(plain, numbers, {kSquareAvgState});
  }
}

// ---- Adagrad ----
void adagrad::step(ParameterStep& one) {
  static const Kernel& kernel = find_kernel("adagrad");
  namespace number = adagrad_number;
  const double step = one.count(kStepState);
  StepNumbers<number::kCount> numbers(one.flag(kMaximize), one.option(kWeightDecay));
  numbers[number::kStepSize] = one.option(kLr) / (1 + (step - 1) * one.option(kLrDecay));
  numbers[number::kEps] = one.option(kEps);
  one.run(kernel, numbers, {kSumState});
}

// ---- Adadelta ----
void adadelta::step(ParameterStep& one) {
  static const Kernel& kernel = find_kernel("adadelta");
  namespace number = adadelta_number;
  one.count(kStepState);
  StepNumbers<number::kCount> numbers(one.flag(kMaximize), one.option(kWeightDecay));
  numbers[number::kLr] = one.option(kLr);
  numbers[number::kRho] = one.option(kRho);
  numbers[number::kEps] = one.option(kEps);
  one.run(kernel, numbers, {kSquareAvgState, kAccDeltaState});
}

// ---- Rprop ----
void rprop::step(ParameterStep& one) {
  static const Kernel& kernel = find_kernel("rprop");
  namespace number = rprop_number;
  one.count(kStepState);
  StepNumbers<number::kCount> numbers(one.flag(kMaximize), 0);
  numbers[number::kShrinking] = one.option(kEtas0);
  numbers[number::kGrowing] = one.option(kEtas1);
  numbers[number::kLeast] = one.option(kStepSizes0);
  numbers[number::kMost] = one.option(kStepSizes1);
  one.run(kernel, numbers, {kPrevState, kStepSizeState});
}

// ---- ASGD ----
void asgd::step(ParameterStep& one) {
  static const Kernel& kernel = find_kernel("asgd");
  namespace number = asgd_number;
  const double lr = one.option(kLr);
  const double step = one.count(kStepState);
  const double eta = one.number(kEtaState);
  StepNumbers<number::kCount> numbers(one.flag(kMaximize), one.option(kWeightDecay));
  numbers[number::kEta] = eta;
  numbers[number::kShrink] = 1 - one.option(kLambd) * eta;
  numbers[number::kMu] = one.number(kMuState);
  one.run(kernel, numbers, {kAxState});
  // Both for the step after this one.
  one.set_number(kEtaState, lr / std::pow(1 + one.option(kLambd) * lr * step, one.option(kAlpha)));
  one.set_number(kMuState, 1 / std::max(1.0, step - one.option(kT0)));
}

}  // namespace onetape::optimizers
