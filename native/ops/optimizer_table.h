#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace onetape {

class ParameterStep;

/// One number among the options of an optimizer.
struct OptimizerOption {
  const char* name;
  int place;               // in a pair or triple; -1 for a single number
  bool none;               // may be None, which is nan
  std::string_view words;  // if it is one of these, as in "a|b", or None: its number from 1, else 0
};

/// The shape of what is remembered: one number, that of the parameter, or with a last, or last but one,
/// size of 1.
enum class StateForm : int8_t { Number, Like, Rows, Columns };

/// Whose it is: every parameter's, or that of those with at least, or with less than, two dimensions.
enum class StateOf : int8_t { All, Matrices, Vectors };

/// One tensor that an optimizer remembers of each parameter.
struct OptimizerState {
  const char* name;
  StateForm form;
  StateOf of;
  double value;      // what it starts from,
  int value_option;  // or the option that does; -1 for none
  int condition;     // the option without which it does not exist; -1 for none
  bool late;         // made by the first step, and so in a state that has other tensors, too
};

/// What the generator makes of one block of optimizers.opt.
struct OptimizerTable {
  std::string_view name;
  std::span<const OptimizerOption> options;
  std::span<const OptimizerState> states;
  bool eager;  // the state is made before the first step
  bool real;   // complex parameters are refused
  void (*step)(ParameterStep&);
};

}  // namespace onetape
