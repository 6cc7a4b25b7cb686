package org.onetape.nn;

import java.util.Arrays;
import org.onetape.LongOptional;

/** How an {@link AdaptiveAvgPool2dImpl} is made. */
public final class AdaptiveAvgPool2dOptions
    extends AdaptivePoolOptionsBase<AdaptiveAvgPool2dOptions> {
  /** So many windows in every dimension; as many as the input has elements where there is none. */
  public AdaptiveAvgPool2dOptions(LongOptional outputSize) {
    this(Paddings.all(2, outputSize));
  }

  /** So many windows in each dimension; as many as the input has elements where there is none. */
  public AdaptiveAvgPool2dOptions(LongOptional... outputSize) {
    super(2, outputSize);
  }

  /** So many windows: a number, or one a dimension. */
  public AdaptiveAvgPool2dOptions(long... outputSize) {
    this(Arrays.stream(outputSize).mapToObj(LongOptional::new).toArray(LongOptional[]::new));
  }

  @Override
  AdaptiveAvgPool2dOptions self() {
    return this;
  }
}
