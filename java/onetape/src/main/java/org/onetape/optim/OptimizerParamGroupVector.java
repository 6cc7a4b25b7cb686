package org.onetape.optim;

import org.onetape.ObjectVector;

/** The groups of parameters of an optimizer. */
public final class OptimizerParamGroupVector
    extends ObjectVector<OptimizerParamGroup, OptimizerParamGroupVector> {
  /** No groups. */
  public OptimizerParamGroupVector() {}

  /** The given groups. */
  public OptimizerParamGroupVector(OptimizerParamGroup... groups) {
    for (OptimizerParamGroup group : groups) {
      push_back(group);
    }
  }
}
