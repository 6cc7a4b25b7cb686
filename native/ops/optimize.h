#pragma once

#include <span>

#include "core/tensor.h"

namespace onetape {

/// The numbers of stochastic gradient descent; names and meanings of torch.optim.SGD.
struct SgdOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;
  bool maximize = false;
};

/// One step for a whole group of parameters, in place and outside the graph. `momentum_buffers` is empty
/// without momentum; else it has one tensor a parameter, and an undefined one is made (its first step).
ONETAPE_API void sgd_step(std::span<const Tensor> params, std::span<const Tensor> grads,
                          std::span<Tensor> momentum_buffers, const SgdOptions& options);

/// The numbers of Adam and AdamW; names and meanings of torch.optim.Adam.
struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool decoupled_weight_decay =
      false;  ///< AdamW: the decay shrinks the parameter instead of adding to the gradient
  bool maximize = false;
};

/// One step for a whole group of parameters, in place and outside the graph. `steps` holds one 0-dim tensor a
/// parameter that counts its steps; `max_exp_avg_sqs` is empty unless amsgrad is wanted.
ONETAPE_API void adam_step(std::span<const Tensor> params, std::span<const Tensor> grads,
                           std::span<const Tensor> exp_avgs, std::span<const Tensor> exp_avg_sqs,
                           std::span<const Tensor> max_exp_avg_sqs, std::span<const Tensor> steps,
                           const AdamOptions& options);

}  // namespace onetape
