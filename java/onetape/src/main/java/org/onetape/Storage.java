package org.onetape;

import org.onetape.global.torch.DeviceType;
import org.onetape.global.torch.ScalarType;
import org.onetape.internal.Engine;

/**
 * All memory that a tensor is a view of, whatever part of it the tensor shows.
 *
 * <p>It keeps the memory alive, and belongs to the scope in which it was asked for as a tensor
 * does.
 */
public final class Storage {
  private final Tensor elements;

  Storage(Tensor tensor) {
    ScalarType type = tensor.scalar_type();
    long[] size = {Engine.storageBytes(tensor) / type.itemsize()};
    elements = new Tensor(Engine.placed(tensor, type.value, size, new long[] {1}, 0));
  }

  /**
   * All elements as a tensor of one dimension, of the type of the tensor that was asked. Changes
   * show in all tensors of this memory; nothing is recorded.
   */
  public Tensor elements() {
    return elements.detach();
  }

  /** The type of the elements. */
  public ScalarType scalar_type() {
    return elements.scalar_type();
  }

  /** The number of elements. */
  public long size() {
    return elements.numel();
  }

  /** The number of bytes. */
  public long nbytes() {
    return Engine.storageBytes(elements);
  }

  /** The bytes, from the first one. */
  public Pointer data() {
    return elements.data_ptr();
  }

  /** The bytes, from the first one. */
  public Pointer data_ptr() {
    return data();
  }

  /** Where the memory is. */
  public Device device() {
    return elements.device();
  }

  /** The kind of device where the memory is. */
  public DeviceType device_type() {
    return device().type();
  }

  /** Whether it is the same memory. No memory is not the same as any other. */
  public boolean is_alias_of(Storage other) {
    long address = Engine.storageAddress(elements);
    return this == other || (address != 0 && address == Engine.storageAddress(other.elements));
  }

  @Override
  public String toString() {
    return "Storage of " + size() + " " + scalar_type();
  }
}
