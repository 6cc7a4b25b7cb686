package org.onetape.nn;

import java.util.Arrays;
import org.onetape.LongOptional;
import org.onetape.Tensor;
import org.onetape.Value;

/** How an {@link AdaptiveMaxPool2dImpl} is made. */
public final class AdaptiveMaxPool2dOptions extends Value {
  private final LongOptional[] outputSize;

  /** So many windows in every dimension; as many as the input has elements where there is none. */
  public AdaptiveMaxPool2dOptions(LongOptional outputSize) {
    this(Paddings.all(2, outputSize));
  }

  /** So many windows in each dimension; as many as the input has elements where there is none. */
  public AdaptiveMaxPool2dOptions(LongOptional... outputSize) {
    this.outputSize = Paddings.all(2, outputSize);
  }

  /** So many windows: a number, or one a dimension. */
  public AdaptiveMaxPool2dOptions(long... outputSize) {
    this(Arrays.stream(outputSize).mapToObj(LongOptional::new).toArray(LongOptional[]::new));
  }

  /** How many windows there are in each dimension. */
  public LongOptional[] output_size() {
    return outputSize.clone();
  }

  /** Sets how many windows there are in each dimension; returns this. */
  public AdaptiveMaxPool2dOptions output_size(LongOptional... sizes) {
    LongOptional[] all = Paddings.all(2, sizes);
    System.arraycopy(all, 0, outputSize, 0, 2);
    return this;
  }

  long[] sizesFor(Tensor input) {
    return Paddings.filledIn(outputSize, input);
  }

  @Override
  public String toString() {
    return Paddings.text(outputSize);
  }
}
