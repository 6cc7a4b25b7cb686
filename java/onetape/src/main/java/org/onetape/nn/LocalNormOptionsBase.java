package org.onetape.nn;

import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/**
 * What the options of norms over neighbouring channels share; O is the class of the options
 * themselves.
 */
public abstract class LocalNormOptionsBase<O extends LocalNormOptionsBase<O>> extends Value {
  private final LongPointer size;
  private final DoublePointer alpha = new DoublePointer(new double[] {1e-4});
  private final DoublePointer beta = new DoublePointer(new double[] {0.75});
  private final DoublePointer k = new DoublePointer(new double[] {1});

  LocalNormOptionsBase(long size) {
    this.size = new LongPointer(new long[] {size});
  }

  abstract O self();

  /** How PyTorch shows the options. */
  final String describe() {
    return size.get()
        + ", alpha="
        + PythonText.of(alpha.get())
        + ", beta="
        + PythonText.of(beta.get())
        + ", k="
        + PythonText.of(k.get());
  }

  /** Over how many channels. */
  public LongPointer size() {
    return size;
  }

  /** Sets over how many channels; returns this. */
  public O size(long value) {
    size.put(value);
    return self();
  }

  /** The factor of the mean square. */
  public DoublePointer alpha() {
    return alpha;
  }

  /** Sets the factor of the mean square; returns this. */
  public O alpha(double value) {
    alpha.put(value);
    return self();
  }

  /** The exponent. */
  public DoublePointer beta() {
    return beta;
  }

  /** Sets the exponent; returns this. */
  public O beta(double value) {
    beta.put(value);
    return self();
  }

  /** What is added to the mean square. */
  public DoublePointer k() {
    return k;
  }

  /** Sets what is added to the mean square; returns this. */
  public O k(double value) {
    k.put(value);
    return self();
  }
}
