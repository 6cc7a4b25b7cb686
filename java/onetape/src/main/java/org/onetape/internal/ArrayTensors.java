package org.onetape.internal;

import java.lang.reflect.Array;
import java.util.Arrays;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.global.torch.ScalarType;

/** Tensors from Java arrays. */
public final class ArrayTensors {
  private ArrayTensors() {}

  /** A tensor without dimensions that holds a number. */
  public static Tensor number(long bits, int kind, ScalarType type, TensorOptions options) {
    int wanted = Args.dtype(options);
    return Access.tensor(
        Engine.fromNumber(
            bits,
            kind,
            wanted == Args.NONE ? type.value : wanted,
            Args.device(options),
            Args.requiresGrad(options)));
  }

  /** A tensor of the given sizes with the numbers of a flat array of some primitive type. */
  public static Tensor tensor(Object flat, long[] sizes, TensorOptions options) {
    return Access.tensor(
        Engine.fromArray(
            flat,
            typeOf(flat).value,
            sizes,
            Args.dtype(options),
            Args.device(options),
            Args.requiresGrad(options)));
  }

  /** Writes the elements of a tensor, converted, into an array of some primitive type. */
  public static <A> A copy(Tensor tensor, A array) {
    Engine.toArray(tensor, array, typeOf(array).value);
    return array;
  }

  private static ScalarType typeOf(Object array) {
    if (array instanceof float[]) {
      return ScalarType.Float;
    }
    if (array instanceof double[]) {
      return ScalarType.Double;
    }
    if (array instanceof long[]) {
      return ScalarType.Long;
    }
    if (array instanceof int[]) {
      return ScalarType.Int;
    }
    if (array instanceof boolean[]) {
      return ScalarType.Bool;
    }
    if (array instanceof short[]) {
      return ScalarType.Short;
    }
    if (array instanceof byte[]) {
      return ScalarType.Char;
    }
    throw new IllegalArgumentException(
        "tensor: expected an array of numbers or booleans, got "
            + (array == null ? null : array.getClass().getSimpleName()));
  }

  /** A tensor with the numbers of an array of arrays (of arrays …) of some primitive type. */
  public static Tensor tensor(Object[] nested, TensorOptions options) {
    long[] sizes = new long[0];
    Object level = nested;
    while (level != null && level.getClass().isArray()) {
      int length = Array.getLength(level);
      sizes = Arrays.copyOf(sizes, sizes.length + 1);
      sizes[sizes.length - 1] = length;
      level = level instanceof Object[] && length > 0 ? ((Object[]) level)[0] : null;
    }
    sizes = Arrays.copyOf(sizes, dimensions(nested));
    long count = 1;
    for (long size : sizes) {
      count = Math.multiplyExact(count, size);
    }
    Object flat = Array.newInstance(elementType(nested), Math.toIntExact(count));
    copy(nested, sizes, 0, flat, 0, "");
    return tensor(flat, sizes, options);
  }

  private static int dimensions(Object[] nested) {
    int dimensions = 0;
    for (Class<?> type = nested.getClass(); type.isArray(); type = type.getComponentType()) {
      dimensions++;
    }
    return dimensions;
  }

  private static Class<?> elementType(Object[] nested) {
    Class<?> type = nested.getClass();
    while (type.isArray()) {
      type = type.getComponentType();
    }
    return type;
  }

  private static int copy(Object from, long[] sizes, int level, Object flat, int at, String row) {
    if (from == null) {
      throw new IllegalArgumentException("tensor: row " + row + " is null");
    }
    int length = Array.getLength(from);
    if (length != sizes[level]) {
      throw new IllegalArgumentException(
          "tensor: row "
              + row
              + " has "
              + length
              + " elements, but the first row has "
              + sizes[level]);
    }
    if (!(from instanceof Object[])) {
      System.arraycopy(from, 0, flat, at, length);
      return at + length;
    }
    Object[] rows = (Object[]) from;
    for (int i = 0; i < length; i++) {
      at = copy(rows[i], sizes, level + 1, flat, at, row + "[" + i + "]");
    }
    return at;
  }
}
