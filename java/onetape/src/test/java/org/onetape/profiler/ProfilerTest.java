package org.onetape.profiler;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.ones;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.onetape.MemoryScope;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.nn.LinearImpl;

public class ProfilerTest {
  private static final double ROUNDING = 1e-6;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private Path file(String name) {
    return temporary.getRoot().toPath().resolve(name);
  }

  private static void step() {
    try (MemoryScope scope = new MemoryScope()) {
      LinearImpl model = new LinearImpl(64, 32);
      Tensor loss = RecordFunction.of("forward", () -> model.forward(ones(16, 64)).relu().sum());
      loss.backward();
    }
  }

  private static Profiler profiled() {
    Profiler profiler =
        Profiler.builder().recordShapes(true).profileMemory(true).withStack(true).start();
    try (profiler) {
      step();
    }
    return profiler;
  }

  @Test
  public void operatorsNodesAndBlocksAreSeen() {
    EventList<FunctionEvent> events = profiled().events();
    assertEquals(FunctionEvent.Kind.OPERATOR, events.named("aten::addmm").kind());
    assertEquals(FunctionEvent.Kind.BACKWARD, events.named("AddmmBackward0").kind());
    assertEquals(FunctionEvent.Kind.USER, events.named("forward").kind());
    FunctionEvent linear = events.named("aten::linear");
    assertSame(events.named("forward"), linear.parent().orElseThrow());
    assertSame(linear, events.named("aten::addmm").parent().orElseThrow());
    assertTrue(events.named("forward").isTopLevel());
    double top =
        events.stream()
            .filter(EventStatistics::isTopLevel)
            .mapToDouble(EventStatistics::cpuTimeTotal)
            .sum();
    assertEquals(top, events.selfCpuTimeTotal(), top * ROUNDING);
  }

  @Test
  public void backwardIsLinkedToForward() {
    EventList<FunctionEvent> events = profiled().events();
    FunctionEvent node = events.named("AddmmBackward0");
    FunctionEvent forward = node.forward().orElseThrow();
    assertSame(events.named("aten::addmm"), forward);
    assertEquals(forward.sequenceNr(), node.sequenceNr());
    assertEquals(forward.stack(), node.stack());
    assertTrue(events.named("aten::relu").forward().isEmpty());
    assertEquals(-1, events.named("torch::autograd::AccumulateGrad").sequenceNr());
  }

  @Test
  public void shapesMemoryAndCallsAreNoted() {
    EventList<FunctionEvent> events = profiled().events();
    String shapes = events.named("aten::addmm").inputShapes();
    assertTrue(shapes, shapes.startsWith("[[32], [16, 64], [64, 32]"));
    assertEquals(16 * 32 * 4, events.named("aten::addmm").selfCpuMemoryUsage());
    List<String> calls = events.named("aten::relu").stack();
    String all = calls.toString();
    assertTrue(
        all,
        calls.stream()
            .anyMatch(call -> call.matches("ProfilerTest\\.java\\(\\d+\\): ProfilerTest\\.step")));
    assertTrue(all, calls.stream().anyMatch(call -> call.endsWith("ProfilerTest.profiled")));
    Profiler plain = Profiler.start();
    try (plain) {
      step();
    }
    FunctionEvent relu = plain.events().named("aten::relu");
    assertEquals("", relu.inputShapes());
    assertEquals(List.of(), relu.stack());
    assertEquals(0, relu.cpuMemoryUsage());
  }

  @Test
  public void averagesAndTables() {
    Profiler profiler = Profiler.builder().recordShapes(true).withStack(true).start();
    try (profiler;
        MemoryScope scope = new MemoryScope()) {
      for (int size : new int[] {2, 3, 3}) {
        ones(size).add(new Scalar(1));
      }
    }
    FunctionEventAvg add = profiler.keyAverages().named("aten::add");
    assertEquals(3, add.count());
    assertEquals(add.cpuTimeTotal() / 3, add.cpuTime(), ROUNDING);
    List<Long> counts =
        profiler.keyAverages(true, 0).stream()
            .filter(group -> group.key().equals("aten::add"))
            .map(EventStatistics::count)
            .collect(Collectors.toList());
    assertEquals(List.of(1L, 2L), counts);
    assertEquals(1, profiler.keyAverages(false, 1).named("aten::add").stack().size());

    String table = profiler.keyAverages().table("count", 1);
    String[] lines = table.split("\n");
    assertTrue(
        table,
        lines[1].endsWith(
            "Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # of Calls  "));
    assertEquals(table, 6, lines.length);
    assertTrue(table, lines[5].startsWith("Self CPU time total: "));
    assertTrue(profiler.keyAverages(true, 0).table().contains("Input Shapes"));
    assertTrue(profiler.keyAverages(false, 2).toString().contains("Source Location"));
    String titled =
        profiler.events().table(new TableOptions().header("all").timeUnit("s").topLevelOnly(true));
    assertTrue(titled, titled.contains("\nall\n") && titled.contains("top-level ops"));
    IllegalArgumentException wrong =
        assertThrows(IllegalArgumentException.class, () -> profiler.keyAverages().table("foo", 1));
    assertEquals("'FunctionEventAvg' object has no attribute 'foo'", wrong.getMessage());
  }

