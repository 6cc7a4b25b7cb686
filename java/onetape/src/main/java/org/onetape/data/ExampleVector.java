package org.onetape.data;

import java.util.Collection;
import org.onetape.ObjectVector;

/** A growing list of examples. */
public final class ExampleVector extends ObjectVector<Example, ExampleVector> {
  /** An empty list. */
  public ExampleVector() {}

  /** A list with the given examples. */
  public ExampleVector(Example... examples) {
    for (Example example : examples) {
      push_back(example);
    }
  }

  /** A list with the given examples. */
  public ExampleVector(Collection<? extends Example> examples) {
    examples.forEach(this::push_back);
  }

  /** A list with one example. */
  public ExampleVector(Example example) {
    push_back(example);
  }

  /** A list of the given number of places, each to be filled by {@link #put(long, Object)}. */
  public ExampleVector(long size) {
    resize(size);
  }

  /** Removes examples from the end, or adds empty places there; returns this. */
  public ExampleVector resize(long size) {
    if (size < 0 || size > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("ExampleVector of " + size + " examples: not possible");
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
  public ExampleVector put(Example... examples) {
    return put(new ExampleVector(examples));
  }

  /** The examples as an array. */
  public Example[] get() {
    return elements().toArray(new Example[0]);
  }

  ExampleVector unscoped() {
    ExampleVector copy = new ExampleVector();
    for (Example example : elements()) {
      copy.push_back(example.unscoped());
    }
    return copy;
  }

  void adopt() {
    elements().forEach(Example::adopt);
  }

  /** Lets go of the examples' tensors. */
  @Override
  public void close() {
    elements().forEach(Example::close);
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
  public static final class Iterator extends Place<Example> {
    Iterator(ExampleVector list, long index) {
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
