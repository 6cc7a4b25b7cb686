package org.onetape.internal;

import java.util.List;
import java.util.stream.Collectors;

/** What the profiler asks of native code, and native code of it. */
public final class Profiling {
  /** How many numbers {@link #events} tells of each event. */
  public static final int NUMBERS = 13;

  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
  private static final String PROFILER = home() + "profiler.";

  private static volatile Recorder recorder;

  private Profiling() {}

  static {
    Engine.load();
  }

  /** Sees spans as they begin and end. */
  public interface Recorder {
    /** A span begins: 0 for an operator, 1 for a run of a node, 7 for one of the program. */
    void begin(int kind, String name);

    /** The one that began last in this thread ends. */
    void end();
  }

  /** Begins to profile the calling thread; the recorder sees its spans, unless it is null. */
  public static void start(boolean shapes, boolean memory, boolean stacks, Recorder seen) {
    start(shapes, memory, stacks, seen != null);
    recorder = seen;
  }

  private static native void start(
      boolean shapes, boolean memory, boolean stacks, boolean isRecorded);

  /** Ends that; returns the number of what was seen. */
  public static native long stop();

  /** Frees what was seen. */
  public static native void forget(long profile);

  /** Begins a span of the program; 0 where the thread is not profiled. */
  public static native long open(String name);

  /** Ends it. */
  public static native void close(long span);

  /**
   * The events, each as {@link #NUMBERS} numbers: its name, kind, thread, parent, begin, end and
   * own time in nanoseconds, memory in all and of its own, the number of its node, the event that
   * recorded that, calls, shapes.
   *
   * @param numbers where they come to
   * @return the texts that names, calls and shapes are numbers of
   */
  public static native String[] events(long profile, long[][] numbers);

  /**
   * The events of these numbers by their names.
   *
   * @return six numbers a group: one of its events, their count, their time and own time in
   *     nanoseconds, memory in all and of their own
   */
  public static native long[] averages(long profile, long[] events, boolean byShapes, int byCalls);

  /** A profile as trace, stacks, flame, memory or numbers. */
  public static native String told(long profile, String form, String argument);

  /** Rows as PyTorch prints them. */
  public static native String table(
      String[] texts,
      long[] numbers,
      int[] limits,
      String header,
      boolean memory,
      boolean topLevelOnly,
      String unit);

  private static String home() {
    String name = Profiling.class.getPackageName();
    return name.substring(0, name.length() - "internal".length());
  }

  // ---- called from native code ----

  static void begin(int kind, String name) {
    Recorder seen = recorder;
    if (seen != null) {
      seen.begin(kind, name);
    }
  }

  static void end() {
    Recorder seen = recorder;
    if (seen != null) {
      seen.end();
    }
  }

  /**
   * The calls that this thread is in, innermost first, a line each; before them a line that says
   * whether the innermost has called Python.
   */
  static String calls() {
    List<StackWalker.StackFrame> frames = WALKER.walk(all -> all.collect(Collectors.toList()));
    StringBuilder text = new StringBuilder();
    boolean isFirst = true;
    boolean hasCalledPython = false;
    for (StackWalker.StackFrame frame : frames) {
      String type = frame.getClassName();
      if (frame.getDeclaringClass() == Profiling.class) {
        continue;
      }
      if (type.startsWith("org.jpype.")) {
        hasCalledPython |= isFirst && type.contains("Proxy");
        isFirst = false;
        continue;
      }
      isFirst = false;
      if (!isMachinery(type)) {
        text.append('\n').append(text(frame));
      }
    }
    return (hasCalledPython ? "1" : "0") + text;
  }

  /** What stands between a program and an operator, and is neither. */
  private static boolean isMachinery(String type) {
    return type.startsWith(Profiling.class.getPackageName() + ".")
        || type.equals(PROFILER + "Profiler")
        || type.equals(PROFILER + "RecordFunction")
        || type.startsWith("java.lang.reflect.")
        || type.startsWith("jdk.internal.");
  }

  private static String text(StackWalker.StackFrame frame) {
    String type = frame.getClassName();
    return frame.getFileName()
        + "("
        + frame.getLineNumber()
        + "): "
        + type.substring(type.lastIndexOf('.') + 1)
        + "."
        + frame.getMethodName();
  }
}
