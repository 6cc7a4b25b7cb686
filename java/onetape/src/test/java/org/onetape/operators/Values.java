package org.onetape.operators;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.function.ThrowingRunnable;
import org.onetape.Pointer;
import org.onetape.Scalar;
import org.onetape.T_TensorTensorTensorTensor_T;
import org.onetape.T_TensorTensorTensor_T;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.TensorVector;
import org.onetape.TorchException;
import org.onetape.TypeException;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

/** Values of the golden files as Java values, and comparisons with them. */
final class Values {
  private static final Map<String, ScalarType> TYPES =
      Map.ofEntries(
          Map.entry("bool", ScalarType.Bool),
          Map.entry("uint8", ScalarType.Byte),
          Map.entry("int8", ScalarType.Char),
          Map.entry("int16", ScalarType.Short),
          Map.entry("int32", ScalarType.Int),
          Map.entry("int64", ScalarType.Long),
          Map.entry("float16", ScalarType.Half),
          Map.entry("bfloat16", ScalarType.BFloat16),
          Map.entry("float32", ScalarType.Float),
          Map.entry("float64", ScalarType.Double),
          Map.entry("complex64", ScalarType.ComplexFloat),
          Map.entry("complex128", ScalarType.ComplexDouble));

  private static final Map<String, Class<? extends RuntimeException>> EXCEPTIONS =
      Map.of(
          "IndexError", IndexOutOfBoundsException.class,
          "ValueError", IllegalArgumentException.class,
          "TypeError", TypeException.class,
          "NotImplementedError", UnsupportedOperationException.class);

  private Values() {}

  // ---- to Java ----

  /**
   * An argument as a tensor, a list, a {@code Long}, {@code Double}, {@code Boolean}, {@code
   * String}, {@code ScalarType} or null.
   *
   * @param leaves takes the tensors that want a gradient; null if none does
   */
  static Object argument(JsonElement json, List<Tensor> leaves) {
    if (json.isJsonNull()) {
      return null;
    }
    if (json.isJsonArray()) {
      List<Object> list = new ArrayList<>();
      json.getAsJsonArray().forEach(item -> list.add(argument(item, leaves)));
      return list;
    }
    if (json.isJsonPrimitive()) {
      return primitive(json.getAsJsonPrimitive());
    }
    JsonObject object = json.getAsJsonObject();
    return object.has("dtype")
        ? TYPES.get(object.get("dtype").getAsString())
        : tensor(object, leaves);
  }

  private static Object primitive(JsonPrimitive json) {
    if (json.isBoolean()) {
      return json.getAsBoolean();
    }
    String text = json.getAsString();
    if (text.matches("NaN|-?Infinity")) {
      return Double.valueOf(text);
    }
    if (json.isString()) {
      return text;
    }
    if (text.matches("-?\\d+")) {
      return Long.valueOf(text);
    }
    return Double.valueOf(text);
  }

  private static Tensor tensor(JsonObject json, List<Tensor> leaves) {
    ScalarType type = TYPES.get(json.get("tensor").getAsString());
    JsonArray data = json.getAsJsonArray("data");
    long[] shape = longs(json.getAsJsonArray("shape"));
    boolean isResult = json.has("is_result");
    boolean isLeaf = leaves != null && !json.has("constant");
    int parts = isComplex(type) ? 2 : 1;
    Tensor dense =
        memory(type, data, json.has("stride") ? new long[] {data.size() / parts} : shape);
    if (isResult && isLeaf) {
      leaves.add(dense.requires_grad_(true));
    }
    Tensor tensor = isResult ? dense.clone() : dense;
    if (json.has("stride")) {
      long[] strides = longs(json.getAsJsonArray("stride"));
      tensor = tensor.as_strided(shape, strides, json.get("offset").getAsLong());
    }
    if (!isResult && isLeaf) {
      leaves.add(tensor.requires_grad_(true));
    }
    return tensor;
  }

  private static Tensor memory(ScalarType type, JsonArray data, long... shape) {
    if (type == ScalarType.Bool) {
      boolean[] values = new boolean[data.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = data.get(i).getAsInt() != 0;
      }
      return torch.tensor(values).reshape(shape);
    }
    if (isComplex(type)) {
      return complex(type, doubles(data), shape);
    }
    TensorOptions options = new TensorOptions(type);
    Tensor flat =
        isFloating(type)
            ? torch.tensor(doubles(data), options)
            : torch.tensor(longs(data), options);
    return flat.reshape(shape);
  }

