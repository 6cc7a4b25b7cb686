package org.onetape.optim;

import org.onetape.TensorVector;

/** Adam: steps scaled by running means of the gradient and of its square. */
public class Adam extends AdamBase {
  /** Changes the given parameters in steps of 0.001. */
  public Adam(TensorVector params) {
    this(params, new AdamOptions());
  }

  /** Changes the given parameters in steps of a size. */
  public Adam(TensorVector params, double lr) {
    this(params, new AdamOptions(lr));
  }

  /** Changes the given parameters. */
  public Adam(TensorVector params, AdamOptions options) {
    this(group(params), options);
  }

  /** Changes the given groups of parameters. */
  public Adam(OptimizerParamGroupVector groups, AdamOptions options) {
    super(groups, options, false);
  }
}
