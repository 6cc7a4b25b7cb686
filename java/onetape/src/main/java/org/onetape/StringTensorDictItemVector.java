package org.onetape;

/** Names with their tensors in order. */
public final class StringTensorDictItemVector
    extends ObjectVector<StringTensorDictItem, StringTensorDictItemVector> {
  /** An empty list. */
  public StringTensorDictItemVector() {}

  /** The place of the first item. */
  public Iterator begin() {
    return new Iterator(this, 0);
  }

  /** The place after the last item. */
  public Iterator end() {
    return new Iterator(this, size());
  }

  /** A place in the list. */
  public static final class Iterator extends Place<StringTensorDictItem> {
    Iterator(StringTensorDictItemVector list, long index) {
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
