package org.onetape.nn;

import org.onetape.DoublePointer;

/** How an {@link ELUImpl} is made. */
public final class ELUOptions extends InplaceOptionsBase<ELUOptions> {
  private final DoublePointer alpha = new DoublePointer(new double[] {1});

  /** The default numbers. */
  public ELUOptions() {}

  @Override
  ELUOptions self() {
    return this;
  }

  /** What the function approaches below zero, with its sign changed. */
  public DoublePointer alpha() {
    return alpha;
  }

  /** Sets what the function approaches below zero, with its sign changed; returns this. */
  public ELUOptions alpha(double value) {
    alpha.put(value);
    return this;
  }
}
