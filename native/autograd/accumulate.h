#pragma once

#include "autograd/meta.h"

namespace onetape {

/// The last node before a leaf: adds the gradient to the leaf's .grad.
///
/// While anything refers to the node, it owns the leaf. When the last reference goes, it lets go of the leaf
/// and sleeps in the leaf's autograd part, which now owns it, until the leaf is used again: so a parameter
/// has one node for all its steps. Whoever adds the first reference, under the lock of the autograd part,
/// also takes one to the leaf; whoever drops the last one gives that back, and until then may still touch the
/// node.
class ONETAPE_API AccumulateGrad final : public Node {
 public:
  explicit AccumulateGrad(const Tensor& variable);
  ~AccumulateGrad() override {}  // what variable_ owned was given back before
  std::string name() const override { return "AccumulateGrad"; }
  TensorList apply(TensorList&& grads) override;
  const Tensor& variable() const { return variable_; }
  /// What apply() does; takes the gradient. False, and the gradient untouched, if something is registered on
  /// the node or the leaf.
  bool add_unobserved(Tensor& grad);

  /// The node of a leaf that requires a gradient; made if there is none. The caller holds the lock of the
  /// leaf's autograd part.
  static Ref<Node> of(const Tensor& leaf, AutogradMeta& m);
  /// The last reference has gone: gives that to the leaf back. False if it is the leaf's last, too, which is
  /// left to end_leaf().
  bool fall_asleep();
  void end_leaf() { variable_.impl()->release(); }
  /// The leaf has ended, and with it the sleeping node.
  void end() { dispose(this); }

  AccumulateGrad* next_doomed = nullptr;  // while end_leaf() is still to come

 private:
  inline void add(AutogradMeta& m, Tensor&& grad);
  /// The gradient in the leaf's dtype; an error unless it has the leaf's shape.
  inline Tensor fitting(Tensor&& grad) const;
  inline void add_to_grad(AutogradMeta& m, Tensor&& grad);

  SpinLock adding_;  // one addition at a time; taken before the lock of the autograd part
  union {
    Tensor variable_;  // owned while there are references to the node
  };
};

}  // namespace onetape
