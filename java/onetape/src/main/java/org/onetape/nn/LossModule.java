package org.onetape.nn;

import java.util.function.BinaryOperator;
import org.onetape.Tensor;

/** A loss: one number that says how far a prediction is from its target. */
public abstract class LossModule extends Module implements BinaryOperator<Tensor> {
  LossModule(String name) {
    super(name);
  }

  /** The loss of a prediction. */
  @Override
  public abstract Tensor forward(Tensor input, Tensor target);

  /** The loss of a prediction. */
  @Override
  public Tensor apply(Tensor input, Tensor target) {
    return forward(input, target);
  }
}
