package org.onetape;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.onetape.internal.Access;
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
 * <p>One object may be applied by many threads, and inside its own calls: while one thread is in a
 * call, another thread's runs on a copy of the object, whose fields are those of the original. No
 * lock is held meanwhile. What a function notes for backward belongs into the context.
 *
 * <p>A function may reach tensors of its own graph, for example keep its last result in a field;
 * the garbage collector finds such cycles.
 */
public abstract class Function implements Cloneable {
  /** In the simple form: the tensor that went into the call that is being run. */
  protected Tensor input;

  /** All of them; null in a simple call, where {@link #input} is the one. */
  private Tensor[] inputs = {};

  /** The thread that is in a call of this object, and how many there are inside each other. */
  @SuppressWarnings("unused") // read and written by USER
  private Thread user;

  private int calls;

  private static final VarHandle USER = userHandle();

  private final FunctionKind kind = FunctionKind.OF_CLASS.get(getClass());

  /** For subclasses. */
  protected Function() {}

  /** The tensors that went into the call that is being run; in backward, of the simple form. */
  protected final Tensor[] inputs() {
    return inputs == null ? new Tensor[] {input} : inputs.clone();
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
    return kind.simple && input != null ? applySimple(input) : apply((Object) input);
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
            kind.name,
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
    for (Tensor result : results) {
      if (result.defined()) { // and may have got a history
        result.holdGraph();
      }
    }
    ctx.forget();
    return results;
  }

  /** What {@link #applyTo} does, without arrays and a context, which nobody would see. */
  private Tensor applySimple(Tensor input) {
    Simple call = new Simple(this);
    int modes = Engine.enterForward();
    boolean recording = (modes & Engine.GRAD_MODE) != 0;
    if ((modes & Engine.FORWARD_MODE) != 0) {
      Engine.setGradEnabled(recording);
      return apply((Object) input);
    }
    Tensor output;
    long handle;
    try {
      output = runSimple(input, null);
      handle = Engine.applySimple(call, kind.name, input, output, recording);
    } catch (Throwable e) {
      Engine.setGradEnabled(recording);
      throw e;
    }
    if (handle > 1) {
      return new Tensor(handle);
    }
    if (handle == 1) {
      output.holdGraph(call);
    }
    return output;
  }

  /** The forward part of a simple call, or with a gradient the backward part. */
  private Tensor runSimple(Tensor tensor, Tensor gradient) {
    Function free = claim();
    Tensor[] before = free.inputs;
    Tensor inputBefore = free.input;
    free.inputs = null;
    free.input = tensor;
    try {
      return gradient == null ? free.forward(tensor) : free.backward(gradient);
    } finally {
      free.leave(before, inputBefore);
    }
  }

  private Tensor[] runForward(Context ctx, Object[] args) {
    boolean recording = Engine.gradEnabled();
    Engine.setGradEnabled(false);
    try {
      return inCall(ctx.tensors, free -> free.forward(ctx, args));
    } finally {
      Engine.setGradEnabled(recording);
    }
  }

  private Tensor[] runBackward(Context ctx, Tensor[] gradOutputs) {
    Tensor[] tensors = ctx.keepInputs ? ctx.saved : new Tensor[0];
    return inCall(tensors, free -> free.backward(ctx, gradOutputs));
  }

  private Tensor[] runJvp(Context ctx, Tensor[] arguments, Tensor[] tangents) {
    ctx.saved = ctx.forForward;
    try {
      return inCall(arguments, free -> free.jvp(ctx, tangents));
    } finally {
      ctx.saved = ctx.forForward = new Tensor[0];
    }
  }

  /** A part of a call, by this object or a copy, with what {@link #input} is meanwhile. */
  private Tensor[] inCall(Tensor[] tensors, CallPart part) {
    Function free = claim();
    Tensor[] before = free.inputs;
    Tensor inputBefore = free.input;
    free.enter(tensors);
    try {
      return part.run(free);
    } finally {
      free.leave(before, inputBefore);
    }
  }

  private interface CallPart {
    Tensor[] run(Function function);
  }

  /** This object for a call of this thread; a copy while another thread is in a call. */
  private Function claim() {
    Thread thread = Thread.currentThread();
    if ((Thread) USER.getOpaque(this) == thread
        || USER.compareAndSet(this, (Thread) null, thread)) {
      calls++;
      return this;
    }
    try {
      Function copy = (Function) super.clone();
      copy.user = thread;
      copy.calls = 1;
      copy.enter(new Tensor[0]);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  /** Ends a part of a call; the fields have again what they had before it. */
  private void leave(Tensor[] inputsBefore, Tensor inputBefore) {
    inputs = inputsBefore;
    input = inputBefore;
    if (--calls == 0) {
      USER.setRelease(this, (Thread) null);
    }
  }

  private static VarHandle userHandle() {
    try {
      return MethodHandles.lookup().findVarHandle(Function.class, "user", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private void enter(Tensor[] tensors) {
    inputs = tensors;
    input = tensors.length > 0 ? tensors[0] : null;
  }

  /** What native code keeps of a simple call. */
  private static final class Simple extends Upcalls.SimpleCall {
    private final Function function;

    Simple(Function function) {
      this.function = function;
    }

    @Override
    public Tensor backward(long gradient, long saved) {
      return function.runSimple(new Tensor(saved), new Tensor(gradient));
    }
  }

  /** What native code keeps of any other call. */
  private static final class Call extends Upcalls.Call {
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
      Context run = ctx.forBackward(Access.tensors(saved), needed);
      return run.handles(function, function.runBackward(run, gradOutputs));
    }
  }

  /** What belongs to one call of a function, from forward to backward. */
  public static final class Context extends FunctionContext {
    private Context(Object[] args) {
      super(args);
    }

    private Context(Context forward, Tensor[] saved, boolean[] needed) {
      super(forward, saved, needed);
    }

    /** For one run of the backward part, of which there may be several at once. */
    private Context forBackward(Tensor[] kept, boolean[] wanted) {
      return new Context(this, kept, wanted);
    }
  }
}
