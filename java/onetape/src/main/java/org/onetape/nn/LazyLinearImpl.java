package org.onetape.nn;

/**
 * A {@link LinearImpl} whose number of inputs follows from its first input. Its parameters are
 * there from the beginning, for optimizers, without elements; a loaded state gives them their
 * shapes, too.
 */
public class LazyLinearImpl extends LinearImpl {
  /** A layer to vectors of a size, with a bias. */
  public LazyLinearImpl(long outFeatures) {
    this(new LinearOptions(0, outFeatures));
  }

  /** A layer as the options say, whose number of inputs is set by the first input. */
  public LazyLinearImpl(LinearOptions options) {
    super(options, "Linear");
  }
}
