package org.onetape.profiler;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.ones;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.onetape.MemoryScope;
import org.onetape.Scalar;
import org.onetape.Tensor;

/** Spans as events of the JDK's Flight Recorder, read back from a recording. */
public class FlightRecorderTest {
  private static final String NAME = "org.onetape.Operator";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path file(String name) {
    return temporary.getRoot().toPath().resolve(name);
  }

  private List<RecordedEvent> recorded(Runnable work) throws Exception {
    Path file = file("recording.jfr");
    try (Recording recording = new Recording()) {
      recording.enable(NAME);
      recording.start();
      work.run();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals(NAME))
        .collect(Collectors.toList());
  }

  private static void step() {
    try (MemoryScope scope = new MemoryScope();
        RecordFunction named = new RecordFunction("step")) {
      Tensor x = ones(3, 3).requires_grad_();
      x.mul(new Scalar(2)).sum().backward();
    }
  }

  /** The one that began first. */
  private static RecordedEvent first(List<RecordedEvent> events, String name) {
    return events.stream()
        .filter(event -> event.getString("name").equals(name))
        .min(Comparator.comparing(RecordedEvent::getStartTime))
        .orElseThrow(() -> new AssertionError(name + " is not in " + names(events)));
  }

  private static List<String> names(List<RecordedEvent> events) {
    return events.stream().map(event -> event.getString("name")).collect(Collectors.toList());
  }

  @Test
  public void spansAreEvents() throws Exception {
    Profiler[] used = new Profiler[1];
    List<RecordedEvent> events =
        recorded(
            () -> {
              try (Profiler profiler = Profiler.start()) {
                used[0] = profiler;
                step();
              }
            });
    assertEquals(
        used[0].events().stream().map(EventStatistics::key).sorted().collect(Collectors.toList()),
        names(events).stream().sorted().collect(Collectors.toList()));
    RecordedEvent mul = first(events, "aten::mul");
    RecordedEvent node = first(events, "MulBackward0");
    RecordedEvent block = first(events, "step");
    Function<RecordedEvent, String> kind = event -> event.getString("kind");
    assertEquals("operator", kind.apply(mul));
    assertEquals("backward", kind.apply(node));
    assertEquals("user", kind.apply(block));
    assertEquals(0, block.getInt("depth"));
    assertEquals(1, mul.getInt("depth"));
    assertEquals(Thread.currentThread().getName(), mul.getThread().getJavaName());
    assertFalse(mul.getStartTime().isBefore(block.getStartTime()));
    assertFalse(mul.getEndTime().isAfter(block.getEndTime()));
    assertFalse(node.getStartTime().isBefore(mul.getEndTime()));
  }

  @Test
  public void anOperatorThatFailsIsAnEventAndKeepsItsException() throws Exception {
    List<RecordedEvent> events =
        recorded(
            () -> {
              try (Profiler profiler = Profiler.start();
                  MemoryScope scope = new MemoryScope()) {
                RuntimeException failed =
                    assertThrows(RuntimeException.class, () -> ones(2).mm(ones(2, 2)));
                assertTrue(failed.getMessage().length() > 0);
                ones(2).add(new Scalar(1));
              }
            });
    assertEquals(0, first(events, "aten::add").getInt("depth"));
  }

  @Test
  public void thereAreNoneUnlessWanted() throws Exception {
    assertEquals(List.of(), recorded(FlightRecorderTest::step));
    List<RecordedEvent> refused =
        recorded(
            () -> {
              try (Profiler profiler = Profiler.builder().flightRecorder(false).start()) {
                step();
              }
            });
    assertEquals(List.of(), refused);
  }
}
