package org.onetape;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.onetape.internal.Access;
import org.onetape.internal.Engine;
import org.onetape.internal.NativeRef;
import org.onetape.internal.RefList;

/** A recorded operator: a node of the graph that a backward pass goes through. */
public final class Node implements AutoCloseable {
  /** The native handle, read by native code; 0 for the undefined node. */
  private final long cell;

  private final NativeRef ref;

  Node(long handle) {
    cell = handle;
    ref = handle == 0 ? null : RefList.register(this, handle);
  }

  NativeRef ref() {
    return ref;
  }

  /** Whether there is a node behind this object: not for a leaf, and not after closing. */
  public boolean defined() {
    return ref != null && !ref.isClosed();
  }

  /** Whether there is no node behind this object. */
  public boolean isNull() {
    return !defined();
  }

  /** The name, such as {@code MulBackward0}; {@code None} for the undefined node. */
  public String name() {
    return cell == 0 ? "None" : Engine.nodeName(this);
  }

  /** The nodes that the gradients of this operator's inputs go to, in the order of the inputs. */
  public List<Edge> next_functions() {
    if (cell == 0) {
      return Collections.emptyList();
    }
    int[] inputs = new int[Engine.nodeInputs(this)];
    long[] handles = Engine.nodeEdges(this, inputs);
    List<Edge> edges = new ArrayList<>();
    for (int i = 0; i < handles.length; i++) {
      edges.add(new Edge(new Node(handles[i]), inputs[i]));
    }
    return Collections.unmodifiableList(edges);
  }

  /**
   * The tensors that the node keeps for backward.
   *
   * @throws TorchException if a backward pass has freed them, or one was changed in place
   */
  public Tensor[] saved_tensors() {
    return cell == 0 ? new Tensor[0] : Access.tensors(Engine.nodeSaved(this));
  }

  /**
   * Calls a function after the node ran in a backward pass, which may replace the gradients.
   *
   * @return what takes the function away again
   */
  public HookHandle register_hook(NodeHook hook) {
    return new HookHandle(Engine.addNodeHook(this, hook));
  }

  /**
   * Calls a function before the node runs in a backward pass, which may replace the gradients.
   *
   * @return what takes the function away again
   */
  public HookHandle register_prehook(NodePreHook hook) {
    return new HookHandle(Engine.addNodePreHook(this, hook));
  }

  /** Lets go of the node; the graph does not change. */
  @Override
  public void close() {
    if (ref != null) {
      ref.close();
    }
  }

  private long identity() {
    return defined() ? Engine.nodeIdentity(this) : cell;
  }

  /** Whether the other object stands for the same node. */
  @Override
  public boolean equals(Object other) {
    return other == this || (other instanceof Node && ((Node) other).identity() == identity());
  }

  @Override
  public int hashCode() {
    return Long.hashCode(identity() >> 4);
  }

  /** The name and a number that identifies the node; {@code None} for the undefined node. */
  @Override
  public String toString() {
    return defined() ? "<" + name() + " object at 0x" + Long.toHexString(identity()) + ">" : "None";
  }

  /** Where a gradient goes. */
  public static final class Edge {
    private final Node function;
    private final int input;

    Edge(Node function, int input) {
      this.function = function;
      this.input = input;
    }

    /** The node; undefined for an input that needs no gradient. */
    public Node function() {
      return function;
    }

    /** Which of the node's outputs the gradient belongs to. */
    public long input_nr() {
      return input;
    }

    @Override
    public String toString() {
      return "(" + function + ", " + input + ")";
    }
  }
}
