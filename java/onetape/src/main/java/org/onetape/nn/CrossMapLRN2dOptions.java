package org.onetape.nn;

import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link CrossMapLRN2dImpl} is made. */
public final class CrossMapLRN2dOptions extends Value {
  private final LongPointer size = new LongPointer(new long[] {1});
  private final DoublePointer alpha = new DoublePointer(new double[] {1e-4});
  private final DoublePointer beta = new DoublePointer(new double[] {0.75});
  private final DoublePointer k = new DoublePointer(new double[] {1});

  /** Over so many neighbouring channels. */
  public CrossMapLRN2dOptions(long size) {
    size(size);
  }

  /** Over how many channels. */
  public LongPointer size() {
    return size;
  }

  /** Sets over how many channels; returns this. */
  public CrossMapLRN2dOptions size(long value) {
    size.put(value);
    return this;
  }

  /** The factor of the mean square. */
  public DoublePointer alpha() {
    return alpha;
  }

  /** Sets the factor of the mean square; returns this. */
  public CrossMapLRN2dOptions alpha(double value) {
    alpha.put(value);
    return this;
  }

  /** The exponent. */
  public DoublePointer beta() {
    return beta;
  }

  /** Sets the exponent; returns this. */
  public CrossMapLRN2dOptions beta(double value) {
    beta.put(value);
    return this;
  }

  /** What is added to the mean square. */
  public DoublePointer k() {
    return k;
  }

  /** Sets what is added to the mean square; returns this. */
  public CrossMapLRN2dOptions k(double value) {
    k.put(value);
    return this;
  }
}
