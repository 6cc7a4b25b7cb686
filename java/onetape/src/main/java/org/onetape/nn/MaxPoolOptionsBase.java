package org.onetape.nn;

import org.onetape.LongPointer;

/** What the options of max pooling share; O is the class of the options themselves. */
public abstract class MaxPoolOptionsBase<O extends MaxPoolOptionsBase<O>>
    extends PoolOptionsBase<O> {
  final Expanded dilation;

  MaxPoolOptionsBase(int dims, long... kernelSize) {
    super(dims, kernelSize);
    dilation = Expanded.of(dims, 1);
  }

  /** How PyTorch shows the options. */
  final String describeAll() {
    return describe()
        + ", dilation="
        + PythonText.brief(dilation.get())
        + ", ceil_mode="
        + PythonText.of(ceil_mode().get());
  }

  /** The distance of a window's elements. */
  public LongPointer dilation() {
    return dilation.pointer();
  }

  /** Sets the distance of a window's elements: a number, or one a dimension; returns this. */
  public O dilation(LongPointer values) {
    dilation.put(values);
    return self();
  }

  /** Sets the distance of a window's elements: a number, or one a dimension; returns this. */
  public O dilation(long... values) {
    dilation.put(values);
    return self();
  }
}
