package org.onetape;

import org.onetape.internal.Recording;
import org.onetape.nn.Module;

/**
 * While it is open, every node that is recorded, on any thread, notes the line that called it, the
 * module whose {@code forward} ran, and the shapes of its results; {@link Graph} shows them.
 *
 * <pre>{@code
 * try (GraphRecording recording = Graph.record(net)) {
 *   Graph.of(lossOf(net), net.named_parameters()).save("step.html");
 * }
 * }</pre>
 *
 * <p>The modules of the library are recognised exactly. A module of a program's own is recognised
 * where it is the only one of its class; where there are more, each says itself that it is called:
 *
 * <pre>{@code
 * public Tensor forward(Tensor x) {
 *   try (GraphRecording.Call call = entered()) {
 *     return second.forward(first.forward(x).relu());
 *   }
 * }
 * }</pre>
 *
 * <p>Recording makes each node dearer by some microseconds; what is not recorded costs nothing.
 */
public final class GraphRecording extends Guard {
  GraphRecording(Module... modules) {
    Recording.start(modules);
    begin();
  }

  @Override
  void restore() {
    Recording.stop();
  }

  /** The call of a module, which ends with {@link #close()}. */
  @FunctionalInterface
  public interface Call extends AutoCloseable {
    @Override
    void close();
  }
}
