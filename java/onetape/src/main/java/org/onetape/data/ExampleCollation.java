package org.onetape.data;

import org.onetape.Value;

/** Makes one example of many. */
public abstract class ExampleCollation extends Value {
  /** For subclasses. */
  protected ExampleCollation() {}

  /** The batch of some examples. */
  public abstract Example apply_batch(ExampleVector examples);
}
