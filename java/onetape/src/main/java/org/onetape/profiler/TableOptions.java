package org.onetape.profiler;

/** How a table of a profile looks. */
public final class TableOptions {
  private static final int ANY = -1;

  int rowLimit = 100;
  int nameWidth = 55;
  int shapesWidth = 80;
  int sourceWidth = 75;
  String sortBy;
  String header;
  String timeUnit;
  boolean topLevelOnly;

  /** Rows in the order in which the events began, at most 100. */
  public TableOptions() {}

  /**
   * The largest first.
   *
   * @param key self_cpu_time_total, cpu_time_total, cpu_time, count, cpu_memory_usage,
   *     self_cpu_memory_usage; those of other devices are known and 0
   */
  public TableOptions sortBy(String key) {
    sortBy = key;
    return this;
  }

  /** How many rows; -1 for all. */
  public TableOptions rowLimit(int rows) {
    rowLimit = rows;
    return this;
  }

  /** How wide names, shapes and calls may become; -1 for any width. */
  public TableOptions widths(int names, int shapes, int calls) {
    nameWidth = Math.max(names, ANY);
    shapesWidth = Math.max(shapes, ANY);
    sourceWidth = Math.max(calls, ANY);
    return this;
  }

  /** A title. */
  public TableOptions header(String title) {
    header = title;
    return this;
  }

  /** One unit for all times: s, ms or us. */
  public TableOptions timeUnit(String unit) {
    timeUnit = unit;
    return this;
  }

  /** Leaves out what runs inside others. */
  public TableOptions topLevelOnly(boolean only) {
    topLevelOnly = only;
    return this;
  }
}
