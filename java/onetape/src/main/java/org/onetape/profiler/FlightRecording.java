package org.onetape.profiler;

import java.util.ArrayDeque;
import java.util.Deque;
import org.onetape.internal.Profiling;

/** Makes spans events of the JDK's Flight Recorder. Loaded only where there is one. */
final class FlightRecording implements Profiling.Recorder {
  private static final int OPERATOR = 0;
  private static final int BACKWARD = 1;

  private final ThreadLocal<Deque<OperatorEvent>> open = ThreadLocal.withInitial(ArrayDeque::new);

  /** One if somebody records such events now, else null. */
  static Profiling.Recorder ifWanted() {
    return new OperatorEvent().isEnabled() ? new FlightRecording() : null;
  }

  @Override
  public void begin(int kind, String name) {
    Deque<OperatorEvent> spans = open.get();
    OperatorEvent span = new OperatorEvent();
    span.name = name;
    span.kind = kind == OPERATOR ? "operator" : kind == BACKWARD ? "backward" : "user";
    span.depth = spans.size();
    span.begin();
    spans.push(span);
  }

  @Override
  public void end() {
    OperatorEvent span = open.get().poll();
    if (span != null) {
      span.commit();
    }
  }
}
