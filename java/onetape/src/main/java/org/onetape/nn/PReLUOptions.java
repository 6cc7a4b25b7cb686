package org.onetape.nn;

import org.onetape.DoublePointer;
import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link PReLUImpl} is made. */
public final class PReLUOptions extends Value {
  private final LongPointer numParameters = new LongPointer(new long[] {1});
  private final DoublePointer init = new DoublePointer(new double[] {0.25});

  /** One slope. */
  public PReLUOptions() {}

  /** So many slopes. */
  public PReLUOptions(long numParameters) {
    num_parameters(numParameters);
  }

  /** How many slopes there are: one, or one for each channel. */
  public LongPointer num_parameters() {
    return numParameters;
  }

  /** Sets how many slopes there are: one, or one for each channel; returns this. */
  public PReLUOptions num_parameters(long value) {
    numParameters.put(value);
    return this;
  }

  /** The first value of the slopes. */
  public DoublePointer init() {
    return init;
  }

  /** Sets the first value of the slopes; returns this. */
  public PReLUOptions init(double value) {
    init.put(value);
    return this;
  }
}
