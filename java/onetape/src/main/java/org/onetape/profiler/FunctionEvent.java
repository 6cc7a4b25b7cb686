package org.onetape.profiler;

import java.util.List;
import java.util.Optional;

/**
 * One call of an operator, one run of a node of the graph, or one block that the program named.
 * Times in microseconds since the profile began.
 */
public final class FunctionEvent implements EventStatistics {
  /** What an event is. */
  public enum Kind {
    /** A call of an operator. */
    OPERATOR,
    /** A run of a node of the graph. */
    BACKWARD,
    /** A {@link RecordFunction}. */
    USER
  }

  private static final int OF_NODE = 1;
  private static final int OF_PROGRAM = 7;

  private final long[] numbers;
  private final String name;
  private final String shapes;
  private final List<String> stack;
  private FunctionEvent parent;
  private FunctionEvent forward;

  FunctionEvent(long[] numbers, String[] texts) {
    this.numbers = numbers;
    this.name = texts[(int) numbers[0]];
    this.shapes = texts[(int) numbers[12]];
    String calls = texts[(int) numbers[11]];
    this.stack = calls.isEmpty() ? List.of() : List.of(calls.split("\n"));
  }

  void link(List<FunctionEvent> events) {
    parent = numbers[3] < 0 ? null : events.get((int) numbers[3]);
    forward = numbers[10] < 0 ? null : events.get((int) numbers[10]);
  }

  @Override
  public String key() {
    return name;
  }

  /** What it is. */
  public Kind kind() {
    if (numbers[1] == OF_PROGRAM) {
      return Kind.USER;
    }
    return numbers[1] == OF_NODE ? Kind.BACKWARD : Kind.OPERATOR;
  }

  /** The system's number of the thread. */
  public long thread() {
    return numbers[2];
  }

  /** When it began. */
  public double start() {
    return numbers[4] / 1e3;
  }

  /** When it ended. */
  public double end() {
    return numbers[5] / 1e3;
  }

  @Override
  public long count() {
    return 1;
  }

  @Override
  public double cpuTimeTotal() {
    return (numbers[5] - numbers[4]) / 1e3;
  }

  @Override
  public double selfCpuTimeTotal() {
    return numbers[6] / 1e3;
  }

  @Override
  public long cpuMemoryUsage() {
    return numbers[7];
  }

  @Override
  public long selfCpuMemoryUsage() {
    return numbers[8];
  }

  /**
   * The number of the node that an operator recorded first, or that is run; -1 if there is none.
   */
  public long sequenceNr() {
    return numbers[9];
  }

  /** The event around this one, in the same thread. */
  public Optional<FunctionEvent> parent() {
    return Optional.ofNullable(parent);
  }

  /** Of a node's run: the operator that recorded the node. */
  public Optional<FunctionEvent> forward() {
    return Optional.ofNullable(forward);
  }

  @Override
  public String inputShapes() {
    return shapes;
  }

  @Override
  public List<String> stack() {
    return stack;
  }

  @Override
  public boolean isTopLevel() {
    return parent == null;
  }

  @Override
  public String toString() {
    return String.format("%s at %.3f us for %.3f us", name, start(), cpuTimeTotal());
  }
}
