package org.onetape;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.onetape.internal.Engine;
import org.onetape.internal.Upcalls;

/**
 * An operation with a gradient of its own, written in Java.
 *
 * <p>In the simple form one tensor goes in and one comes out:
 *
 * <pre>{@code
 * class Cube extends Function {
 *   public Tensor forward(Tensor x) {
 *     return x.pow(3);
 *   }
 *
 *   public Tensor backward(Tensor gradOutput) {
 *     return gradOutput.mul(input.pow(2)).mul(3);
 *   }
 * }
 *
 * Tensor y = new Cube().apply(x);
 * }</pre>
 *
 * <p>There, {@link #input} is what {@code forward} was given in the call that is being
 * differentiated, however often the object is applied. A function with several inputs or results,
 * or with arguments that are not tensors, overrides {@link #forward(Context, Object...)} and {@link
 * #backward(Context, Tensor...)}, and keeps what it needs in the context.
 *
 * <p>What happens in {@code forward} is not recorded. What happens in {@code backward} is, where
 * the backward pass itself is to be differentiated, so that a backward part made of operators has a
 * gradient, too. An exception comes out of the method that was called, as the same object.
 *
 * <p>Calls of one object exclude each other; those of several objects do not.
 */
public abstract class Function {
  /** In the simple form: the tensor that went into the call that is being run. */
  protected Tensor input;

  private Tensor[] inputs = {};

  /** For subclasses. */
  protected Function() {}

  /** The tensors that went into the call that is being run; in backward, of the simple form. */
  protected final Tensor[] inputs() {
    return inputs.clone();
  }

  /** The simple form: computes the result. */
  public Tensor forward(Tensor input) {
    throw new UnsupportedOperationException(
        getClass().getName()
            + " overrides neither forward(Tensor) nor forward(Context, Object...)");
  }

  /**
   * The simple form: computes the gradient of the input.
   *
   * @param gradOutput the gradient of the result
   * @return the gradient, or null for none
   */
  public Tensor backward(Tensor gradOutput) {
    throw new UnsupportedOperationException(
        getClass().getName()
            + " overrides neither backward(Tensor) nor backward(Context, Tensor...)");
  }

  /**
   * Computes the results.
   *
   * @param ctx belongs to this call, and comes back in its backward part
   * @param args what {@code apply} was given: tensors and anything else
   */
  public Tensor[] forward(Context ctx, Object... args) {
    if (args.length != 1 || !(args[0] instanceof Tensor)) {
      throw new IllegalArgumentException(
          getClass().getName()
              + " takes one tensor; override forward(Context, Object...) for more");
    }
    ctx.keepInputs = true;
    return new Tensor[] {forward((Tensor) args[0])};
  }

  /**
   * Computes the gradients of the arguments.
   *
   * @param ctx what forward was given in this call
   * @param gradOutputs the gradients of the results
   * @return one gradient an argument, null for none and for what is not a tensor
   */
  public Tensor[] backward(Context ctx, Tensor... gradOutputs) {
    return new Tensor[] {backward(gradOutputs[0])};
  }

  /**
   * The simple form, for {@link ForwardAD forward mode}: computes the tangent of the result.
   *
   * @param tangent the tangent of the input
   */
  public Tensor jvp(Tensor tangent) {
    throw new UnsupportedOperationException(
        "You must implement the jvp function for custom autograd.Function to use it with forward"
            + " mode AD.");
  }

  /**
   * For {@link ForwardAD forward mode}: computes the tangents of the results.
   *
   * @param ctx what forward was given in this call
   * @param tangents one an argument, zeros for a tensor without a tangent, null for what is not a
   *     tensor; that of an argument that was changed in place is to be changed in place, too
   * @return one tangent a result, null for none
   */
  public Tensor[] jvp(Context ctx, Tensor... tangents) {
    return new Tensor[] {jvp(tangents[0])};
  }

  /** Applies the function, and records it where the input requires a gradient. */
  public final Tensor apply(Tensor input) {
    return apply((Object) input);
  }

  /** Applies the function, and records it where a tensor requires a gradient; the first result. */
  public final Tensor apply(Object... args) {
    return applyAll(args)[0];
  }

