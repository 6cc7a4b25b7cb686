package org.onetape.jit;

import java.util.ArrayList;
import java.util.List;
import org.onetape.AutoGradMode;
import org.onetape.Tensor;
import org.onetape.optim.Optimizer;

/**
 * A training step as one tape: forward pass, backward pass and optimizer step.
 *
 * <pre>{@code
 * CompiledStep step =
 *     new CompiledStep(in -> loss.forward(model.forward(in[0]), in[1]), optimizer);
 * double value = step.run(images, labels).item_double();
 * }</pre>
 *
 * <p>A step clears the gradients first, and gives what {@code zero_grad()}, the loss, {@code
 * backward()} and {@code optimizer.step()} give, bit for bit. The numbers of the optimizer's groups
 * are read in every step. The first step of all runs as ever, since the optimizer makes its state
 * in it; the first one with inputs of a new form is recorded, too.
 */
public final class CompiledStep implements AutoCloseable {
  /** A loss of a batch. */
  @FunctionalInterface
  public interface Loss {
    /** Computes the loss; called while it is recorded. */
    Tensor apply(Tensor... batch);
  }

  private final Loss loss;
  private final Optimizer optimizer;
  private final boolean reorderSums;
  private final List<Tape> tapes = new ArrayList<>();
  private int groups;
  private boolean began;

  /**
   * A step that is not recorded yet.
   *
   * @throws IllegalArgumentException for an optimizer without a native step, such as LBFGS
   */
  public CompiledStep(Loss loss, Optimizer optimizer) {
    this(loss, optimizer, false);
  }

  /**
   * The same; {@code reorderSums}: it may add numbers in another order than the operators do.
   *
   * @throws IllegalArgumentException for an optimizer without a native step, such as LBFGS
   */
  public CompiledStep(Loss loss, Optimizer optimizer, boolean reorderSums) {
    if (optimizer.numbers() == null) {
      throw new IllegalArgumentException(
          "CompiledStep takes an optimizer with a native step, not "
              + optimizer.getClass().getSimpleName());
    }
    this.loss = loss;
    this.optimizer = optimizer;
    this.reorderSums = reorderSums;
  }

  /** One step; returns the loss, which needs no gradient. */
  public synchronized Tensor run(Tensor... batch) {
    try (AutoGradMode mode = new AutoGradMode(true)) {
      double[][] numbers = optimizer.numbers();
      if (numbers.length != groups) { // the tapes know the groups that there were
        tapes.forEach(Tape::close);
        tapes.clear();
        groups = numbers.length;
        began = false;
      }
      for (Tape tape : tapes) {
        if (tape.mismatch(batch) == null) {
          Tensor value = tape.step(batch, numbers);
          optimizer.noteStep();
          return value;
        }
      }
      optimizer.zero_grad();
      if (!began) {
        began = true;
        return stepOf(batch);
      }
      Tensor[] result = new Tensor[1];
      Tape made =
          Tape.record(
              given -> {
                result[0] = stepOf(given);
                return result;
              },
              true,
              batch);
      tapes.add(reorderSums ? Traced.reordered(made) : made);
      return result[0];
    }
  }

  private Tensor stepOf(Tensor... batch) {
    Tensor value = loss.apply(batch);
    value.backward();
    optimizer.step();
    return value.detach();
  }

  /** The tapes made so far, one for each form of batches. */
  public synchronized List<Tape> tapes() {
    return List.copyOf(tapes);
  }

  @Override
  public synchronized void close() {
    tapes.forEach(Tape::close);
  }
}
