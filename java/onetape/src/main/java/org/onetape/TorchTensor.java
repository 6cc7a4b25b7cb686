package org.onetape;

import org.onetape.global.torch;
import org.onetape.internal.ArrayTensors;
import org.onetape.internal.Engine;

/**
 * A {@link Tensor} in Java's spelling: {@code requiresGrad}, {@code indexSelect}, {@code
 * maskedFill_}; what operators return is again a {@code TorchTensor}.
 *
 * <p>In {@link #mm} a tensor of one dimension on the right counts as a column.
 */
public class TorchTensor extends TorchTensorOps {
  TorchTensor(long handle) {
    super(handle);
  }

  /** Another object for the same tensor. */
  public TorchTensor(Tensor other) {
    super(other.newHandle());
  }

  private static TorchTensor adopt(Tensor tensor) {
    try (tensor) {
      return new TorchTensor(tensor);
    }
  }

  private static TorchTensor adopt(Tensor tensor, MemoryScope scope) {
    return scope.attach(adopt(tensor));
  }

  // ---- making tensors ----

  /** A tensor of one dimension with a copy of the numbers. */
  public static TorchTensor of(float... values) {
    return adopt(torch.tensor(values));
  }

  /** A tensor of one dimension with a copy of the numbers. */
  public static TorchTensor of(double... values) {
    return adopt(torch.tensor(values));
  }

  /** A tensor of one dimension with a copy of the numbers. */
  public static TorchTensor of(long... values) {
    return adopt(torch.tensor(values));
  }

  /** A tensor of one dimension with a copy of the numbers. */
  public static TorchTensor of(int... values) {
    return adopt(torch.tensor(values));
  }

  /** A tensor of one dimension with a copy of the numbers. */
  public static TorchTensor of(boolean... values) {
    return adopt(torch.tensor(values));
  }

  /**
   * A tensor with a copy of the numbers of an array of arrays, such as {@code float[][]}.
   *
   * @throws IllegalArgumentException if rows differ in length
   */
  public static TorchTensor of(Object[] rows) {
    return adopt(ArrayTensors.tensor(rows, null));
  }

  /** A tensor without dimensions that holds a number. */
  public static TorchTensor scalar(double value) {
    return adopt(Tensor.scalar(value));
  }

  /** A tensor without dimensions that holds an integer. */
  public static TorchTensor scalar(long value) {
    return adopt(Tensor.scalar(value));
  }

  /** Zeros. */
  public static TorchTensor zeros(long... sizes) {
    return adopt(torch.zeros(sizes));
  }

  /** Zeros that belong to a scope. */
  public static TorchTensor zeros(long[] sizes, MemoryScope scope) {
    return adopt(torch.zeros(sizes), scope);
  }

  /** Ones. */
  public static TorchTensor ones(long... sizes) {
    return adopt(torch.ones(sizes));
  }

  /** Ones that belong to a scope. */
  public static TorchTensor ones(long[] sizes, MemoryScope scope) {
    return adopt(torch.ones(sizes), scope);
  }

  /** Normally distributed random numbers. */
  public static TorchTensor randn(long... sizes) {
    return adopt(torch.randn(sizes));
  }

  /** Normally distributed random numbers that belong to a scope. */
  public static TorchTensor randn(long[] sizes, MemoryScope scope) {
    return adopt(torch.randn(sizes), scope);
  }

  /** Random numbers between 0 and 1. */
  public static TorchTensor rand(long... sizes) {
    return adopt(torch.rand(sizes));
  }

  /** Random numbers between 0 and 1 that belong to a scope. */
  public static TorchTensor rand(long[] sizes, MemoryScope scope) {
    return adopt(torch.rand(sizes), scope);
  }

  /** The integers from 0 up to, and without, a bound. */
  public static TorchTensor arange(long end) {
    return adopt(torch.arange(end));
  }

  /** A tensor of one number. */
  public static TorchTensor full(long[] sizes, double value) {
    return adopt(torch.full(sizes, value));
  }

  // ---- differentiation ----

  @Override
  public TorchTensor requires_grad_(boolean required) {
    super.requires_grad_(required);
    return this;
  }

  @Override
  public TorchTensor requires_grad_() {
    return requires_grad_(true);
  }

  /** Says whether operators on this tensor are recorded; returns this. */
  public TorchTensor requiresGrad(boolean required) {
    return requires_grad_(required);
  }

  /** Whether operators on this tensor are recorded. */
  public boolean requiresGrad() {
    return requires_grad();
  }

  @Override
  public TorchTensor grad() {
    return new TorchTensor(Engine.grad(this));
  }

  /** The recorded operator that made this tensor; an undefined node for a leaf. */
  public Node gradFn() {
    return grad_fn();
  }

  /** Has the gradient of this tensor kept although it is a result. */
  public void retainGrad() {
    retain_grad();
  }

  /** Replaces the gradient; an undefined tensor takes it away. */
  public void setGrad(Tensor gradient) {
    set_grad(gradient);
  }

  /** Sets the gradient, if there is one, to zero. */
  public void zeroGrad() {
    try (Tensor gradient = grad();
        NoGradGuard guard = new NoGradGuard()) {
      if (gradient.defined()) {
        gradient.zero_();
      }
    }
  }

  /** Calls a function with the gradient of this tensor in every backward pass. */
  public HookHandle registerHook(TensorHook hook) {
    return register_hook(hook);
  }

  /** Whether this tensor was not made by a recorded operator. */
  public boolean isLeaf() {
    return is_leaf();
  }

  @Override
  public TorchTensor detach() {
    return new TorchTensor(Engine.detach(this));
  }

  @Override
  public TorchTensor detach_() {
    super.detach_();
    return this;
  }

  @Override
  public TorchTensor data() {
    return new TorchTensor(Engine.data(this));
  }

  // ---- operators with rules of their own ----

  /**
   * The matrix product; a tensor of one dimension on the right counts as a column.
   *
   * @throws TorchException if the sizes do not fit
   */
  @Override
  public TorchTensor mm(Tensor other) {
    return other.dim() == 1 ? super.mm(other.unsqueeze(1)) : super.mm(other);
  }

  @Override
  public TorchTensor index(TensorIndex... indices) {
    return new TorchTensor(new EncodedIndex(indices).get(this));
  }

  @Override
  public TorchTensor get(long i) {
    return index(new TensorIndex(i));
  }

  @Override
  public TorchTensor keep() {
    super.keep();
    return this;
  }

  // ---- asking, in Java's spelling ----

  /** Whether the elements lie in memory without gaps, the last dimension fastest. */
  public boolean isContiguous() {
    return is_contiguous();
  }

  /** The type of the elements. */
  public torch.ScalarType scalarType() {
    return scalar_type();
  }

  /** The place of the first element in the storage, in elements. */
  public long storageOffset() {
    return storage_offset();
  }

  /** The only element as a double. */
  public double itemDouble() {
    return item_double();
  }

  /** The only element as a float. */
  public float itemFloat() {
    return item_float();
  }

  /** The only element as a long. */
  public long itemLong() {
    return item_long();
  }

  /** The only element as a boolean. */
  public boolean itemBool() {
    return item_bool();
  }
}
