#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "ops/optimizer_table.h"

namespace onetape {

/// The table of an optimizer; ValueError if there is none of that name.
ONETAPE_API const OptimizerTable& find_optimizer(std::string_view name);

/// Does a parameter have this state with these options?
ONETAPE_API bool exists(const OptimizerState& state, const Tensor& param, std::span<const double> options);

/// Makes what is missing of the state of parameters: of each parameter in turn, a tensor for each of the
/// table's states. Those whose option is not set stay undefined.
ONETAPE_API void make_optimizer_state(const OptimizerTable& table, std::span<const Tensor> params,
                                      std::span<Tensor> states, std::span<const double> options);

/// One step for a whole group of parameters, in place and outside the graph. `options` are numbers in the
/// table's order; `states` as above, of which undefined ones are made. All operands are checked before the
/// first is changed.
ONETAPE_API void optimizer_step(const OptimizerTable& table, std::span<const Tensor> params,
                                std::span<const Tensor> grads, std::span<Tensor> states,
                                std::span<const double> options);

/// The same, unnoticed by a tape.
void run_optimizer_step(const OptimizerTable& table, std::span<const Tensor> params,
                        std::span<const Tensor> grads, std::span<Tensor> states,
                        std::span<const double> options);

namespace taped {
/// The same, noted as an instruction of the tape that is recorded.
void optimizer_step(const OptimizerTable& table, std::span<const Tensor> params,
                    std::span<const Tensor> grads, std::span<Tensor> states, std::span<const double> options);
}  // namespace taped

/// Takes the gradients of parameters away, or makes them zero.
ONETAPE_API void clear_grads(std::span<const Tensor> params, bool set_to_none);

/// Parameters of one group with what an optimizer remembers of them, for a language that keeps neither
/// itself.
struct OptimizerGroup {
  const OptimizerTable& table;
  std::vector<Tensor> params;
  std::vector<Tensor> states;

  OptimizerGroup(const OptimizerTable& optimizer, std::vector<Tensor> parameters)
      : table(optimizer), params(std::move(parameters)), states(params.size() * table.states.size()) {}
  /// What is remembered of one parameter.
  std::span<Tensor> state_of(size_t param) {
    return std::span(states).subspan(param * table.states.size(), table.states.size());
  }
  /// A step for those that have a gradient.
  ONETAPE_API void step(std::span<const double> options);
  /// Makes the state of an eager optimizer.
  ONETAPE_API void begin(std::span<const double> options);
};

}  // namespace onetape
