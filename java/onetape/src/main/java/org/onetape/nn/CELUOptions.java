package org.onetape.nn;

import org.onetape.DoublePointer;

/** How a {@link CELUImpl} is made. */
public final class CELUOptions extends InplaceOptionsBase<CELUOptions> {
  private final DoublePointer alpha = new DoublePointer(new double[] {1});

  /** The default numbers. */
  public CELUOptions() {}

  @Override
  CELUOptions self() {
    return this;
  }

  /** What the function approaches below zero, with its sign changed. */
  public DoublePointer alpha() {
    return alpha;
  }

  /** Sets what the function approaches below zero, with its sign changed; returns this. */
  public CELUOptions alpha(double value) {
    alpha.put(value);
    return this;
  }
}