  @Test
  public void filesAreWritten() throws Exception {
    Profiler profiler = profiled();
    profiler.addMetadata("run", "the \"first\"");
    Path trace = file("trace.json");
    profiler.exportChromeTrace(trace);
    String text = Files.readString(trace);
    assertTrue(text, text.contains("\"run\": \"the \\\"first\\\"\""));
    for (String part : List.of("aten::addmm", "fwdbwd", "thread_name", "[memory]", "Input Dims")) {
      assertTrue(part, text.contains(part));
    }
    Path compressed = file("trace.json.gz");
    profiler.exportChromeTrace(compressed);
    try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(compressed))) {
      assertEquals(text, new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
    }
    profiler.exportFlameGraph(file("flame.html"));
    assertTrue(Files.readString(file("flame.html")).contains("aten::addmm"));
    profiler.exportMemoryTimeline(file("memory.svg"));
    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file("memory.svg").toFile());
    profiler.exportMemoryTimeline(file("memory.html"));
    profiler.exportMemoryTimeline(file("memory.json"));
    assertTrue(Files.readString(file("memory.json")).startsWith("[[0,"));
    assertThrows(
        IllegalArgumentException.class, () -> profiler.exportMemoryTimeline(file("memory.png")));
    profiler.exportStacks(file("stacks.txt"));
    for (String line : Files.readAllLines(file("stacks.txt"))) {
      assertTrue(line, line.matches("\\S+ \\d+"));
    }
  }

  @Test
  public void whatWasNotNotedIsNotWritten() throws IOException {
    Profiler plain = Profiler.start();
    assertThrows(IllegalStateException.class, plain::events);
    plain.close();
    plain.close();
    assertEquals(0, plain.events().size());
    assertEquals("", plain.keyAverages().table());
    assertThrows(IllegalStateException.class, () -> plain.exportStacks(file("stacks.txt")));
    assertThrows(IllegalStateException.class, () -> plain.exportMemoryTimeline(file("memory.svg")));
    assertThrows(IllegalStateException.class, plain::step);
    plain.exportFlameGraph(file("flame.html"));
    assertThrows(IOException.class, () -> plain.exportFlameGraph(file("no/flame.html")));
  }

  @Test
  public void stepsAreRecordedAsPlanned() {
    List<String> told = new ArrayList<>();
    Profiler profiler =
        Profiler.builder()
            .schedule(ProfilerSchedule.of(1, 1, 2, 2, 0))
            .onTraceReady(
                ready ->
                    ready.events().stream()
                        .map(EventStatistics::key)
                        .filter(key -> key.startsWith("ProfilerStep#"))
                        .forEach(told::add))
            .start();
    try (profiler) {
      for (int i = 0; i < 9; ++i) {
        step();
        profiler.step();
      }
    }
    assertEquals(
        List.of("ProfilerStep#2", "ProfilerStep#3", "ProfilerStep#6", "ProfilerStep#7"), told);
    assertEquals(9, profiler.stepNumber());
  }

  @Test
  public void schedules() {
    ProfilerSchedule plan = ProfilerSchedule.of(1, 1, 2, 1, 2);
    List<ProfilerAction> actions = new ArrayList<>();
    for (int i = 0; i < 7; ++i) {
      actions.add(plan.action(i));
    }
    assertEquals(
        List.of(
            ProfilerAction.NONE,
            ProfilerAction.NONE,
            ProfilerAction.NONE,
            ProfilerAction.WARMUP,
            ProfilerAction.RECORD,
            ProfilerAction.RECORD_AND_SAVE,
            ProfilerAction.NONE),
        actions);
    assertThrows(IllegalArgumentException.class, () -> ProfilerSchedule.of(1, 1, 0));
    assertThrows(IllegalArgumentException.class, () -> plan.action(-1));
  }

  @Test
  public void oneProfileAtATime() {
    Profiler outer = Profiler.start();
    RuntimeException refused = assertThrows(RuntimeException.class, Profiler::start);
    assertTrue(refused.getMessage(), refused.getMessage().contains("Profiler is already enabled"));
    outer.close();
    Profiler.start().close();
  }

  @Test
  public void otherThreadsAreNotProfiledAndMayEndIt() throws InterruptedException {
    Profiler profiler = Profiler.start();
    AtomicReference<Throwable> failed = new AtomicReference<>();
    Thread other =
        new Thread(
            () -> {
              try (MemoryScope scope = new MemoryScope();
                  RecordFunction named = new RecordFunction("elsewhere")) {
                ones(2).mul(new Scalar(2));
              }
              profiler.close();
            });
    other.setUncaughtExceptionHandler((thread, error) -> failed.set(error));
    ones(2).add(new Scalar(1));
    other.start();
    other.join();
    assertNull(failed.get());
    Set<String> names =
        profiler.events().stream().map(EventStatistics::key).collect(Collectors.toSet());
    assertTrue(names.toString(), names.contains("aten::add"));
    assertFalse(names.toString(), names.contains("elsewhere") || names.contains("aten::mul"));
    Profiler.start().close();
  }

  @Test
  public void blocksNeedANameAndEndOnce() {
    assertThrows(IllegalArgumentException.class, () -> new RecordFunction(null));
    Profiler profiler = Profiler.start();
    try (profiler) {
      RecordFunction named = new RecordFunction("grün 𝄞");
      named.close();
      named.close();
    }
    assertEquals(1, profiler.events().size());
    assertEquals("grün 𝄞", profiler.events().get(0).key());
  }
}
