package org.onetape.optim;

import org.onetape.Value;

/** How the parameters of one group are changed. */
public abstract class OptimizerOptions extends Value {
  OptimizerOptions() {}

  /** The size of a step. */
  public abstract double get_lr();

  /** Sets the size of a step. */
  public abstract void set_lr(double rate);

  /** The same options, which can be changed apart. */
  abstract OptimizerOptions copy();
}
