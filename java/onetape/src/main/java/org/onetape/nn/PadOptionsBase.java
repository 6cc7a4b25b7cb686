package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** What the options of paddings share; O is the class of the options themselves. */
public abstract class PadOptionsBase<O extends PadOptionsBase<O>> extends Value {
  final Expanded padding;

  /** How much before and after, for the last dimension first; a single number stands for all. */
  PadOptionsBase(int dims, long... padding) {
    this.padding = Expanded.of(2 * dims, padding);
  }

  abstract O self();

  /** How much before and after, for the last dimension first. */
  public LongPointer padding() {
    return padding.pointer();
  }

  /**
   * Sets how much before and after: a number, or all, for the last dimension first; returns this.
   */
  public O padding(LongPointer values) {
    padding.put(values);
    return self();
  }

  /**
   * Sets how much before and after: a number, or all, for the last dimension first; returns this.
   */
  public O padding(long... values) {
    padding.put(values);
    return self();
  }
}
