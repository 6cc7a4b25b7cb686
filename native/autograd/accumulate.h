#pragma once

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
  void apply_hooked(AutogradMeta& m, Tensor grad);
  /// The gradient in the leaf's dtype; an error unless it has the leaf's shape.
  inline Tensor fitting(Tensor&& grad) const;
  inline void add_to_grad(AutogradMeta& m, Tensor&& grad);

  SpinLock adding_;  // one addition at a time; taken before the lock of the autograd part, or only tried
  Tensor variable_;
};

/// The accumulator of a leaf that requires a gradient; made if there is none. The caller holds the lock of
/// the leaf's autograd part.
Ref<Node> accumulator_of(const Tensor& leaf, AutogradMeta& m);

}  // namespace onetape
