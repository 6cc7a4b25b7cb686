package org.onetape.profiler;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;
import org.onetape.internal.Profiling;

/**
 * Profiles the operators that this thread runs, forward and backward, until it is closed or by a
 * schedule.
 *
 * <pre>{@code
 * Profiler profiler = Profiler.builder().recordShapes(true).profileMemory(true).start();
 * try (profiler) {
 *   step();
 * }
 * System.out.println(profiler.keyAverages().table("self_cpu_time_total", 10));
 * profiler.exportChromeTrace(Path.of("trace.json"));
 * }</pre>
 *
 * <p>While the JDK's Flight Recorder records events named {@code org.onetape.Operator}, spans are
 * such events, too, so that JDK Mission Control shows operators beside the collector's pauses.
 * Where it does not when the profiler starts, that costs nothing.
 */
public final class Profiler implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final int AVERAGE_NUMBERS = 6;

  private final Builder options;
  private final Map<String, String> metadata = new LinkedHashMap<>();
  private ProfilerAction action;
  private RecordFunction stepBlock;
  private long step;
  private boolean closed;
  private Recorded recorded;
  private EventList<FunctionEvent> events;

  /** What was seen, freed with this object. */
  private static final class Recorded {
    final long number;

    Recorded(long number) {
      this.number = number;
      CLEANER.register(this, () -> Profiling.forget(number));
    }
  }

  /** What a profiler notes, and when. */
  public static final class Builder {
    private boolean shapes;
    private boolean memory;
    private boolean stacks;
    private boolean flightRecorder = true;
    private ProfilerSchedule schedule;
    private Consumer<Profiler> ready = profiler -> {};

    private Builder() {}

    /** Notes the shapes of what operators are given. */
    public Builder recordShapes(boolean wanted) {
      shapes = wanted;
      return this;
    }

    /** Notes the memory of elements that is taken and given back. */
    public Builder profileMemory(boolean wanted) {
      memory = wanted;
      return this;
    }

    /** Notes the calls that each operator was called in, Java's and Python's. */
    public Builder withStack(boolean wanted) {
      stacks = wanted;
      return this;
    }

    /** Says at each {@link Profiler#step()} what to do; without one, all is recorded. */
    public Builder schedule(ProfilerSchedule wanted) {
      schedule = wanted;
      return this;
    }

    /** Called with the profiler whenever a profile is complete. */
    public Builder onTraceReady(Consumer<Profiler> wanted) {
      ready = wanted;
      return this;
    }

    /**
     * Whether spans are events of the Flight Recorder where it records them; they are by default.
     */
    public Builder flightRecorder(boolean wanted) {
      flightRecorder = wanted;
      return this;
    }

    /**
     * Begins to profile.
     *
     * @throws RuntimeException if another profile is being recorded
     */
    public Profiler start() {
      return new Profiler(this);
    }
  }

  private Profiler(Builder options) {
    this.options = options;
    action = actionAt(0);
    go(ProfilerAction.NONE, action);
    beginStep();
  }

  /** A profiler that is still to be told what it does. */
  public static Builder builder() {
    return new Builder();
  }

  /** Begins to profile times alone. */
  public static Profiler start() {
    return builder().start();
  }

  // ---- what happens when ----

  private ProfilerAction actionAt(long number) {
    return options.schedule == null ? ProfilerAction.RECORD : options.schedule.action(number);
  }

  /** The next step of the training begins. */
  public void step() {
    if (closed) {
      throw new IllegalStateException("the profiler was closed");
    }
    endStep();
    ProfilerAction before = action;
    action = actionAt(++step);
    go(before, action);
    beginStep();
  }

  /** The number of the step, from 0. */
  public long stepNumber() {
    return step;
  }

  /** Ends the profile; closing again does nothing. What was recorded can be asked for. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    endStep();
    if (action != ProfilerAction.NONE) {
      end();
    }
    if (action == ProfilerAction.RECORD || action == ProfilerAction.RECORD_AND_SAVE) {
      options.ready.accept(this);
    }
  }

  private void beginStep() {
    if (options.schedule != null && action != ProfilerAction.NONE) {
      stepBlock = new RecordFunction("ProfilerStep#" + step);
    }
  }

  private void endStep() {
    if (stepBlock != null) {
      stepBlock.close();
      stepBlock = null;
    }
  }

  private void go(ProfilerAction from, ProfilerAction now) {
    ProfilerAction before = from;
    boolean isWarm = before == ProfilerAction.WARMUP && now != ProfilerAction.WARMUP;
    boolean isCut =
        before == ProfilerAction.RECORD
            && (now == ProfilerAction.NONE || now == ProfilerAction.WARMUP);
    if (before == ProfilerAction.RECORD_AND_SAVE || isWarm || isCut) {
      end();
      if (before == ProfilerAction.RECORD_AND_SAVE) {
        options.ready.accept(this);
      }
      before = ProfilerAction.NONE;
    }
    if (before == ProfilerAction.NONE && now != ProfilerAction.NONE) {
      Profiling.start(options.shapes, options.memory, options.stacks, recorder());
    }
  }

  private void end() {
    recorded = new Recorded(Profiling.stop());
    events = null;
  }

  private Profiling.Recorder recorder() {
    boolean canRecord = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
    return options.flightRecorder && canRecord ? FlightRecording.ifWanted() : null;
  }

  // ---- what was recorded ----

  private long number() {
    if (recorded == null) {
      throw new IllegalStateException("Profiler didn't finish running");
    }
    return recorded.number;
  }

  /** The events of the last complete profile, in the order in which they began. */
  public synchronized EventList<FunctionEvent> events() {
    if (events == null) {
      long[][] numbers = new long[1][];
      String[] texts = Profiling.events(number(), numbers);
      List<FunctionEvent> all = new ArrayList<>();
      for (int i = 0; i < numbers[0].length; i += Profiling.NUMBERS) {
        all.add(new FunctionEvent(Arrays.copyOfRange(numbers[0], i, i + Profiling.NUMBERS), texts));
      }
      for (FunctionEvent event : all) {
        event.link(all);
      }
      events = new EventList<>(all, options.memory);
    }
    return events;
  }

  /** What the events come to by name. */
  public EventList<FunctionEventAvg> keyAverages() {
    return keyAverages(false, 0);
  }

  /**
   * What the events come to by name and more.
   *
   * @param byInputShape the shapes of inputs, too
   * @param byStack as many of the innermost calls, too
   */
  public EventList<FunctionEventAvg> keyAverages(boolean byInputShape, int byStack) {
    EventList<FunctionEvent> all = events();
    long[] chosen = new long[all.size()];
    Arrays.setAll(chosen, i -> i);
    int calls = Math.max(byStack, 0);
    long[] numbers = Profiling.averages(number(), chosen, byInputShape, calls);
    List<FunctionEventAvg> groups = new ArrayList<>();
    for (int i = 0; i < numbers.length; i += AVERAGE_NUMBERS) {
      FunctionEvent example = all.get((int) numbers[i]);
      long[] own = Arrays.copyOfRange(numbers, i, i + AVERAGE_NUMBERS);
      groups.add(new FunctionEventAvg(example, own, byInputShape, calls));
    }
    return new EventList<>(groups, options.memory);
  }

  /** Adds a text to the traces. */
  public void addMetadata(String key, String value) {
    metadata.put(key, value);
  }

  /**
   * Writes a trace for Perfetto and chrome://tracing, compressed if the name ends with {@code .gz}.
   *
   * @throws IOException if the file cannot be written
   */
  public void exportChromeTrace(Path file) throws IOException {
    StringBuilder more = new StringBuilder();
    metadata.forEach(
        (key, value) -> more.append(json(key)).append(": ").append(json(value)).append(",\n"));
    write(file, Profiling.told(number(), "trace", more.toString()));
  }

  /**
   * Writes a line for each event that knows its calls, with its own microseconds, for programs that
   * draw flame graphs.
   *
   * @throws IllegalStateException if calls were not noted
   * @throws IOException if the file cannot be written
   */
  public void exportStacks(Path file) throws IOException {
    if (!options.stacks) {
      throw new IllegalStateException("exportStacks() requires withStack(true)");
    }
    write(file, Profiling.told(number(), "stacks", ""));
  }

  /**
   * Writes a page that shows where the time went, and needs nothing else.
   *
   * @throws IOException if the file cannot be written
   */
  public void exportFlameGraph(Path file) throws IOException {
    write(file, Profiling.told(number(), "flame", "Flame graph"));
  }

  /**
   * Writes how much memory elements took over time: .svg, .html, .json or .json.gz by the name's
   * end.
   *
   * @throws IllegalStateException if memory was not noted
   * @throws IllegalArgumentException if the name ends otherwise
   * @throws IOException if the file cannot be written
   */
  public void exportMemoryTimeline(Path file) throws IOException {
    if (!options.memory) {
      throw new IllegalStateException("exportMemoryTimeline() requires profileMemory(true)");
    }
    String name = file.toString();
    String title = "Memory of elements";
    if (name.endsWith(".svg")) {
      write(file, Profiling.told(number(), "memory", title));
    } else if (name.endsWith(".html")) {
      String picture = Profiling.told(number(), "memory", title);
      write(file, "<!DOCTYPE html>\n<meta charset=utf-8>\n" + picture);
    } else if (name.endsWith(".json") || name.endsWith(".json.gz")) {
      write(file, Profiling.told(number(), "numbers", ""));
    } else {
      throw new IllegalArgumentException(
          "a memory timeline is saved as .svg, .html, .json or .json.gz, not as '" + name + "'");
    }
  }

  private static void write(Path file, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (!file.toString().endsWith(".gz")) {
      Files.write(file, bytes);
      return;
    }
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(bytes);
    }
  }

  private static String json(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
