package org.onetape;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.onetape.internal.Engine;
import org.onetape.internal.RefList;

/** The memory of tensors as buffers, which keep it alive. */
final class TensorMemory {
  private TensorMemory() {}

  /** The bytes from the first element to the end of the storage. */
  static ByteBuffer of(Tensor tensor) {
    // A tensor of its own for the memory: the other one may be given another.
    try (Tensor alias = tensor.detach()) {
      ByteBuffer memory = Engine.memory(alias).order(ByteOrder.nativeOrder());
      // Buffers made from this one keep it reachable; with it goes the tensor's memory.
      RefList.unscoped().own(memory, alias.newHandle());
      return memory;
    }
  }

  @SuppressWarnings("unchecked")
  static <B extends Buffer> B buffer(Tensor tensor) {
    if (!tensor.is_contiguous()) {
      throw new UnsupportedOperationException(
          "createBuffer: the tensor is not contiguous; call contiguous() first");
    }
    ByteBuffer memory = of(tensor);
    memory.limit(Math.toIntExact(tensor.nbytes()));
    memory = memory.slice().order(ByteOrder.nativeOrder());
    switch (tensor.scalar_type()) {
      case Double:
        return (B) memory.asDoubleBuffer();
      case Float:
        return (B) memory.asFloatBuffer();
      case Long:
        return (B) memory.asLongBuffer();
      case Int:
        return (B) memory.asIntBuffer();
      case Short:
        return (B) memory.asShortBuffer();
      default:
        return (B) memory;
    }
  }
}
