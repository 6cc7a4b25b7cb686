package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link LinearImpl} is made. */
public final class LinearOptions extends Value {
  private final LongPointer inFeatures;
  private final LongPointer outFeatures;
  private final BoolPointer bias = new BoolPointer(true);

  /** A layer from vectors of one size to vectors of another, with a bias. */
  public LinearOptions(long inFeatures, long outFeatures) {
    this.inFeatures = new LongPointer(new long[] {inFeatures});
    this.outFeatures = new LongPointer(new long[] {outFeatures});
  }

  /** The size of the inputs. */
  public LongPointer in_features() {
    return inFeatures;
  }

  /** Sets the size of the inputs; returns this. */
  public LinearOptions in_features(long size) {
    inFeatures.put(size);
    return this;
  }

  /** The size of the results. */
  public LongPointer out_features() {
    return outFeatures;
  }

  /** Sets the size of the results; returns this. */
  public LinearOptions out_features(long size) {
    outFeatures.put(size);
    return this;
  }

  /** Whether there is a bias. */
  public BoolPointer bias() {
    return bias;
  }

  /** Sets whether there is a bias; returns this. */
  public LinearOptions bias(boolean wanted) {
    bias.put(wanted);
    return this;
  }
}