  private static Tensor complex(ScalarType type, double[] parts, long[] shape) {
    boolean isWide = type == ScalarType.ComplexDouble;
    ByteBuffer bytes = ByteBuffer.allocateDirect(parts.length * (isWide ? 8 : 4));
    bytes.order(ByteOrder.nativeOrder());
    for (double part : parts) {
      if (isWide) {
        bytes.putDouble(part);
      } else {
        bytes.putFloat((float) part);
      }
    }
    return torch.from_blob(new Pointer(bytes.flip()), shape, new TensorOptions(type));
  }

  static long[] longs(JsonArray json) {
    long[] values = new long[json.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = json.get(i).getAsLong();
    }
    return values;
  }

  private static double[] doubles(JsonArray json) {
    double[] values = new double[json.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = json.get(i).getAsDouble();
    }
    return values;
  }

  private static boolean isComplex(ScalarType type) {
    return type == ScalarType.ComplexFloat || type == ScalarType.ComplexDouble;
  }

  private static boolean isFloating(ScalarType type) {
    return type == ScalarType.Half
        || type == ScalarType.BFloat16
        || type == ScalarType.Float
        || type == ScalarType.Double;
  }

  /** The gradient that the golden files put on the result at this place; see store.py. */
  static Tensor cotangent(Tensor result, int place) {
    return pattern(result.scalar_type(), result.shape(), place);
  }

  /** The same pattern for any type and shape. */
  static Tensor pattern(ScalarType type, long[] shape, int place) {
    long count = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
    double[] pattern = new double[(int) count * (isComplex(type) ? 2 : 1)];
    for (int k = 0; k < pattern.length; k++) {
      pattern[k] = ((37 * k + 17 * place + 11) % 63 - 31) / 32.0;
    }
    return isComplex(type)
        ? complex(type, pattern, shape)
        : torch.tensor(pattern, new TensorOptions(type)).reshape(shape);
  }

  /** The tensors of a result. */
  static List<Tensor> tensors(Object result) {
    if (result instanceof Tensor) {
      return List.of((Tensor) result);
    }
    if (result instanceof TensorVector) {
      return List.of(((TensorVector) result).get());
    }
    if (result instanceof T_TensorTensor_T) {
      T_TensorTensor_T two = (T_TensorTensor_T) result;
      return List.of(two.get0(), two.get1());
    }
    if (result instanceof T_TensorTensorTensor_T) {
      T_TensorTensorTensor_T three = (T_TensorTensorTensor_T) result;
      return List.of(three.get0(), three.get1(), three.get2());
    }
    if (result instanceof T_TensorTensorTensorTensor_T) {
      T_TensorTensorTensorTensor_T four = (T_TensorTensorTensorTensor_T) result;
      return List.of(four.get0(), four.get1(), four.get2(), four.get3());
    }
    return List.of();
  }

  /** The elements in row-major order; complex ones as two numbers. */
  static double[] elements(Tensor tensor) {
    return isComplex(tensor.scalar_type()) ? parts(tensor) : tensor.toDoubleArray();
  }

  static ScalarType type(String name) {
    return TYPES.get(name);
  }

  /** The name that the files have for an element type. */
  static String name(ScalarType type) {
    return TYPES.entrySet().stream()
        .filter(entry -> entry.getValue() == type)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }

  // ---- comparison ----

  /** An exception as Python writes it: its class there, and the first line. */
  static String errorText(RuntimeException error) {
    String kind =
        EXCEPTIONS.entrySet().stream()
            .filter(entry -> entry.getValue() == error.getClass())
            .map(Map.Entry::getKey)
            .findFirst()
            .orElse("RuntimeError");
    return kind + ": " + String.valueOf(error.getMessage()).split("\n", 2)[0];
  }

  /** The call must fail as PyTorch does: the exception for its class, and its first line. */
  static void assertFails(String what, JsonArray error, ThrowingRunnable call) {
    String kind = error.get(0).getAsString();
    RuntimeException thrown =
        assertThrows(what, EXCEPTIONS.getOrDefault(kind, TorchException.class), call);
    String message = String.valueOf(thrown.getMessage());
    assertEquals(what, error.get(1).getAsString(), message.split("\n", 2)[0]);
  }

