package org.onetape.profiler;

import java.util.List;

/**
 * What a row of a table tells: of one event, or of several with one name. Times in microseconds.
 */
public interface EventStatistics {
  /** The name: {@code aten::mul}, {@code MulBackward0}, or what the program gave. */
  String key();

  /** How many events. */
  long count();

  /** The time of all. */
  double cpuTimeTotal();

  /** The time of all, each without what runs inside it. */
  double selfCpuTimeTotal();

  /** The time of one. */
  default double cpuTime() {
    return count() == 0 ? 0 : cpuTimeTotal() / count();
  }

  /** Bytes of elements that were taken, less those given back. */
  long cpuMemoryUsage();

  /** The same without what runs inside. */
  long selfCpuMemoryUsage();

  /** The shapes of what the operator was given, {@code [[2, 3], [], [4]]}; empty if not known. */
  String inputShapes();

  /** The calls that it was called in, innermost first; empty if not known. */
  List<String> stack();

  /** Whether it ran inside no other. */
  boolean isTopLevel();
}
