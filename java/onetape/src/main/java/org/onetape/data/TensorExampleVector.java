package org.onetape.data;

import java.util.Collection;
import org.onetape.ObjectVector;

/** A growing list of examples without targets. */
public final class TensorExampleVector extends ObjectVector<TensorExample, TensorExampleVector> {
  /** An empty list. */
  public TensorExampleVector() {}

  /** A list with the given examples. */
  public TensorExampleVector(TensorExample... examples) {
    for (TensorExample example : examples) {
      push_back(example);
    }
  }

  /** A list with the given examples. */
  public TensorExampleVector(Collection<? extends TensorExample> examples) {
    examples.forEach(this::push_back);
  }

  /** A list with one example. */
  public TensorExampleVector(TensorExample example) {
    push_back(example);
  }

  /** A list of the given number of places, each to be filled by {@link #put(long, Object)}. */
  public TensorExampleVector(long size) {
    resize(size);
  }

  /** Removes examples from the end, or adds empty places there; returns this. */
  public TensorExampleVector resize(long size) {
    if (size < 0 || size > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "TensorExampleVector of " + size + " examples: not possible");
    }
    while (size() > size) {
      elements().remove((int) size() - 1);
    }
    while (size() < size) {
      elements().add(null);
    }
    return this;
  }

  /** Replaces everything by the given examples; returns this. */
  public TensorExampleVector put(TensorExample... examples) {
    return put(new TensorExampleVector(examples));
  }

  /** The examples as an array. */
  public TensorExample[] get() {
    return elements().toArray(new TensorExample[0]);
  }

  TensorExampleVector unscoped() {
    TensorExampleVector copy = new TensorExampleVector();
    for (TensorExample example : elements()) {
      copy.push_back(example.unscoped());
    }
    return copy;
  }

  void adopt() {
    elements().forEach(TensorExample::adopt);
  }

  /** Lets go of the examples' tensors. */
  @Override
  public void close() {
    elements().forEach(TensorExample::close);
    clear();
  }

  /** The place of the first example. */
  public Iterator begin() {
    return new Iterator(this, 0);
  }

  /** The place after the last example. */
  public Iterator end() {
    return new Iterator(this, size());
  }

  /** A place in the list. */
  public static final class Iterator extends Place<TensorExample> {
    Iterator(TensorExampleVector list, long index) {
      super(list, index);
    }

    @Override
    public Iterator increment() {
      super.increment();
      return this;
    }

    /** Whether both are the same place. */
    public boolean equals(Iterator other) {
      return super.equals(other);
    }
  }
}