  /** Applies the function, and records it where a tensor requires a gradient. */
  public final Tensor[] applyAll(Object... args) {
    Context ctx = new Context(args);
    FunctionTangents tangents = FunctionTangents.of(ctx.tensors);
    if (tangents == null) {
      return applyTo(ctx, args);
    }
    boolean enabled = Engine.forwardEnabled();
    Engine.setForwardEnabled(false);
    try {
      Tensor[] inputs = ctx.tensors;
      Tensor[] results = applyTo(ctx, args);
      Tensor[] along = tangents.arguments(ctx.isTensor, inputs, ctx.materialize);
      tangents.give(inputs, results, runJvp(ctx, inputs, along), ctx.lastMarks);
      return results;
    } finally {
      Engine.setForwardEnabled(enabled);
    }
  }

  private Tensor[] applyTo(Context ctx, Object[] args) {
    Tensor[] outputs = runForward(ctx, args);
    if (outputs == null || outputs.length == 0) {
      throw new IllegalArgumentException(getClass().getName() + ": forward gave no result");
    }
    if (ctx.keepInputs) {
      ctx.toSave = ctx.tensors;
    }
    long[] handles =
        Engine.applyFunction(
            new Call(this, ctx),
            getClass().getSimpleName() + "Backward",
            ctx.tensors,
            outputs,
            ctx.toSave,
            ctx.lastMarks = ctx.marks(outputs),
            ctx.materialize);
    Tensor[] results = outputs.clone();
    for (int i = 0; i < handles.length; i++) {
      if (handles[i] != 0) {
        results[i] = new Tensor(handles[i]);
      }
    }
    ctx.forget();
    return results;
  }

  private synchronized Tensor[] runForward(Context ctx, Object[] args) {
    Tensor[] before = inputs;
    enter(ctx.tensors);
    boolean recording = Engine.gradEnabled();
    Engine.setGradEnabled(false);
    try {
      return forward(ctx, args);
    } finally {
      Engine.setGradEnabled(recording);
      enter(before);
    }
  }

  private synchronized Tensor[] runBackward(Context ctx, Tensor[] gradOutputs) {
    Tensor[] before = inputs;
    enter(ctx.keepInputs ? ctx.saved : new Tensor[0]);
    try {
      return backward(ctx, gradOutputs);
    } finally {
      enter(before);
    }
  }

  private synchronized Tensor[] runJvp(Context ctx, Tensor[] arguments, Tensor[] tangents) {
    Tensor[] before = inputs;
    enter(arguments);
    ctx.saved = ctx.forForward;
    try {
      return jvp(ctx, tangents);
    } finally {
      ctx.saved = ctx.forForward = new Tensor[0];
      enter(before);
    }
  }

  private void enter(Tensor[] tensors) {
    inputs = tensors;
    input = tensors.length > 0 ? tensors[0] : null;
  }

  /** What native code keeps of a call. */
  private static final class Call implements Upcalls.Call {
    private final Function function;
    private final Context ctx;

    Call(Function function, Context ctx) {
      this.function = function;
      this.ctx = ctx;
    }

    @Override
    public long[] backward(long[] gradients, long[] saved, boolean[] needed) {
      Tensor[] gradOutputs = new Tensor[gradients.length];
      for (int i = 0; i < gradients.length; i++) {
        gradOutputs[i] = gradients[i] == 0 ? null : new Tensor(gradients[i]);
      }
      synchronized (function) {
        ctx.saved = new Tensor[saved.length];
        for (int i = 0; i < saved.length; i++) {
          ctx.saved[i] = new Tensor(saved[i]);
        }
        ctx.needed = needed;
        try {
          return ctx.handles(function, function.runBackward(ctx, gradOutputs));
        } finally {
          ctx.saved = new Tensor[0];
        }
      }
    }
  }

  /** What belongs to one call of a function, from forward to backward. */
  public static final class Context {
    private final boolean[] isTensor;
    private Tensor[] tensors;
    private Tensor[] toSave = {};
    private Tensor[] saved = {};
    private Tensor[] forForward = {};
    private int[] lastMarks = {};
    private Tensor[] dirty = {};
    private Tensor[] nonDifferentiable = {};
    private boolean[] needed;
    private boolean materialize = true;
    private boolean keepInputs;
    private final Map<String, Object> values = new HashMap<>();

