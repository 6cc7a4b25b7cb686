package org.onetape.nn;

/** How a {@link ReLU6Impl} is made. */
public final class ReLU6Options extends InplaceOptionsBase<ReLU6Options> {

  /** The default numbers. */
  public ReLU6Options() {}

  @Override
  ReLU6Options self() {
    return this;
  }
}
