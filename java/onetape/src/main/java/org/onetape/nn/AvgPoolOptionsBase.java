package org.onetape.nn;

import org.onetape.BoolPointer;

/** What the options of average pooling share; O is the class of the options themselves. */
public abstract class AvgPoolOptionsBase<O extends AvgPoolOptionsBase<O>>
    extends PoolOptionsBase<O> {
  private final BoolPointer countIncludePad = new BoolPointer(true);

  AvgPoolOptionsBase(int dims, long... kernelSize) {
    super(dims, kernelSize);
  }

  /** Whether the zeros around the input count. */
  public BoolPointer count_include_pad() {
    return countIncludePad;
  }

  /** Sets whether the zeros around the input count; returns this. */
  public O count_include_pad(boolean value) {
    countIncludePad.put(value);
    return self();
  }
}
