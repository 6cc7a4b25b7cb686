package org.onetape.data;

import java.util.Arrays;
import org.onetape.Tensor;
import org.onetape.Value;
import org.onetape.internal.Access;

/**
 * A sample: data with a target, or any number of tensors.
 *
 * <p>It has references of its own to its tensors, which belong to the scope in which it was made.
 */
public class Example extends Value {
  private final Tensor[] tensors;

  /** Two undefined tensors. */
  public Example() {
    this(new Tensor(), new Tensor());
  }

  /** Data and its target. */
  public Example(Tensor data, Tensor target) {
    this(new Tensor[] {data, target});
  }

  /** The given tensors: data, target, and more. */
  public Example(Tensor... tensors) {
    this(Arrays.stream(tensors).map(Tensor::new).toArray(Tensor[]::new), true);
  }

  /** Takes over an array and its tensors. */
  Example(Tensor[] tensors, boolean taken) {
    this.tensors = tensors;
  }

  /** The same tensors without a scope. */
  Example unscoped() {
    return new Example(unscoped(tensors), true);
  }

  static Tensor[] unscoped(Tensor[] tensors) {
    return Arrays.stream(tensors).map(Access::unscoped).toArray(Tensor[]::new);
  }

  /** Makes this belong to the caller's scope. */
  void adopt() {
    Arrays.stream(tensors).forEach(Access::adopted);
  }

  /** The number of tensors. */
  public int count() {
    return tensors.length;
  }

  /** The i-th tensor. */
  public Tensor get(int i) {
    return new Tensor(own(i));
  }

  /** The i-th tensor itself rather than another reference to it. */
  Tensor own(int i) {
    if (i < 0 || i >= tensors.length) {
      throw new IndexOutOfBoundsException("tensor " + i + " of an example of " + tensors.length);
    }
    return tensors[i];
  }

  private Example put(int i, Tensor tensor) {
    own(i).close();
    tensors[i] = new Tensor(tensor);
    return this;
  }

  /** The data. */
  public Tensor data() {
    return get(0);
  }

  /** Replaces the data; returns this. */
  public Example data(Tensor tensor) {
    return put(0, tensor);
  }

  /** The target. */
  public Tensor target() {
    return get(1);
  }

  /** Replaces the target; returns this. */
  public Example target(Tensor tensor) {
    return put(1, tensor);
  }

  /** Lets go of the tensors. */
  @Override
  public void close() {
    for (Tensor tensor : tensors) {
      tensor.close();
    }
  }

  /** The tensors between brackets. */
  @Override
  public String toString() {
    return Arrays.toString(tensors);
  }
}
