#pragma once

#include <mutex>

#include "autograd/meta.h"

namespace onetape {

/// The last node before a leaf: adds the gradient to the leaf's .grad. It owns the leaf; the leaf only knows
/// it.
class ONETAPE_API AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(Tensor variable);
  ~AccumulateGrad() override;
  std::string name() const override { return "AccumulateGrad"; }
  TensorList apply(TensorList&& grads) override;
  const Tensor& variable() const { return variable_; }

 private:
  void add_to_grad(AutogradMeta& m, Tensor grad);

  std::mutex mutex_;
  Tensor variable_;
};

/// The accumulator of a leaf that requires a gradient; made if there is none.
ONETAPE_API Ref<Node> accumulator_of(const Tensor& leaf);

}  // namespace onetape
