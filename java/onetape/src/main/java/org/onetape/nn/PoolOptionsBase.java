package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.LongPointer;

/** What the options of all pooling by windows share; O is the class of the options themselves. */
public abstract class PoolOptionsBase<O extends PoolOptionsBase<O>> extends WindowOptionsBase<O> {
  final Expanded padding;
  private final BoolPointer ceilMode = new BoolPointer(false);

  PoolOptionsBase(int dims, long... kernelSize) {
    super(Expanded.of(dims, kernelSize), Expanded.of(dims, kernelSize));
    padding = Expanded.of(dims, 0);
  }

  /** How PyTorch shows the windows. */
  final String describe() {
    return "kernel_size="
        + PythonText.brief(kernelSize.get())
        + ", stride="
        + PythonText.brief(stride.get())
        + ", padding="
        + PythonText.brief(padding.get());
  }

  /** How much is put around the input. */
  public LongPointer padding() {
    return padding.pointer();
  }

  /** Sets how much is put around the input: a number, or one a dimension; returns this. */
  public O padding(LongPointer values) {
    padding.put(values);
    return self();
  }

  /** Sets how much is put around the input: a number, or one a dimension; returns this. */
  public O padding(long... values) {
    padding.put(values);
    return self();
  }

  /** Whether a window may go beyond the end. */
  public BoolPointer ceil_mode() {
    return ceilMode;
  }

  /** Sets whether a window may go beyond the end; returns this. */
  public O ceil_mode(boolean value) {
    ceilMode.put(value);
    return self();
  }
}
