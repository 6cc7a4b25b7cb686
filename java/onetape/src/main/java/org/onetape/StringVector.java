package org.onetape;

import java.util.StringJoiner;

/** A growing list of texts. */
public final class StringVector extends ObjectVector<BytePointer, StringVector> {
  /** An empty list. */
  public StringVector() {}

  /** A list with the given texts. */
  public StringVector(String... texts) {
    for (String text : texts) {
      push_back(text);
    }
  }

  /** A list with one text. */
  public StringVector(String text) {
    push_back(text);
  }

  /** A list with the given texts. */
  public StringVector(BytePointer... texts) {
    for (BytePointer text : texts) {
      push_back(text);
    }
  }

  @Override
  protected BytePointer kept(BytePointer text) {
    return new BytePointer(text.getString());
  }

  @Override
  protected BytePointer shown(BytePointer text) {
    return new BytePointer(text);
  }

  /** Adds a text at the end; returns this. */
  public StringVector push_back(String text) {
    return push_back(new BytePointer(text));
  }

  /** Replaces the i-th text; returns this. */
  public StringVector put(long i, String text) {
    return put(i, new BytePointer(text));
  }

  /** The texts between brackets. */
  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ", "[", "]");
    elements().forEach(element -> text.add(element.getString()));
    return text.toString();
  }
}
