package org.onetape.jit;

import java.util.ArrayList;
import java.util.List;
import org.onetape.Tensor;
import org.onetape.TorchException;

/**
 * A function that runs from tapes: one for each form of its inputs.
 *
 * <pre>{@code
 * Traced f = new Traced(in -> new Tensor[] {model.forward(in[0])}, Traced.OnChange.RECORD);
 * Tensor y = f.apply(x)[0];
 * }</pre>
 */
public final class Traced implements Tape.Programs, AutoCloseable {
  /** What a call does whose inputs have another form than the recorded ones. */
  public enum OnChange {
    /** It ends with an exception that says how they differ. */
    ERROR,
    /** It is recorded, too. */
    RECORD
  }

  private final Tape.Programs program;
  private final OnChange onChange;
  private final boolean reorderSums;
  private final List<Tape> tapes = new ArrayList<>();

  /** A function that is recorded when it is first called. */
  public Traced(Tape.Programs program, OnChange onChange) {
    this(program, onChange, false);
  }

  /** The same; {@code reorderSums}: runs may add numbers in another order than the function. */
  public Traced(Tape.Programs program, OnChange onChange, boolean reorderSums) {
    this.program = program;
    this.onChange = onChange;
    this.reorderSums = reorderSums;
  }

  @Override
  public Tensor[] apply(Tensor... inputs) {
    Tape tape = tapeFor(inputs);
    if (tape != null) {
      return tape.runAll(inputs);
    }
    Tensor[][] results = new Tensor[1][];
    Tape made =
        Tape.recordAll(
            given -> {
              results[0] = program.apply(given);
              return results[0];
            },
            inputs);
    synchronized (tapes) {
      tapes.add(reorderSums ? reordered(made) : made);
    }
    return results[0];
  }

  /** What takes the place of a tape where sums may be reordered. */
  static Tape reordered(Tape made) {
    try (Tape exact = made) {
      return exact.reordered();
    }
  }

  /** The tape that fits; null if the call is to be recorded. */
  private Tape tapeFor(Tensor... inputs) {
    synchronized (tapes) {
      String why = null;
      for (Tape tape : tapes) {
        why = tape.mismatch(inputs);
        if (why == null) {
          return tape;
        }
      }
      if (why != null && onChange == OnChange.ERROR) {
        throw new TorchException("Tape: " + why);
      }
      return null;
    }
  }

  /** The tapes made so far. */
  public List<Tape> tapes() {
    synchronized (tapes) {
      return List.copyOf(tapes);
    }
  }

  @Override
  public void close() {
    synchronized (tapes) {
      tapes.forEach(Tape::close);
    }
  }
}
