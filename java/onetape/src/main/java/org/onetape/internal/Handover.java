package org.onetape.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.onetape.Tensor;

/**
 * Passes tensors and exceptions to another language in the same process, and takes them from it.
 *
 * <p>They lie in a place of the calling thread: one side puts them there and makes a call, the
 * other takes them. So no native address is ever a number in a program.
 */
public final class Handover {
  private Handover() {}

  static {
    Engine.load();
  }

  /** Leaves tensors, which may be null or undefined, for the other side. */
  public static native void put(Object... tensors);

  private static native long[] takeHandles();

  /** Takes what the other side has left in this thread. */
  public static Tensor[] take() {
    return Access.tensors(takeHandles());
  }

  private static final ThreadLocal<Throwable> ERROR = new ThreadLocal<>();

  /** Leaves an exception for the other side. */
  public static void leave(Throwable error) {
    ERROR.set(error);
  }

  /** Takes the exception that was left in this thread; null if there is none. */
  static Throwable taken() {
    Throwable error = ERROR.get();
    ERROR.remove();
    return error;
  }

  /** Throws the exception that was left in this thread. */
  @SuppressWarnings("unchecked")
  public static <E extends Throwable> void rethrow() throws E {
    Throwable error = taken();
    if (error != null) {
      throw (E) error;
    }
  }

  /**
   * What the other side's exception is in Java.
   *
   * @param raising raises it
   * @param message what getMessage() tells
   * @param frames where it was raised, innermost first; they come before the Java frames
   */
  public static Throwable caught(Callable<?> raising, String message, StackTraceElement[] frames) {
    try {
      raising.call();
      return null;
    } catch (Throwable thrown) { // whatever it is, it is only described here
      setMessage(thrown, message);
      thrown.setStackTrace(joined(frames, thrown.getStackTrace()));
      return thrown;
    }
  }

  /** The frames of the other language, then those of Java without what lies between the two. */
  private static StackTraceElement[] joined(StackTraceElement[] foreign, StackTraceElement[] own) {
    int first = 0;
    for (int i = 0; i < own.length; i++) {
      if (own[i].getClassName().equals(Handover.class.getName())) {
        first = i + 1;
      }
    }
    List<StackTraceElement> all = new ArrayList<>(List.of(foreign));
    for (int i = first; i < own.length; i++) {
      all.add(own[i]);
    }
    return all.toArray(StackTraceElement[]::new);
  }

  private static native void setMessage(Throwable error, String message);
}
