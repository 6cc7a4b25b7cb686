package org.onetape.nn;

import org.onetape.LongPointer;

/** What the options of undone max pooling share; O is the class of the options themselves. */
public abstract class MaxUnpoolOptionsBase<O extends MaxUnpoolOptionsBase<O>>
    extends WindowOptionsBase<O> {
  final Expanded padding;

  MaxUnpoolOptionsBase(int dims, long... kernelSize) {
    super(Expanded.of(dims, kernelSize), Expanded.of(dims, kernelSize));
    padding = Expanded.of(dims, 0);
  }

  /** How much the pooling put around its input. */
  public LongPointer padding() {
    return padding.pointer();
  }

  /** Sets how much the pooling put around its input; returns this. */
  public O padding(LongPointer values) {
    padding.put(values);
    return self();
  }

  /** Sets how much the pooling put around its input; returns this. */
  public O padding(long... values) {
    padding.put(values);
    return self();
  }
}
