package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoublePointer;

/** What the options of pooling by norms share; O is the class of the options themselves. */
public abstract class LPPoolOptionsBase<O extends LPPoolOptionsBase<O>>
    extends WindowOptionsBase<O> {
  private final DoublePointer normType;
  private final BoolPointer ceilMode = new BoolPointer(false);

  LPPoolOptionsBase(int dims, double normType, long... kernelSize) {
    super(Expanded.of(dims, kernelSize), Expanded.of(dims, kernelSize));
    this.normType = new DoublePointer(new double[] {normType});
  }

  /** How PyTorch shows the options. */
  final String describe() {
    String kernel = PythonText.brief(kernelSize.get());
    String step = PythonText.brief(stride.get());
    return "norm_type="
        + PythonText.of(normType.get())
        + ", kernel_size="
        + kernel
        + ", stride="
        + (step.equals(kernel) ? "None" : step)
        + ", ceil_mode="
        + PythonText.of(ceilMode.get());
  }

  /** The exponent of the norm. */
  public DoublePointer norm_type() {
    return normType;
  }

  /** Sets the exponent of the norm; returns this. */
  public O norm_type(double value) {
    normType.put(value);
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
