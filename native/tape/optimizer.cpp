#include <optional>

#include "ops/optimize.h"
#include "tape/recorder.h"

// An optimizer's step as an instruction: optimizer_step(optimizer, params, grads, states, options).

namespace onetape {
namespace {

using tape::Call;

void run_step(Call& call) {
  const OptimizerTable& table = find_optimizer(call.text(0));
  const std::vector<Tensor> params = call.tensors(1);
  const std::vector<Tensor> grads = call.tensors(2);
  std::vector<Tensor> states = call.tensors(3);
  const std::span<const double> options = call.reals(4);
  check(grads.size() == params.size() && states.size() == params.size() * table.states.size() &&
            options.size() == table.options.size(),
        "optimizer_step: the numbers of tensors do not fit");
  run_optimizer_step(table, params, grads, states, options);
}

const tape::Operator kOperators[] = {
    {"optimizer_step", "optimizer,params,grads,states,options", "xllLr", 0, run_step, false, false, ""}};
const bool kKnown = tape::register_operators(kOperators);

}  // namespace

namespace taped {

void optimizer_step(const OptimizerTable& table, std::span<const Tensor> params,
                    std::span<const Tensor> grads, std::span<Tensor> states,
                    std::span<const double> options) {
  const bool recorded = tape::current_recorder() != nullptr;
  const size_t count = table.states.size();
  for (size_t i = 0; recorded && i < states.size(); ++i) {
    const bool wanted = exists(table.states[i % count], params[i / count], options);
    check(states[i].defined() || !wanted, "Tape: ", table.name,
          " makes its state in this step, which differs from the steps to come; record a later one");
  }
  tape::record_call(
      kOperators[0],
      [&] {
        // A tape has the step as one call, whose numbers may be others in every run.
        std::optional<WatcherPause> pause;
        if (recorded) pause.emplace();
        run_optimizer_step(table, params, grads, states, options);
        return std::vector<Tensor>();
      },
      table.name, params, grads, std::span<const Tensor>(states),
      tape::Reals{{options.begin(), options.end()}});
}

}  // namespace taped
}  // namespace onetape
