package org.onetape.nn;

/** How a {@link LocalResponseNormImpl} is made. */
public final class LocalResponseNormOptions extends LocalNormOptionsBase<LocalResponseNormOptions> {
  /** Over so many neighbouring channels. */
  public LocalResponseNormOptions(long size) {
    super(size);
  }

  @Override
  LocalResponseNormOptions self() {
    return this;
  }
}
