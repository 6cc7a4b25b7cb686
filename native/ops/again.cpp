#include "ops/again.h"

#include "autograd/engine.h"
#include "autograd/meta.h"
#include "autograd/mode.h"
#include "ops.h"

namespace onetape {

std::vector<Tensor> gradients_again(
    std::span<const Tensor> inputs, const std::vector<bool>& wanted,
    const std::function<std::vector<Tensor>(std::span<const Tensor>)>& forward,
    std::span<const Tensor> grads) {
  const GradModeGuard recorded(true);
  std::vector<Tensor> operands;
  std::vector<Tensor> asked;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor operand = inputs[i];
    if (wanted[i] && operand.defined()) {
      // The run must end here, and its results still depend on what the inputs were made of.
      if (operand.requires_grad()) {
        operand = ops::alias(operand);
      } else {
        operand = detach(operand);
        set_requires_grad(operand, true);
      }
      asked.push_back(operand);
    }
    operands.push_back(operand);
  }
  const std::vector<Tensor> results = forward(operands);
  std::vector<Tensor> outputs;
  std::vector<Tensor> given;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!grads[i].defined() || !results[i].requires_grad()) continue;
    outputs.push_back(results[i]);
    given.push_back(grads[i]);
  }
  std::vector<Tensor> found(inputs.size());
  if (asked.empty() || outputs.empty()) return found;
  const BackwardOptions options = {.retain_graph = true, .create_graph = true};
  const std::vector<Tensor> gradients = grad(outputs, asked, given, options, true);
  size_t next = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (wanted[i] && inputs[i].defined()) found[i] = gradients[next++];
  }
  return found;
}

}  // namespace onetape
