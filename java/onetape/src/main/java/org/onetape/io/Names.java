package org.onetape.io;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.onetape.global.torch.ScalarType;

/** The names that file formats give to element types. */
final class Names {
  private Names() {}

  private static final Map<ScalarType, String> STORAGES = new HashMap<>();
  private static final Map<ScalarType, String> DTYPES = new HashMap<>();
  private static final Map<ScalarType, String> NUMPY = new HashMap<>();
  private static final Map<ScalarType, String> SAFETENSORS = new HashMap<>();

  /** The order that the safetensors library gives tensors by their types, the last first. */
  static final List<String> RANKS =
      List.of("BOOL", "U8", "I8", "I16", "F16", "BF16", "I32", "F32", "C64", "F64", "I64");

  static {
    add(ScalarType.Float, "FloatStorage", "float32", "f4", "F32");
    add(ScalarType.Double, "DoubleStorage", "float64", "f8", "F64");
    add(ScalarType.Half, "HalfStorage", "float16", "f2", "F16");
    add(ScalarType.BFloat16, "BFloat16Storage", "bfloat16", null, "BF16");
    add(ScalarType.Long, "LongStorage", "int64", "i8", "I64");
    add(ScalarType.Int, "IntStorage", "int32", "i4", "I32");
    add(ScalarType.Short, "ShortStorage", "int16", "i2", "I16");
    add(ScalarType.Char, "CharStorage", "int8", "i1", "I8");
    add(ScalarType.Byte, "ByteStorage", "uint8", "u1", "U8");
    add(ScalarType.Bool, "BoolStorage", "bool", "b1", "BOOL");
    add(ScalarType.ComplexFloat, "ComplexFloatStorage", "complex64", "c8", "C64");
    add(ScalarType.ComplexDouble, "ComplexDoubleStorage", "complex128", "c16", null);
  }

  private static void add(
      ScalarType type, String storage, String dtype, String numpy, String safetensors) {
    STORAGES.put(type, storage);
    DTYPES.put(type, dtype);
    NUMPY.put(type, numpy);
    SAFETENSORS.put(type, safetensors);
  }

  static String storage(ScalarType type) {
    return STORAGES.get(type);
  }

  /** The name of the type in Python; null if there are no tensors of it. */
  static String dtype(ScalarType type) {
    return DTYPES.get(type);
  }

  /** NumPy's code of the type without the byte order; null if NumPy has no such type. */
  static String numpy(ScalarType type) {
    return NUMPY.get(type);
  }

  /** The name of the type in safetensors files; null if they have no such type. */
  static String safetensors(ScalarType type) {
    return SAFETENSORS.get(type);
  }

  static ScalarType ofStorage(String name) {
    return find(STORAGES, name);
  }

  static ScalarType ofDtype(String name) {
    return find(DTYPES, name);
  }

  static ScalarType ofNumpy(String name) {
    return find(NUMPY, name);
  }

  static ScalarType ofSafetensors(String name) {
    return find(SAFETENSORS, name);
  }

  private static ScalarType find(Map<ScalarType, String> names, String name) {
    for (Map.Entry<ScalarType, String> entry : names.entrySet()) {
      if (name.equals(entry.getValue())) {
        return entry.getKey();
      }
    }
    return null;
  }

  /** The bytes of one number: a complex element is two. */
  static int width(ScalarType type) {
    boolean complex = type == ScalarType.ComplexFloat || type == ScalarType.ComplexDouble;
    return complex ? type.itemsize() / 2 : type.itemsize();
  }
}
