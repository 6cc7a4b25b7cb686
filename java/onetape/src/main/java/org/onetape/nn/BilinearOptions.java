package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link BilinearImpl} is made. */
public final class BilinearOptions extends Value {
  private final LongPointer in1Features;
  private final LongPointer in2Features;
  private final LongPointer outFeatures;
  private final BoolPointer bias = new BoolPointer(true);

  /** From features of two sizes to those of a third. */
  public BilinearOptions(long in1Features, long in2Features, long outFeatures) {
    this.in1Features = new LongPointer(new long[] {in1Features});
    this.in2Features = new LongPointer(new long[] {in2Features});
    this.outFeatures = new LongPointer(new long[] {outFeatures});
  }

  /** The features of the first input. */
  public LongPointer in1_features() {
    return in1Features;
  }

  /** Sets the features of the first input; returns this. */
  public BilinearOptions in1_features(long value) {
    in1Features.put(value);
    return this;
  }

  /** The features of the second input. */
  public LongPointer in2_features() {
    return in2Features;
  }

  /** Sets the features of the second input; returns this. */
  public BilinearOptions in2_features(long value) {
    in2Features.put(value);
    return this;
  }

  /** The features of the result. */
  public LongPointer out_features() {
    return outFeatures;
  }

  /** Sets the features of the result; returns this. */
  public BilinearOptions out_features(long value) {
    outFeatures.put(value);
    return this;
  }

  /** Whether there is a bias. */
  public BoolPointer bias() {
    return bias;
  }

  /** Sets whether there is a bias; returns this. */
  public BilinearOptions bias(boolean value) {
    bias.put(value);
    return this;
  }
}
