package org.onetape.nn;

import java.util.Arrays;
import org.onetape.LongOptional;

/** How an {@link AdaptiveMaxPool2dImpl} is made. */
public final class AdaptiveMaxPool2dOptions
    extends AdaptivePoolOptionsBase<AdaptiveMaxPool2dOptions> {
  /** So many windows in every dimension; as many as the input has elements where there is none. */
  public AdaptiveMaxPool2dOptions(LongOptional outputSize) {
    this(Paddings.all(2, outputSize));
  }

  /** So many windows in each dimension; as many as the input has elements where there is none. */
  public AdaptiveMaxPool2dOptions(LongOptional... outputSize) {
    super(2, outputSize);
  }

  /** So many windows: a number, or one a dimension. */
  public AdaptiveMaxPool2dOptions(long... outputSize) {
    this(Arrays.stream(outputSize).mapToObj(LongOptional::new).toArray(LongOptional[]::new));
  }

  @Override
  AdaptiveMaxPool2dOptions self() {
    return this;
  }
}
