package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** How an {@link AdaptiveAvgPool1dImpl} is made. */
public final class AdaptiveAvgPool1dOptions extends Value {
  final Expanded outputSize;

  /** So many windows. */
  public AdaptiveAvgPool1dOptions(LongPointer outputSize) {
    this(outputSize.get());
  }

  /** So many windows. */
  public AdaptiveAvgPool1dOptions(long outputSize) {
    this.outputSize = Expanded.of(1, outputSize);
  }

  /** How many windows there are. */
  public LongPointer output_size() {
    return outputSize.pointer();
  }

  /** Sets how many windows there are: a number, or one a dimension; returns this. */
  public AdaptiveAvgPool1dOptions output_size(LongPointer values) {
    outputSize.put(values);
    return this;
  }

  /** Sets how many windows there are: a number, or one a dimension; returns this. */
  public AdaptiveAvgPool1dOptions output_size(long... values) {
    outputSize.put(values);
    return this;
  }
}
