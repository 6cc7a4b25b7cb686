package org.onetape.nn;

/** How a {@link ReLUImpl} is made. */
public final class ReLUOptions extends InplaceOptionsBase<ReLUOptions> {

  /** Not in place. */
  public ReLUOptions() {}

  @Override
  ReLUOptions self() {
    return this;
  }

  /** In place, or not. */
  public ReLUOptions(boolean inplace) {
    inplace(inplace);
  }
}
