#include "ops/composed.h"

#include <algorithm>

#include "autograd/record.h"
#include "ops.h"
#include "ops/again.h"

namespace onetape {

Tensor composed(const char* node, std::span<const Tensor> inputs,
                std::function<Tensor(std::span<const Tensor>)> parts) {
  Tensor result;
  {
    const GradModeGuard off(false);
    std::vector<Tensor> plain;  // without tangents, which the node below is asked for
    for (const Tensor& input : inputs) plain.push_back(input.defined() ? detach(input) : input);
    result = parts(plain);
    const auto is_view = [&result](const Tensor& input) {
      return input.defined() && input.storage() == result.storage();
    };
    if (std::ranges::any_of(plain, is_view)) result = ops::clone(result);
  }
  if (!recording(inputs)) return result;
  std::vector<SavedTensor> saved;
  saved.reserve(inputs.size());
  for (const Tensor& input : inputs) saved.push_back(save(input));
  const size_t count = inputs.size();
  set_new_history(result, make_function(node, inputs, std::move(saved), [parts, count](Backward& g) {
                    std::vector<Tensor> operands;
                    std::vector<bool> wanted;
                    for (size_t i = 0; i < count; ++i) {
                      operands.push_back(g.saved(i));
                      wanted.push_back(g.needs(i));
                    }
                    const bool again = recording_enabled();
                    const auto forward = [&parts](std::span<const Tensor> in) {
                      return std::vector<Tensor>{parts(in)};
                    };
                    const auto found = gradients_again(operands, wanted, forward, std::array{g.grad()});
                    for (size_t i = 0; i < count; ++i) {
                      if (found[i].defined()) g.set(i, again ? found[i] : detach(found[i]));
                    }
                  }));
  return result;
}

Tensor reduced(const Tensor& losses, Reduction reduction) {
  switch (reduction) {
    case Reduction::None:
      return losses;
    case Reduction::Mean:
      return ops::mean(losses);
    case Reduction::Sum:
      return ops::sum(losses);
  }
  return losses;
}

}  // namespace onetape