  /** The result of a call against the stored one. */
  static void assertResult(String what, GoldenCase golden, JsonElement expected, Object actual) {
    if (expected.isJsonArray()) {
      List<Tensor> tensors = tensors(actual);
      assertEquals(what + ": number of results", expected.getAsJsonArray().size(), tensors.size());
      for (int i = 0; i < tensors.size(); i++) {
        String which = what + ", result " + i;
        JsonObject one = expected.getAsJsonArray().get(i).getAsJsonObject();
        assertTensor(which, golden, one, tensors.get(i), 1);
      }
    } else if (expected.isJsonObject() && expected.getAsJsonObject().has("tensor")) {
      assertTrue(what + ": a tensor, not " + actual, actual instanceof Tensor);
      assertTensor(what, golden, expected.getAsJsonObject(), (Tensor) actual, 1);
    } else {
      assertPlain(what, argument(expected, null), actual);
    }
  }

  private static void assertPlain(String what, Object expected, Object actual) {
    Object plain = actual;
    if (actual instanceof Scalar) {
      Scalar scalar = (Scalar) actual;
      if (scalar.isBoolean()) {
        plain = scalar.toBool();
      } else {
        plain = scalar.isFloatingPoint() ? (Object) scalar.toDouble() : (Object) scalar.toLong();
      }
    }
    if (expected instanceof Double && plain instanceof Double) {
      assertEquals(what, (Double) expected, (Double) plain, 1e-6 * Math.abs((Double) expected));
    } else {
      assertEquals(what, expected, plain);
    }
  }

  /** Element type, sizes and elements; the tolerance is the usual one times the scale. */
  static void assertTensor(
      String what, GoldenCase golden, JsonObject expected, Tensor actual, double scale) {
    String type = expected.get("tensor").getAsString();
    assertEquals(what + ": element type", TYPES.get(type), actual.scalar_type());
    assertArrayEquals(what + ": sizes", longs(expected.getAsJsonArray("shape")), actual.shape());
    JsonArray data = expected.getAsJsonArray("data");
    Tensor plain = actual.data();
    if (isComplex(actual.scalar_type())) {
      assertClose(what, tolerance(type, golden, scale), doubles(data), parts(plain));
    } else if (isFloating(actual.scalar_type())) {
      assertClose(what, tolerance(type, golden, scale), doubles(data), plain.toDoubleArray());
    } else {
      assertArrayEquals(what, longs(data), plain.toLongArray());
    }
  }

  private static double[] parts(Tensor complex) {
    Tensor dense = complex.contiguous();
    boolean isWide = complex.scalar_type() == ScalarType.ComplexDouble;
    double[] parts = new double[2 * (int) complex.numel()];
    ByteBuffer bytes = parts.length == 0 ? null : dense.data_ptr().asByteBuffer();
    for (int i = 0; i < parts.length; i++) {
      parts[i] = isWide ? bytes.getDouble(8 * i) : bytes.getFloat(4 * i);
    }
    return parts;
  }

  private static void assertClose(
      String what, double[] tolerance, double[] expected, double[] actual) {
    assertEquals(what + ": number of elements", expected.length, actual.length);
    for (int i = 0; i < expected.length; i++) {
      double bound = tolerance[1] + tolerance[0] * Math.abs(expected[i]);
      // The bound is not finite for infinities, which must be equal.
      double allowed = Double.isFinite(bound) ? bound : 0;
      assertEquals(what + ": element " + i, expected[i], actual[i], allowed);
    }
  }

  /** Relative and absolute: the usual one, or the operator's where it has one, times the scale. */
  private static double[] tolerance(String type, GoldenCase golden, double scale) {
    double[] usual = usualTolerance(type);
    JsonElement special = golden.operator.getAsJsonObject("tolerance").get(type);
    double relative = special == null ? usual[0] : Math.max(usual[0], special.getAsDouble());
    return new double[] {scale * relative, scale * usual[1]};
  }

  private static double[] usualTolerance(String type) {
    switch (type) {
      case "float16":
        return new double[] {2e-3, 1e-3};
      case "bfloat16":
        return new double[] {1.6e-2, 1e-2};
      case "float32":
      case "complex64":
        return new double[] {4e-6, 4e-6};
      default:
        return new double[] {1e-11, 1e-12};
    }
  }
}
