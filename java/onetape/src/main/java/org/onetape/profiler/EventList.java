package org.onetape.profiler;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.onetape.internal.Profiling;

/** Events, or what they come to by name; does not change. */
public final class EventList<E extends EventStatistics> extends AbstractList<E> {
  private static final int TEXTS = 3;
  private static final int NUMBERS = 6;
  private static final Map<String, ToDoubleFunction<EventStatistics>> KEYS =
      Map.of(
          "self_cpu_time_total", EventStatistics::selfCpuTimeTotal,
          "cpu_time_total", EventStatistics::cpuTimeTotal,
          "cpu_time", EventStatistics::cpuTime,
          "count", EventStatistics::count,
          "cpu_memory_usage", EventStatistics::cpuMemoryUsage,
          "self_cpu_memory_usage", EventStatistics::selfCpuMemoryUsage,
          "device_time_total", row -> 0,
          "self_device_time_total", row -> 0,
          "device_time", row -> 0,
          "device_memory_usage", row -> 0);

  private final List<E> events;
  private final boolean hasMemory;

  EventList(List<E> events, boolean hasMemory) {
    this.events = List.copyOf(events);
    this.hasMemory = hasMemory;
  }

  @Override
  public E get(int index) {
    return events.get(index);
  }

  @Override
  public int size() {
    return events.size();
  }

  /** Microseconds of all, each without what runs inside it. */
  public double selfCpuTimeTotal() {
    return events.stream().mapToDouble(EventStatistics::selfCpuTimeTotal).sum();
  }

  /** The first of this name. */
  public E named(String key) {
    return events.stream()
        .filter(event -> event.key().equals(key))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no event named " + key));
  }

  /** All as a table, in their order. */
  public String table() {
    return table(new TableOptions());
  }

  /** The largest as a table; see {@link TableOptions#sortBy}. */
  public String table(String sortBy, int rowLimit) {
    return table(new TableOptions().sortBy(sortBy).rowLimit(rowLimit));
  }

  /**
   * The events as a table.
   *
   * @throws IllegalArgumentException if it is to be sorted by what there is not
   */
  public String table(TableOptions options) {
    List<E> rows = new ArrayList<>(events);
    if (options.sortBy != null) {
      rows.sort(Comparator.<E>comparingDouble(key(options.sortBy)).reversed());
    }
    String[] texts = new String[rows.size() * TEXTS];
    long[] numbers = new long[rows.size() * NUMBERS];
    for (int i = 0; i < rows.size(); ++i) {
      E row = rows.get(i);
      texts[i * TEXTS] = row.key();
      texts[i * TEXTS + 1] = row.inputShapes();
      texts[i * TEXTS + 2] = String.join("\n", row.stack());
      int at = i * NUMBERS;
      numbers[at] = Math.round(row.selfCpuTimeTotal() * 1e3);
      numbers[at + 1] = Math.round(row.cpuTimeTotal() * 1e3);
      numbers[at + 2] = row.count();
      numbers[at + 3] = row.cpuMemoryUsage();
      numbers[at + 4] = row.selfCpuMemoryUsage();
      numbers[at + 5] = row.isTopLevel() ? 0 : 1;
    }
    int[] limits = {options.rowLimit, options.nameWidth, options.shapesWidth, options.sourceWidth};
    return Profiling.table(
        texts, numbers, limits, options.header, hasMemory, options.topLevelOnly, options.timeUnit);
  }

  private static ToDoubleFunction<EventStatistics> key(String name) {
    ToDoubleFunction<EventStatistics> found =
        KEYS.get(name.replace("cuda", "device").replace("xpu", "device"));
    if (found == null) {
      throw new IllegalArgumentException(
          "'FunctionEventAvg' object has no attribute '" + name + "'");
    }
    return found;
  }

  /** The table. */
  @Override
  public String toString() {
    return table();
  }
}
