#include "ops/clip.h"

#include <vector>

#include "autograd/meta.h"
#include "autograd/mode.h"
#include "ops.h"

namespace onetape {
namespace {

template <typename F>
void each_gradient(std::span<const Tensor> params, const F& f) {
  const GradModeGuard no_grad(false);
  for (const Tensor& param : params) {
    const Tensor gradient = grad(param);
    if (gradient.defined()) f(gradient);
  }
}

}  // namespace

Tensor total_norm(std::span<const Tensor> tensors, double order) {
  const GradModeGuard no_grad(false);
  if (tensors.empty()) return scalar_tensor(0.0, default_dtype());
  std::vector<Tensor> norms;
  norms.reserve(tensors.size());
  for (const Tensor& tensor : tensors) norms.push_back(ops::linalg_vector_norm(tensor, Scalar(order)));
  return ops::linalg_vector_norm(ops::stack(norms), Scalar(order));
}

void clip_grads_with_norm(std::span<const Tensor> params, double max_norm, const Tensor& total) {
  const GradModeGuard no_grad(false);
  // Multiplying by 1 where nothing is to be clipped spares a look at the number.
  const Tensor share = ops::mul(ops::reciprocal(ops::add(total, Scalar(1e-6))), Scalar(max_norm));
  const Tensor scale = ops::clamp_max(share, Scalar(1.0));
  each_gradient(params, [&](const Tensor& gradient) { ops::mul_(gradient, scale); });
}

void clip_grad_value(std::span<const Tensor> params, double bound) {
  each_gradient(params,
                [&](const Tensor& gradient) { ops::clamp_(gradient, Scalar(-bound), Scalar(bound)); });
}

}  // namespace onetape
