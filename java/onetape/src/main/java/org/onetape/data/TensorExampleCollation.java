package org.onetape.data;

import org.onetape.Value;

/** Makes one example without a target of many. */
public abstract class TensorExampleCollation extends Value {
  /** For subclasses. */
  protected TensorExampleCollation() {}

  /** The batch of some examples. */
  public abstract TensorExample apply_batch(TensorExampleVector examples);
}
