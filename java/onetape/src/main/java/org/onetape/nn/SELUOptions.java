package org.onetape.nn;

/** How a {@link SELUImpl} is made. */
public final class SELUOptions extends InplaceOptionsBase<SELUOptions> {

  /** The default numbers. */
  public SELUOptions() {}

  @Override
  SELUOptions self() {
    return this;
  }
}
