package org.onetape.optim;

import org.onetape.TensorVector;

/** Adam whose weight decay shrinks the parameters instead of adding to the gradients. */
public class AdamW extends AdamBase {
  /** Changes the given parameters in steps of 0.001. */
  public AdamW(TensorVector params) {
    this(params, new AdamWOptions());
  }

  /** Changes the given parameters. */
  public AdamW(TensorVector params, AdamWOptions options) {
    this(group(params), options);
  }

  /** Changes the given groups of parameters in steps of 0.001. */
  public AdamW(OptimizerParamGroupVector groups) {
    this(groups, new AdamWOptions());
  }

  /** Changes the given groups of parameters. */
  public AdamW(OptimizerParamGroupVector groups, AdamWOptions options) {
    super(groups, options, true);
  }
}
