package org.onetape.optim;

import org.onetape.TensorVector;

/** Parameters that an optimizer changes in one way. */
public final class OptimizerParamGroup implements AutoCloseable {
  private final TensorVector params;
  private OptimizerOptions options;

  /** Parameters with the optimizer's options. */
  public OptimizerParamGroup(TensorVector params) {
    this(params, null);
  }

  /** Parameters with options of their own. */
  public OptimizerParamGroup(TensorVector params, OptimizerOptions options) {
    this.params = params;
    this.options = options;
  }

  /** The parameters. */
  public TensorVector params() {
    return params;
  }

  /** Whether the group has options of its own. */
  public boolean has_options() {
    return options != null;
  }

  /** The options. */
  public OptimizerOptions options() {
    return options;
  }

  /** Sets the options. */
  public void set_options(OptimizerOptions newOptions) {
    options = newOptions;
  }

  /** Lets go of the parameters. */
  @Override
  public void close() {
    params.close();
  }
}
