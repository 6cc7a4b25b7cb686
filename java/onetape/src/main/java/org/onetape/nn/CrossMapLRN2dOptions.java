package org.onetape.nn;

/** How a {@link CrossMapLRN2dImpl} is made. */
public final class CrossMapLRN2dOptions extends LocalNormOptionsBase<CrossMapLRN2dOptions> {
  /** Over so many neighbouring channels. */
  public CrossMapLRN2dOptions(long size) {
    super(size);
  }

  @Override
  CrossMapLRN2dOptions self() {
    return this;
  }
}
