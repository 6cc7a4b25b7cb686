#pragma once

#include <array>
#include <initializer_list>
#include <span>

#include "core/scalar.h"
#include "kernels/optimize.h"
#include "kernels/registry.h"
#include "ops/optimize.h"

namespace onetape {

/// One step of one parameter, as the optimizers of optimize*.cpp see it.
class ParameterStep {
 public:
  ParameterStep(const Tensor& param, const Tensor& grad, std::span<const Tensor> states, bool fresh,
                std::span<const double> options)
      : param_(param), grad_(grad), states_(states), fresh_(fresh), options_(options) {}

  /// An option, by its place in the table.
  double option(int place) const { return options_[static_cast<size_t>(place)]; }
  bool flag(int place) const { return option(place) != 0; }
  /// Was the state made for this step?
  bool fresh() const { return fresh_; }
  const Tensor& param() const { return param_; }
  const Tensor& grad() const { return grad_; }
  const Tensor& state(int place) const { return states_[static_cast<size_t>(place)]; }
  /// A state that is one number, and setting it; rounded to the state's type.
  double number(int state) const;
  double set_number(int state, double value);
  /// The number times another, which is first rounded to the state's type.
  double multiplied(int state, double factor) const;
  /// Counts a step and returns its number.
  double count(int state) { return set_number(state, number(state) + 1); }

  /// Runs a kernel over parameter, gradient and the given states.
  void run(const Kernel& kernel, std::span<const Scalar> numbers, std::initializer_list<int> states);

 private:
  const Tensor& param_;
  const Tensor& grad_;
  std::span<const Tensor> states_;
  bool fresh_;
  std::span<const double> options_;
};

/// The numbers of a kernel, of which the first two are every kernel's.
template <size_t Count>
struct StepNumbers : std::array<Scalar, Count> {
  StepNumbers(bool maximize, double weight_decay) {
    (*this)[step_number::kMaximize] = maximize;
    (*this)[step_number::kWeightDecay] = weight_decay;
  }
};

}  // namespace onetape
