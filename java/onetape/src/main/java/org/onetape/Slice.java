package org.onetape;

/** A range of positions along one dimension, as an index: {@code start:stop:step}. */
public final class Slice extends Value {
  private final Long start;
  private final Long stop;
  private final Long step;

  /** Every position. */
  public Slice() {
    this((Long) null, null, null);
  }

  /** The positions from start up to, and without, stop; both count from the end if negative. */
  public Slice(long start, long stop) {
    this((Long) start, (Long) stop, null);
  }

  /** Every step-th of the positions from start up to, and without, stop. */
  public Slice(long start, long stop, long step) {
    this((Long) start, (Long) stop, (Long) step);
  }

  /** The same, where each part may be left out. */
  public Slice(LongOptional start, LongOptional stop, LongOptional step) {
    this(OptionalValue.valueOf(start), OptionalValue.valueOf(stop), OptionalValue.valueOf(step));
  }

  /** The same, where each part may be left out. */
  public Slice(SymIntOptional start, SymIntOptional stop, SymIntOptional step) {
    this(number(start), number(stop), number(step));
  }

  private Slice(Long start, Long stop, Long step) {
    this.start = start;
    this.stop = stop;
    this.step = step;
  }

  private static Long number(SymIntOptional optional) {
    SymInt value = OptionalValue.valueOf(optional);
    return value == null ? null : (Long) value.guard_int();
  }

  /** The first position; 0 where it was left out. */
  public long start() {
    return start == null ? 0 : start;
  }

  /** The end; the largest long where it was left out. */
  public long stop() {
    return stop == null ? Long.MAX_VALUE : stop;
  }

  /** The distance between positions; 1 where it was left out. */
  public long step() {
    return step == null ? 1 : step;
  }

  @Override
  public String toString() {
    return (start == null ? "" : start) + ":" + (stop == null ? "" : stop) + ":" + step();
  }
}
