package org.onetape;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.onetape.internal.Engine;
import org.onetape.internal.Upcalls;

/**
 * Trades time for memory: parts of a forward pass that keep nothing for backward but their inputs,
 * and run again in it.
 *
 * <pre>{@code
 * Tensor y = Checkpoint.checkpoint(x -> block.forward(x), x);
 * }</pre>
 */
public final class Checkpoint {
  private Checkpoint() {}

  /** A part of a forward pass. */
  @FunctionalInterface
  public interface Part {
    /** Computes the result; called again in backward with the same inputs. */
    Tensor apply(Tensor input);
  }

  /** A part of a forward pass with any number of inputs and results. */
  @FunctionalInterface
  public interface Parts {
    /** Computes the results; called again in backward with the same inputs. */
    Tensor[] apply(Tensor... inputs);
  }

  /** How a checkpoint works. */
  public static final class Options {
    private boolean reentrant;
    private boolean random = true;
    private boolean earlyStop = true;

    /**
     * Whether the part is one node, which backward goes through in a pass of its own; false unless
     * set. It then needs an input that requires a gradient.
     */
    public Options useReentrant(boolean value) {
      reentrant = value;
      return this;
    }

    /** Whether both runs see the same random numbers; true unless set. */
    public Options preserveRngState(boolean value) {
      random = value;
      return this;
    }

    /** Whether the second run ends when it has computed all that is needed; true unless set. */
    public Options earlyStop(boolean value) {
      earlyStop = value;
      return this;
    }
  }

  /** The result of the part, of which only the input is kept for backward. */
  public static Tensor checkpoint(Part part, Tensor input) {
    return checkpoint(part, input, new Options());
  }

  /** The same. */
  public static Tensor checkpoint(Part part, Tensor input, Options options) {
    return checkpoint(inputs -> new Tensor[] {part.apply(inputs[0])}, options, input)[0];
  }

  /**
   * The results of the part, of which only the inputs are kept for backward. What is not a tensor
   * the part knows itself.
   *
   * @throws TorchException in backward, if the second run saves other tensors than the first
   */
  public static Tensor[] checkpoint(Parts part, Options options, Tensor... inputs) {
    if (options.reentrant) {
      return new Reentrant(part, options.random).applyAll((Object[]) inputs);
    }
    if (!Engine.gradEnabled()) {
      return part.apply(inputs);
    }
    Rerun rerun = new Rerun(part, inputs);
    Engine.runCheckpoint(rerun, inputs, options.random, options.earlyStop);
    return rerun.takeResults();
  }

  /**
   * Parts one after the other, all but the last segment as checkpoints. With about as many segments
   * as the square root of the number of parts, memory grows as that root.
   */
  public static Tensor checkpointSequential(
      List<? extends Part> parts, int segments, Tensor input) {
    return checkpointSequential(parts, segments, input, new Options());
  }

  /** The same. */
  public static Tensor checkpointSequential(
      List<? extends Part> parts, int segments, Tensor input, Options options) {
    if (segments < 1) {
      throw new IllegalArgumentException("there must be at least one segment, not " + segments);
    }
    int length = parts.size() / segments;
    int end = 0;
    Tensor x = input;
    for (int i = 0; length > 0 && i < segments - 1; i++) {
      x = checkpoint(joined(parts, end, end + length), x, options);
      end += length;
    }
    return joined(parts, end, parts.size()).apply(x);
  }

  private static Part joined(List<? extends Part> parts, int from, int to) {
    List<Part> own = new ArrayList<>(parts.subList(from, to));
    return input -> {
      // What only this segment needs goes with it.
      try (MemoryScope scope = new MemoryScope()) {
        Tensor x = input;
        for (Part part : own) {
          x = part.apply(x);
        }
        return scope.keep(x);
      }
    };
  }

  /** What native code keeps; after the first run only the part. */
  private static final class Rerun implements Upcalls.Recomputation {
    private final Parts part;
    private Tensor[] inputs;
    private Tensor[] results;

    Rerun(Parts part, Tensor[] inputs) {
      this.part = part;
      this.inputs = inputs;
    }

    @Override
    public void run(Tensor[] again) {
      if (again == null) {
        results = part.apply(inputs);
        inputs = null;
        return;
      }
      try (MemoryScope scope = new MemoryScope()) {
        for (Tensor input : again) {
          scope.attach(input);
        }
        part.apply(again);
      }
    }

    Tensor[] takeResults() {
      Tensor[] taken = results;
      results = null;
      return taken;
    }
  }

  /** The kind that is one node. */
  private static final class Reentrant extends Function {
    private final Parts part;
    private final boolean random;

    Reentrant(Parts part, boolean random) {
      this.part = part;
      this.random = random;
    }

    @Override
    public Tensor[] forward(Context ctx, Object... args) {
      Tensor[] inputs = Arrays.copyOf(args, args.length, Tensor[].class);
      ctx.saveForBackward(inputs);
      if (random) {
        ctx.put("random", Engine.randomState(null));
      }
      return part.apply(inputs);
    }

    @Override
    public Tensor[] backward(Context ctx, Tensor... gradOutputs) {
      if (Engine.runIsSelective()) {
        throw new TorchException(
            "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or"
                + " passing an `inputs` parameter to .backward(). To resolve this error, you can"
                + " either set use_reentrant=False, or call .backward() without passing the"
                + " `inputs` argument.");
      }
      Tensor[] inputs = ctx.savedTensors();
      for (int i = 0; i < inputs.length; i++) {
        inputs[i] = inputs[i].detach().set_requires_grad(inputs[i].requires_grad());
      }
      run(inputs, (byte[]) ctx.get("random"), gradOutputs);
      Tensor[] gradients = new Tensor[inputs.length];
      for (int i = 0; i < inputs.length; i++) {
        gradients[i] = inputs[i].grad();
      }
      return gradients;
    }

    private void run(Tensor[] inputs, byte[] state, Tensor[] gradOutputs) {
      Tensor[] outputs;
      byte[] before = state == null ? null : Engine.randomState(null);
      if (state != null) {
        Engine.setRandomState(null, state);
      }
      try (EnableGradGuard guard = new EnableGradGuard()) {
        outputs = part.apply(inputs);
      } finally {
        if (before != null) {
          Engine.setRandomState(null, before);
        }
      }
      List<Tensor> roots = new ArrayList<>();
      List<Tensor> gradients = new ArrayList<>();
      for (int i = 0; i < outputs.length; i++) {
        if (outputs[i].requires_grad()) {
          roots.add(outputs[i]);
          gradients.add(gradOutputs[i]);
        }
      }
      if (roots.isEmpty()) {
        throw new TorchException(
            "none of output has requires_grad=True, this checkpoint() is not necessary");
      }
      Autograd.backward(roots.toArray(new Tensor[0]), gradients.toArray(new Tensor[0]));
    }
  }
}
