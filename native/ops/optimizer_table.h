#pragma once

#include <span>
#include <string_view>

namespace onetape {

class ParameterStep;

/// One number among the options of an optimizer.
struct OptimizerOption {
  const char* name;
  int place;  // in a pair; -1 for a single number
};

/// One tensor that an optimizer remembers of each parameter.
struct OptimizerState {
  const char* name;
  bool like_parameter;  // else it holds one number
  double value;         // what it starts from,
  int value_option;     // or the option that does; -1 for none
  int condition;        // the option without which it does not exist; -1 for none
  bool late;            // made by the first step, and so in a state that has other tensors, too
};

/// What the generator makes of one block of optimizers.opt.
struct OptimizerTable {
  std::string_view name;
  std::span<const OptimizerOption> options;
  std::span<const OptimizerState> states;
  bool eager;  // the state is made before the first step
  void (*step)(ParameterStep&);
};

}  // namespace onetape
