package org.onetape;

import java.util.Arrays;
import org.onetape.global.torch;
import org.onetape.global.torch.Layout;
import org.onetape.global.torch.MemoryFormat;
import org.onetape.global.torch.ScalarType;
import org.onetape.internal.Args;
import org.onetape.internal.Engine;
import org.onetape.internal.RefList;

/** What can be asked of a tensor: sizes, types, places. */
abstract class TensorQueries extends TensorHandle {
  TensorQueries(long handle) {
    super(handle);
  }

  TensorQueries(long handle, RefList owner) {
    super(handle, owner);
  }

  /** The number of dimensions. */
  public long dim() {
    return Engine.dim(this);
  }

  /** The number of dimensions. */
  public long ndimension() {
    return dim();
  }

  /** The number of elements. */
  public long numel() {
    return Engine.numel(this);
  }

  /** The sizes of the dimensions. */
  public LongArrayRef sizes() {
    return new LongArrayRef(shape());
  }

  /** The sizes of the dimensions. */
  public long[] shape() {
    return Engine.sizes(this);
  }

  /** The size of a dimension, which counts from the last if negative. */
  public long size(long dim) {
    return Engine.size(this, dim);
  }

  /** How many elements apart neighbours in each dimension are in memory. */
  public LongArrayRef strides() {
    return new LongArrayRef(Engine.strides(this));
  }

  /** How many elements apart neighbours in a dimension are in memory. */
  public long stride(long dim) {
    return Engine.stride(this, dim);
  }

  /** The place of the first element in the storage, in elements. */
  public long storage_offset() {
    return Engine.storageOffset(this);
  }

  /** Whether the elements lie in memory without gaps, the last dimension fastest. */
  public boolean is_contiguous() {
    return Engine.isContiguous(this);
  }

  /** Whether the elements lie in memory without gaps in the given order of dimensions. */
  public boolean is_contiguous(MemoryFormat format) {
    if (format != MemoryFormat.Contiguous) {
      throw new UnsupportedOperationException("is_contiguous: memory format " + format);
    }
    return is_contiguous();
  }

  /** The type of the elements. */
  public TypeMeta dtype() {
    return TypeMeta.fromScalarType(scalar_type());
  }

  /** The type of the elements. */
  public ScalarType scalar_type() {
    return Args.scalarType(Engine.dtype(this));
  }

  /** The bytes an element takes. */
  public long element_size() {
    return scalar_type().itemsize();
  }

  /** The bytes all elements take. */
  public long nbytes() {
    return numel() * element_size();
  }

  /** Where the elements are. */
  public Device device() {
    return new Device(torch.DeviceType.values()[Engine.deviceType(this)]);
  }

  /** How the elements lie in memory. */
  public Layout layout() {
    return Layout.Strided;
  }

  /** The options that make a tensor of the same element type on the same device. */
  public TensorOptions options() {
    return new TensorOptions(scalar_type()).device(device()).layout(layout());
  }

  /** Whether the elements are on the CPU. */
  public boolean is_cpu() {
    return device().is_cpu();
  }

  /** Whether the elements are on a CUDA device. */
  public boolean is_cuda() {
    return device().is_cuda();
  }

  /** Whether the tensor has the sparse layout: never. */
  public boolean is_sparse() {
    return false;
  }

  /** Whether the elements are floating-point numbers. */
  public boolean is_floating_point() {
    ScalarType type = scalar_type();
    return type == ScalarType.Float
        || type == ScalarType.Double
        || type == ScalarType.Half
        || type == ScalarType.BFloat16;
  }

  /** Whether the elements are complex numbers. */
  public boolean is_complex() {
    ScalarType type = scalar_type();
    return type == ScalarType.ComplexFloat || type == ScalarType.ComplexDouble;
  }

  /** Whether this stands for the same tensor as the other. */
  public boolean is_same(Tensor other) {
    return equals(other);
  }

  /** The number of dimensions. */
  public long ndim() {
    return dim();
  }

  /** The number of elements. */
  public long nelement() {
    return numel();
  }

  /** The bytes an element takes. */
  public long itemsize() {
    return element_size();
  }

  /** The number of the device: -1, since the CPU has none. */
  public long get_device() {
    return device().index();
  }

  /** Whether the elements are on a Metal device. */
  public boolean is_mps() {
    return device().is_mps();
  }

  /** Whether the tensor has all but elements. */
  public boolean is_meta() {
    return device().is_meta();
  }

  /** Whether the elements are quantized: never. */
  public boolean is_quantized() {
    return false;
  }

  /** Whether the elements can be negative by their type. */
  public boolean is_signed() {
    ScalarType type = scalar_type();
    return type != ScalarType.Byte && type != ScalarType.Bool;
  }

  /** Whether the other tensor has the same sizes. */
  public boolean is_same_size(Tensor other) {
    return Arrays.equals(shape(), other.shape());
  }

  /** Whether both tensors show the same memory in the same way. */
  public boolean is_set_to(Tensor other) {
    return is_same_size(other)
        && Arrays.equals(Engine.strides(this), Engine.strides(other))
        && Engine.address(Engine.memory(this)) == Engine.address(Engine.memory(other));
  }

  /**
   * Whether the one element is not zero.
   *
   * @throws TorchException if there is not exactly one
   */
  public boolean is_nonzero() {
    long count = numel();
    if (count != 1) {
      throw new TorchException(
          "Boolean value of Tensor with "
              + (count == 0 ? "no values" : "more than one value")
              + " is ambiguous");
    }
    try (Tensor differs = ((Tensor) this).ne(new Scalar(0))) {
      return differs.item_bool();
    }
  }
}
