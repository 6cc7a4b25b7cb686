package org.onetape;

import org.onetape.internal.Access;
import org.onetape.internal.Args;
import org.onetape.internal.Engine;
import org.onetape.internal.RefList;

/** What differentiation knows of a tensor. */
abstract class TensorAutograd extends TensorElements {
  TensorAutograd(long handle) {
    super(handle);
  }

  TensorAutograd(long handle, RefList owner) {
    super(handle, owner);
  }

  /** Whether operators on this tensor are recorded. */
  public boolean requires_grad() {
    return Engine.requiresGrad(this);
  }

  /**
   * Says whether operators on this tensor are recorded; returns this.
   *
   * @throws TorchException for element types that are not floating-point, and for results
   */
  public Tensor requires_grad_(boolean required) {
    Engine.setRequiresGrad(this, required);
    return (Tensor) this;
  }

  /** Has operators on this tensor recorded; returns this. */
  public Tensor requires_grad_() {
    return requires_grad_(true);
  }

  /** Says whether operators on this tensor are recorded; returns this. */
  public Tensor set_requires_grad(boolean required) {
    return requires_grad_(required);
  }

  /** Whether this tensor was not made by a recorded operator. */
  public boolean is_leaf() {
    return Engine.isLeaf(this);
  }

  /** Whether this tensor shares the elements of another as a recorded view. */
  public boolean is_view() {
    return Engine.isView(this);
  }

  /** The tensor that this is a view of; undefined if it is not a view. */
  public Tensor _base() {
    return Access.tensor(Engine.base(this));
  }

  /** How often this tensor was changed in place. */
  public long _version() {
    return Engine.version(this);
  }

  /** The gradient that backward passes have added up; undefined as long as there is none. */
  public Tensor grad() {
    return Access.tensor(Engine.grad(this));
  }

  /** The gradient that backward passes have added up; undefined as long as there is none. */
  public Tensor mutable_grad() {
    return grad();
  }

  /** Replaces the gradient; an undefined tensor takes it away. */
  public void set_grad(Tensor gradient) {
    Engine.setGrad(this, gradient);
  }

  /** The recorded operator that made this tensor; an undefined node for a leaf. */
  public Node grad_fn() {
    return new Node(Engine.gradFn(this));
  }

  /** Has the gradient of this tensor kept in {@link #grad()} although it is a result. */
  public void retain_grad() {
    Engine.retainGrad(this);
  }

  /** Whether the gradient of this result is kept. */
  public boolean retains_grad() {
    return Engine.retainsGrad(this);
  }

  /** The same elements without history; backward passes see changes in place. */
  public Tensor detach() {
    return new Tensor(Engine.detach(this));
  }

  /**
   * Takes this tensor out of its graph, which makes it a leaf; returns it.
   *
   * @throws TorchException if it is a view
   */
  public Tensor detach_() {
    Engine.detachInPlace(this);
    return (Tensor) this;
  }

  /** The same elements without history; changes in place are not seen by backward passes. */
  public Tensor data() {
    return Access.tensor(Engine.data(this));
  }

  /** The same elements without history. */
  public Tensor variable_data() {
    return data();
  }

  /** Makes this tensor another name for the elements of another. */
  public void set_data(Tensor data) {
    Engine.setData(this, data);
  }

  /**
   * Adds the gradient of this tensor, which must have one element, with respect to the leaves of
   * its record to their {@link #grad()}.
   *
   * @throws TorchException if there is more than one element, or no record
   */
  public void backward() {
    backward(null, false, false);
  }

  /** The same for a tensor of any size, given the gradient of what follows with respect to it. */
  public void backward(Tensor gradient) {
    backward(gradient, false, false);
  }

  /**
   * The same.
   *
   * @param gradient of what follows with respect to this tensor; null or undefined for 1
   * @param retainGraph whether the record may be gone through again
   * @param createGraph whether the backward pass is recorded, too
   */
  public void backward(Tensor gradient, boolean retainGraph, boolean createGraph) {
    Engine.backward(this, gradient, retainGraph, createGraph, null);
  }

  /**
   * The same.
   *
   * @param gradient of what follows with respect to this tensor; null or undefined for 1
   * @param retainGraph whether the record may be gone through again; if left out, as createGraph
   * @param createGraph whether the backward pass is recorded, too
   * @param inputs the only tensors to whose gradient is added, if given
   */
  public void backward(
      Tensor gradient,
      BoolOptional retainGraph,
      boolean createGraph,
      TensorArrayRefOptional inputs) {
    int retain = Args.flag(retainGraph);
    Engine.backward(
        this,
        gradient,
        retain == Args.NONE ? createGraph : retain == 1,
        createGraph,
        Args.tensors(inputs));
  }

  /** Whether this tensor was made in {@link InferenceMode}. */
  public boolean is_inference() {
    return Engine.isInference(this);
  }

  /**
   * Calls a function with the gradient of this tensor in every backward pass, as soon as it is
   * known; what it returns is used instead.
   *
   * @return what takes the function away again
   * @throws TorchException if this tensor does not require a gradient
   */
  public HookHandle register_hook(TensorHook hook) {
    return new HookHandle(Engine.addHook(this, hook));
  }

  /**
   * The same with a class to extend.
   *
   * @return a number for {@link #remove_hook}
   */
  public int register_hook(TensorTensorHook hook) {
    return hook.registeredOn((Tensor) this);
  }

  /**
   * The same with a class to extend that only looks.
   *
   * @return a number for {@link #remove_hook}
   */
  public int register_hook(VoidTensorHook hook) {
    return hook.registeredOn((Tensor) this);
  }

  /** Takes away what {@code register_hook} gave this number; doing so again has no effect. */
  public void remove_hook(int number) {
    FunctionHook.remove(number);
  }

  /**
   * Calls a function with this leaf whenever a gradient was added to its {@link #grad()}.
   *
   * @return what takes the function away again
   * @throws TorchException if this tensor is not a leaf, or does not require a gradient
   */
  public HookHandle register_post_accumulate_grad_hook(LeafHook hook) {
    return new HookHandle(Engine.addAccumulateHook(this, hook));
  }
}
