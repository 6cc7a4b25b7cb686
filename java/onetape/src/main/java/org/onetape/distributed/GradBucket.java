package org.onetape.distributed;

import org.onetape.Tensor;

/** Gradients that are reduced at once. */
public final class GradBucket {
  private final int index;
  private final boolean last;
  private final Tensor buffer;
  private final Tensor[] gradients;
  private final Tensor[] parameters;

  GradBucket(int index, boolean last, Tensor buffer, Tensor[] gradients, Tensor[] parameters) {
    this.index = index;
    this.last = last;
    this.buffer = buffer;
    this.gradients = gradients;
    this.parameters = parameters;
  }

  /** The number of the bucket. */
  public int index() {
    return index;
  }

  /** Is it the last one of a pass? */
  public boolean isLast() {
    return last;
  }

  /** All gradients, one after the other, in one dimension. */
  public Tensor buffer() {
    return buffer;
  }

  /** The gradients as parts of the buffer, in the shapes of the parameters. */
  public Tensor[] gradients() {
    return gradients.clone();
  }

  /** The parameters. */
  public Tensor[] parameters() {
    return parameters.clone();
  }
}
