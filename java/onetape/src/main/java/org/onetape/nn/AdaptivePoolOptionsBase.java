package org.onetape.nn;

import org.onetape.LongOptional;
import org.onetape.Tensor;
import org.onetape.Value;

/**
 * What the options of pooling into a given number of windows share; O is the class of the options
 * themselves.
 */
public abstract class AdaptivePoolOptionsBase<O extends AdaptivePoolOptionsBase<O>> extends Value {
  private final LongOptional[] outputSize;

  AdaptivePoolOptionsBase(int dims, LongOptional... outputSize) {
    this.outputSize = Paddings.all(dims, outputSize);
  }

  abstract O self();

  /** How many windows there are in each dimension. */
  public LongOptional[] output_size() {
    return outputSize.clone();
  }

  /** Sets how many windows there are in each dimension; returns this. */
  public O output_size(LongOptional... sizes) {
    LongOptional[] all = Paddings.all(outputSize.length, sizes);
    System.arraycopy(all, 0, outputSize, 0, all.length);
    return self();
  }

  long[] sizesFor(Tensor input) {
    return Paddings.filledIn(outputSize, input);
  }

  @Override
  public String toString() {
    return Paddings.text(outputSize);
  }
}
