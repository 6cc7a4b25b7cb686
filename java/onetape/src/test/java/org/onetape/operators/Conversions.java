package org.onetape.operators;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.onetape.BoolOptional;
import org.onetape.DoubleOptional;
import org.onetape.GeneratorOptional;
import org.onetape.LongArrayRef;
import org.onetape.LongArrayRefOptional;
import org.onetape.LongOptional;
import org.onetape.Scalar;
import org.onetape.ScalarOptional;
import org.onetape.ScalarTypeOptional;
import org.onetape.StringViewOptional;
import org.onetape.Tensor;
import org.onetape.TensorArrayRef;
import org.onetape.TensorOptional;
import org.onetape.TensorOptions;
import org.onetape.TensorVector;
import org.onetape.global.torch.ScalarType;

/** Arguments of the golden files as the classes that Java's parameters have. */
final class Conversions {
  private static final Map<Class<?>, Function<Object, Object>> TO =
      Map.ofEntries(
          Map.entry(Tensor.class, value -> value),
          Map.entry(TensorOptional.class, value -> new TensorOptional((Tensor) value)),
          Map.entry(Tensor[].class, Conversions::tensors),
          Map.entry(TensorVector.class, value -> new TensorVector(tensors(value))),
          Map.entry(TensorArrayRef.class, value -> new TensorArrayRef(tensors(value))),
          Map.entry(Scalar.class, Conversions::scalar),
          Map.entry(ScalarOptional.class, value -> new ScalarOptional(scalar(value))),
          Map.entry(long.class, value -> value),
          Map.entry(
              LongOptional.class,
              value -> value == null ? new LongOptional() : new LongOptional((Long) value)),
          Map.entry(long[].class, Conversions::longs),
          Map.entry(LongArrayRef.class, value -> new LongArrayRef(longs(value))),
          Map.entry(
              LongArrayRefOptional.class,
              value ->
                  value == null
                      ? new LongArrayRefOptional()
                      : new LongArrayRefOptional(longs(value))),
          Map.entry(double.class, value -> ((Number) value).doubleValue()),
          Map.entry(
              DoubleOptional.class,
              value ->
                  value == null
                      ? new DoubleOptional()
                      : new DoubleOptional(((Number) value).doubleValue())),
          Map.entry(boolean.class, value -> value),
          Map.entry(
              BoolOptional.class,
              value -> value == null ? new BoolOptional() : new BoolOptional((Boolean) value)),
          Map.entry(String.class, value -> value),
          Map.entry(StringViewOptional.class, value -> new StringViewOptional((String) value)),
          Map.entry(ScalarType.class, value -> value),
          Map.entry(ScalarTypeOptional.class, value -> new ScalarTypeOptional((ScalarType) value)),
          Map.entry(GeneratorOptional.class, value -> new GeneratorOptional()),
          Map.entry(TensorOptions.class, value -> value));

  private Conversions() {}

  /** Whether a value can be given to a parameter of that class, which the table gives that type. */
  static boolean isPossible(Object value, Class<?> to, String tableType) {
    if (!TO.containsKey(to)) {
      return false;
    }
    if (value == null) {
      return to.getSimpleName().endsWith("Optional")
          || (tableType.endsWith("?")
              && (to == Tensor.class || to == String.class || to == long[].class));
    }
    if (value instanceof Tensor) {
      return to == Tensor.class || to == TensorOptional.class;
    }
    if (value instanceof List) {
      List<?> list = (List<?>) value;
      boolean isOfTensors = tableType.startsWith("Tensor");
      return isOfTensors
          ? to == Tensor[].class || to == TensorVector.class || to == TensorArrayRef.class
          : isLongs(to) && list.stream().allMatch(item -> item instanceof Long);
    }
    if (tableType.contains("Scalar")) {
      // A double for an integer would change the element type of the result.
      return to == Scalar.class
          || to == ScalarOptional.class
          || (to == long.class && value instanceof Long)
          || (to == double.class && value instanceof Double);
    }
    if (value instanceof Long) {
      return to == long.class
          || to == LongOptional.class
          || (tableType.startsWith("int[") && isLongs(to))
          || (tableType.startsWith("float") && (to == double.class || to == DoubleOptional.class));
    }
    if (value instanceof Double) {
      return to == double.class || to == DoubleOptional.class;
    }
    if (value instanceof Boolean) {
      return to == boolean.class || to == BoolOptional.class;
    }
    if (value instanceof String) {
      return to == String.class || to == StringViewOptional.class;
    }
    if (value instanceof ScalarType) {
      return to == ScalarType.class || to == ScalarTypeOptional.class;
    }
    return to.isInstance(value);
  }

  private static boolean isLongs(Class<?> to) {
    return to == long[].class || to == LongArrayRef.class || to == LongArrayRefOptional.class;
  }

  /** The value as an object of the class. */
  static Object convert(Object value, Class<?> to) {
    boolean isPlain = !to.getSimpleName().endsWith("Optional");
    return value == null && isPlain ? null : TO.get(to).apply(value);
  }

  private static Tensor[] tensors(Object value) {
    return ((List<?>) value).toArray(new Tensor[0]);
  }

  private static long[] longs(Object value) {
    List<?> list = value instanceof Long ? Arrays.asList(value) : (List<?>) value;
    return list.stream().mapToLong(item -> (Long) item).toArray();
  }

  private static Scalar scalar(Object value) {
    if (value == null) {
      return null;
    }
    if (value instanceof Boolean) {
      return new Scalar((boolean) (Boolean) value);
    }
    return value instanceof Long
        ? new Scalar((long) (Long) value)
        : new Scalar((double) (Double) value);
  }
}
