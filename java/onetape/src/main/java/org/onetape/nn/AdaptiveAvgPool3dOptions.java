package org.onetape.nn;

import java.util.Arrays;
import org.onetape.LongOptional;

/** How an {@link AdaptiveAvgPool3dImpl} is made. */
public final class AdaptiveAvgPool3dOptions
    extends AdaptivePoolOptionsBase<AdaptiveAvgPool3dOptions> {
  /** So many windows in every dimension; as many as the input has elements where there is none. */
  public AdaptiveAvgPool3dOptions(LongOptional outputSize) {
    this(Paddings.all(3, outputSize));
  }

  /** So many windows in each dimension; as many as the input has elements where there is none. */
  public AdaptiveAvgPool3dOptions(LongOptional... outputSize) {
    super(3, outputSize);
  }

  /** So many windows: a number, or one a dimension. */
  public AdaptiveAvgPool3dOptions(long... outputSize) {
    this(Arrays.stream(outputSize).mapToObj(LongOptional::new).toArray(LongOptional[]::new));
  }

  @Override
  AdaptiveAvgPool3dOptions self() {
    return this;
  }
}