    private Context(Object[] args) {
      isTensor = new boolean[args.length];
      List<Tensor> found = new ArrayList<>();
      for (int i = 0; i < args.length; i++) {
        isTensor[i] = args[i] instanceof Tensor;
        if (isTensor[i]) {
          found.add((Tensor) args[i]);
        }
      }
      tensors = found.toArray(new Tensor[0]);
      needed = new boolean[tensors.length];
      for (int i = 0; i < needed.length; i++) {
        needed[i] = tensors[i].defined() && tensors[i].requires_grad();
      }
    }

    private void forget() {
      tensors = toSave = dirty = nonDifferentiable = new Tensor[0];
    }

    /** Keeps tensors that went in or came out for {@link #savedTensors()} in backward. */
    public void saveForBackward(Tensor... kept) {
      toSave = kept.clone();
    }

    /** Keeps tensors that went in or came out for {@link #savedTensors()} in jvp. */
    public void saveForForward(Tensor... kept) {
      forForward = kept.clone();
    }

    /**
     * In backward and in jvp: the tensors that were kept.
     *
     * @throws TorchException if one of them was changed in place since
     */
    public Tensor[] savedTensors() {
      return saved.clone();
    }

    /** Keeps something that is not a tensor; {@link #get} gives it back. */
    public void put(String name, Object value) {
      values.put(name, value);
    }

    /** What was kept under a name, or null. */
    public Object get(String name) {
      return values.get(name);
    }

    /** Whether the i-th argument needs a gradient. */
    public boolean needsInputGrad(int i) {
      int tensor = 0;
      for (int k = 0; k < i; k++) {
        tensor += isTensor[k] ? 1 : 0;
      }
      return isTensor[i] && needed[tensor];
    }

    /** For each argument, whether it needs a gradient. */
    public boolean[] needsInputGrad() {
      boolean[] all = new boolean[isTensor.length];
      for (int i = 0; i < all.length; i++) {
        all[i] = needsInputGrad(i);
      }
      return all;
    }

    /** In forward: says which inputs are changed in place; they must be among the results. */
    public void markDirty(Tensor... changed) {
      dirty = changed.clone();
    }

    /** In forward: says which results have no gradient. */
    public void markNonDifferentiable(Tensor... results) {
      nonDifferentiable = results.clone();
    }

    /** Whether backward gets zeros (as it does unless told otherwise) or null for no gradient. */
    public void setMaterializeGrads(boolean zeros) {
      materialize = zeros;
    }

    /** For each result: 1 if it was changed in place, 2 if it has no gradient. */
    private int[] marks(Tensor[] outputs) {
      Set<Tensor> returned = Collections.newSetFromMap(new IdentityHashMap<>());
      Collections.addAll(returned, outputs);
      if (!returned.containsAll(Arrays.asList(dirty))) {
        throw new TorchException(
            "Some elements marked as dirty during the forward method were not returned as output."
                + " The inputs that are modified inplace must all be outputs of the Function.");
      }
      Map<Tensor, Integer> marked = new IdentityHashMap<>();
      Arrays.stream(dirty).forEach(t -> marked.put(t, 1));
      Arrays.stream(nonDifferentiable).forEach(t -> marked.put(t, 2));
      return Arrays.stream(outputs).mapToInt(t -> marked.getOrDefault(t, 0)).toArray();
    }

    private long[] handles(Function function, Tensor[] gradients) {
      int given = gradients == null ? 0 : gradients.length;
      int count = needed.length;
      if (given != isTensor.length && given != count) {
        throw new TorchException(
            "function "
                + function.getClass().getSimpleName()
                + "Backward returned an incorrect number of gradients (expected "
                + isTensor.length
                + ", got "
                + given
                + ")");
      }
      long[] handles = new long[count];
      int tensor = 0;
      for (int i = 0; i < given; i++) {
        if (given == count || isTensor[i]) {
          handles[tensor++] = gradients[i] == null ? 0 : gradients[i].newHandle();
        } else if (gradients[i] != null && gradients[i].defined()) {
          throw new TorchException(
              "function "
                  + function.getClass().getSimpleName()
                  + "Backward returned a gradient for argument "
                  + i
                  + ", which is not a tensor");
        }
      }
      return handles;
    }
  }
}
