package org.onetape.jit;

import java.lang.ref.Reference;
import java.nio.file.Path;
import org.onetape.Tensor;
import org.onetape.internal.Access;
import org.onetape.internal.Engine;
import org.onetape.internal.NativeRef;
import org.onetape.internal.RefList;

/**
 * A recorded program: the operators that a function called, which run again when it is run with
 * other tensors of the same shapes, strides and dtypes.
 *
 * <pre>{@code
 * try (Tape tape = Tape.record(x -> x.mul(x).sum(), example)) {
 *   Tensor y = tape.run(x);
 * }
 * }</pre>
 *
 * <p>Tensors that the function finds elsewhere, such as parameters, are read and written where they
 * are. A tape may be run by several threads at once.
 */
public final class Tape implements AutoCloseable {
  /** A function of one tensor that is recorded. */
  @FunctionalInterface
  public interface Program {
    /** Computes the result; called once, while it is recorded. */
    Tensor apply(Tensor input);
  }

  /** A function of any number of tensors that is recorded. */
  @FunctionalInterface
  public interface Programs {
    /** Computes the results; called once, while it is recorded. */
    Tensor[] apply(Tensor... inputs);
  }

  private final long handle;
  private final NativeRef ref;

  private Tape(long handle) {
    this.handle = handle;
    this.ref = RefList.unscoped().own(this, handle);
  }

  /**
   * The tape of {@code program.apply(example)}.
   *
   * @throws org.onetape.TorchException if the program looks at elements, with {@code item()} or
   *     {@code nonzero()}, say
   */
  public static Tape record(Program program, Tensor example) {
    return recordAll(inputs -> new Tensor[] {program.apply(inputs[0])}, example);
  }

  /**
   * The tape of {@code program.apply(examples)}.
   *
   * @throws org.onetape.TorchException if the program looks at elements, with {@code item()} or
   *     {@code nonzero()}, say
   */
  public static Tape recordAll(Programs program, Tensor... examples) {
    return record(program, false, examples);
  }

  /** The same; {@code clears}: a run begins as if no parameter had a gradient. */
  static Tape record(Programs program, boolean clears, Tensor... examples) {
    Engine.beginTape(examples);
    try {
      Tensor[] outputs = program.apply(examples);
      if (outputs == null) {
        throw new NullPointerException("a recorded program must return its results");
      }
      return new Tape(Engine.finishTape(outputs, clears));
    } finally {
      Engine.abandonTape(); // which does nothing to one that is finished
    }
  }

  /** The result of the program for this input. */
  public Tensor run(Tensor input) {
    long result = Engine.runTape(handle, (Object) input);
    Reference.reachabilityFence(this);
    return Access.tensor(result);
  }

  /** The results of the program for these inputs. */
  public Tensor[] runAll(Tensor... inputs) {
    long[] results = Engine.runTape(handle, (Object[]) inputs);
    Reference.reachabilityFence(this);
    return Access.tensors(results);
  }

  /** The result of a training step, with the numbers of the optimizer's groups as they are now. */
  Tensor step(Tensor[] batch, double[][] numbers) {
    long result = Engine.stepTape(handle, batch, numbers);
    Reference.reachabilityFence(this);
    return Access.tensor(result);
  }

  /** Why the tape cannot run on these inputs now; null if it can. */
  public String mismatch(Tensor... inputs) {
    String why = Engine.tapeMismatch(handle, inputs);
    Reference.reachabilityFence(this);
    return why;
  }

  /**
   * A tape of the same program whose runs may add numbers in another order than the recorded
   * function: sums of what they have just computed need no memory for it then, however long.
   */
  public Tape reordered() {
    Tape made = new Tape(Engine.reorderedTape(handle));
    Reference.reachabilityFence(this);
    return made;
  }

  /** The program, an instruction a line. */
  @Override
  public String toString() {
    String text = Engine.tapeText(handle);
    Reference.reachabilityFence(this);
    return text;
  }

  /** Writes the tape to a file, with its tensors; Python and C can load it, too. */
  public void save(Path file) {
    Engine.saveTape(handle, file.toString());
    Reference.reachabilityFence(this);
  }

  /**
   * The tape of a file.
   *
   * @throws IllegalArgumentException if the file is no tape, or damaged
   * @throws org.onetape.TorchException if it cannot be read
   */
  public static Tape load(Path file) {
    return new Tape(Engine.loadTape(file.toString()));
  }

  /** The tensors that were there before the recording and that the tape uses. */
  public Tensor[] captured() {
    long[] tensors = Engine.tapeCaptured(handle);
    Reference.reachabilityFence(this);
    return Access.tensors(tensors);
  }

  /** Frees the tape; a run that goes on in another thread ends first. */
  @Override
  public void close() {
    ref.close();
  }
}
