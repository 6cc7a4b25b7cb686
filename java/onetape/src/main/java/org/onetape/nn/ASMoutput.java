package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.Value;

/** What {@link AdaptiveLogSoftmaxWithLossImpl} gives. */
public final class ASMoutput extends Value {
  private final Tensor output;
  private final Tensor loss;

  ASMoutput(Tensor output, Tensor loss) {
    this.output = output;
    this.loss = loss;
  }

  /** The log-probability of each sample's class. */
  public Tensor output() {
    return output;
  }

  /** The mean of their negatives, as a number; {@link #loss_tensor()} can be differentiated. */
  public double loss() {
    return loss.item_double();
  }

  /** The mean of their negatives. */
  public Tensor loss_tensor() {
    return loss;
  }
}
