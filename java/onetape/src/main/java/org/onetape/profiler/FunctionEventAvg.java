package org.onetape.profiler;

import java.util.List;

/** What the events of one name, or of one name with the same shapes or calls, come to. */
public final class FunctionEventAvg implements EventStatistics {
  private final FunctionEvent example;
  private final long[] numbers;
  private final boolean byShapes;
  private final List<String> stack;

  /** Takes the six numbers of {@code Profiling.averages}. */
  FunctionEventAvg(FunctionEvent example, long[] numbers, boolean byShapes, int byCalls) {
    this.example = example;
    this.numbers = numbers;
    this.byShapes = byShapes;
    List<String> calls = example.stack();
    this.stack = calls.subList(0, Math.min(byCalls, calls.size()));
  }

  @Override
  public String key() {
    return example.key();
  }

  @Override
  public long count() {
    return numbers[1];
  }

  @Override
  public double cpuTimeTotal() {
    return numbers[2] / 1e3;
  }

  @Override
  public double selfCpuTimeTotal() {
    return numbers[3] / 1e3;
  }

  @Override
  public long cpuMemoryUsage() {
    return numbers[4];
  }

  @Override
  public long selfCpuMemoryUsage() {
    return numbers[5];
  }

  @Override
  public String inputShapes() {
    return byShapes ? example.inputShapes() : "";
  }

  @Override
  public List<String> stack() {
    return stack;
  }

  @Override
  public boolean isTopLevel() {
    return example.isTopLevel();
  }

  @Override
  public String toString() {
    return String.format("%s: %d calls, %.3f us", key(), count(), cpuTimeTotal());
  }
}
