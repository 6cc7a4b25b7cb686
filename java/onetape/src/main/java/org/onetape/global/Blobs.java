package org.onetape.global;

import java.nio.ByteBuffer;
import org.onetape.BoolPointer;
import org.onetape.BytePointer;
import org.onetape.DoublePointer;
import org.onetape.FloatPointer;
import org.onetape.IntPointer;
import org.onetape.LongPointer;
import org.onetape.Pointer;
import org.onetape.ShortPointer;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.global.torch.ScalarType;
import org.onetape.internal.Access;
import org.onetape.internal.Args;
import org.onetape.internal.Engine;

/** Tensors from memory outside the Java heap. */
final class Blobs {
  private Blobs() {}

  private static ScalarType typeOf(Pointer pointer) {
    if (pointer instanceof DoublePointer) {
      return ScalarType.Double;
    }
    if (pointer instanceof FloatPointer) {
      return ScalarType.Float;
    }
    if (pointer instanceof LongPointer) {
      return ScalarType.Long;
    }
    if (pointer instanceof IntPointer) {
      return ScalarType.Int;
    }
    if (pointer instanceof ShortPointer) {
      return ScalarType.Short;
    }
    if (pointer instanceof BoolPointer) {
      return ScalarType.Bool;
    }
    if (pointer instanceof BytePointer) {
      return ScalarType.Char;
    }
    throw new IllegalArgumentException(
        "tensor: the elements of a " + pointer.getClass().getSimpleName() + " have no known type");
  }

  static Tensor copy(Pointer values, TensorOptions options) {
    ScalarType type = typeOf(values);
    ByteBuffer memory = values.asByteBuffer();
    long count = memory.remaining() / type.itemsize();
    return Access.tensor(
        Engine.fromMemory(
            memory,
            count == 1 ? new long[0] : new long[] {count},
            null,
            type.value,
            Args.dtype(options),
            Args.device(options),
            Args.requiresGrad(options),
            false));
  }

  static Tensor share(Pointer memory, long[] sizes, long[] strides, TensorOptions options) {
    ScalarType type =
        options != null && options.has_dtype()
            ? options.dtype().toScalarType()
            : torch.get_default_dtype();
    return Access.tensor(
        Engine.fromMemory(
            memory.asByteBuffer(),
            sizes,
            strides,
            type.value,
            type.value,
            Args.device(options),
            Args.requiresGrad(options),
            true));
  }
}
