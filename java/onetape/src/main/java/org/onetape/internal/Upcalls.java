package org.onetape.internal;

import org.onetape.AnomalyMode;
import org.onetape.LeafHook;
import org.onetape.NodeHook;
import org.onetape.NodePreHook;
import org.onetape.Tensor;
import org.onetape.TensorHook;

/** What native code calls in the middle of a backward pass. */
public final class Upcalls {
  private Upcalls() {}

  /** One application of a function that is written in Java. */
  private abstract static class AnyCall {
    /**
     * What the nodes behind this one need, for the garbage collector to see; set by native code.
     */
    @SuppressWarnings("unused")
    private Object others;
  }

  /** That of a function of one tensor, which is kept, with one result. */
  public abstract static class SimpleCall extends AnyCall {
    /**
     * Runs the backward part.
     *
     * @param gradient the handle of the gradient of the result, now the callee's
     * @param saved the handle of the tensor that went in, now the callee's
     * @return the gradient of the tensor that went in, or null
     */
    public abstract Tensor backward(long gradient, long saved);
  }

  /** That of any other function. */
  public abstract static class Call extends AnyCall {
    /**
     * Runs the backward part.
     *
     * @param gradients handles of the gradients of the results, now the callee's
     * @param saved handles of the tensors that were kept, now the callee's
     * @param needed which of the tensors that went in need a gradient
     * @return handles of the gradients of the tensors that went in, 0 for none
     */
    public abstract long[] backward(long[] gradients, long[] saved, boolean[] needed);
  }

  /** A pair of functions for the tensors that are saved for backward. */
  public interface SavedHooks {
    /** What is kept of a tensor. */
    Object pack(Tensor tensor);

    /** The tensor again. */
    Tensor unpack(Object packed);
  }

  /** A stretch of a forward pass that can be done again. */
  public interface Recomputation {
    /**
     * Does it.
     *
     * @param inputs the tensors that went in; null the first time
     */
    void run(Tensor[] inputs);
  }

  static long[] backward(Object call, long[] gradients, long[] saved, boolean[] needed) {
    return ((Call) call).backward(gradients, saved, needed);
  }

  static Object simpleBackward(Object call, long gradient, long saved) {
    return ((SimpleCall) call).backward(gradient, saved);
  }

  static long hook(Object hook, long gradient) {
    return handle(((TensorHook) hook).apply(Access.tensor(gradient)));
  }

  static void accumulateHook(Object hook, long leaf) {
    ((LeafHook) hook).accept(Access.tensor(leaf));
  }

  static long[] nodeHook(Object hook, long[] gradInputs, long[] gradOutputs) {
    return handles(
        ((NodeHook) hook).apply(Access.tensors(gradInputs), Access.tensors(gradOutputs)));
  }

  static long[] nodePreHook(Object hook, long[] gradOutputs) {
    return handles(((NodePreHook) hook).apply(Access.tensors(gradOutputs)));
  }

  static Object pack(Object hooks, long tensor) {
    return ((SavedHooks) hooks).pack(Access.tensor(tensor));
  }

  static long unpack(Object hooks, Object packed) {
    return handle(((SavedHooks) hooks).unpack(packed));
  }

  static void checkpointAgain(Object recomputation, long[] inputs) {
    ((Recomputation) recomputation).run(inputs == null ? null : Access.tensors(inputs));
  }

  /** The Java calls that this thread is in, outermost last as Java tells them. */
  static String calls() {
    StringBuilder text = new StringBuilder();
    boolean own = true;
    for (StackTraceElement frame : Thread.currentThread().getStackTrace()) {
      String name = frame.getClassName();
      own = own && (name.startsWith("java.lang.Thread") || name.equals(Upcalls.class.getName()));
      if (!own) {
        text.append("\tat ").append(frame).append('\n');
      }
    }
    return text.toString();
  }

  /** Where this thread is, for a node that notes it. */
  static String[] place() {
    return Recording.place();
  }

  /** Adds what is known of the forward call to an exception. */
  static void explain(Throwable error, String explanation) {
    error.addSuppressed(new AnomalyMode.ForwardCall(explanation));
  }

  private static long handle(Tensor tensor) {
    return tensor == null || !tensor.defined() ? 0 : Engine.alias(tensor);
  }

  private static long[] handles(Tensor[] tensors) {
    if (tensors == null) {
      return null;
    }
    long[] handles = new long[tensors.length];
    for (int i = 0; i < handles.length; i++) {
      handles[i] = handle(tensors[i]);
    }
    return handles;
  }
}
