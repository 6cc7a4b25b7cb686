package org.onetape.internal;

import java.util.Objects;
import org.onetape.BoolOptional;
import org.onetape.Device;
import org.onetape.DeviceOptional;
import org.onetape.DoubleOptional;
import org.onetape.Generator;
import org.onetape.GeneratorOptional;
import org.onetape.LongArrayRef;
import org.onetape.LongArrayRefOptional;
import org.onetape.LongOptional;
import org.onetape.MemoryFormatOptional;
import org.onetape.Scalar;
import org.onetape.ScalarOptional;
import org.onetape.ScalarTypeOptional;
import org.onetape.StringViewOptional;
import org.onetape.Tensor;
import org.onetape.TensorArrayRefOptional;
import org.onetape.TensorOptional;
import org.onetape.TensorOptions;
import org.onetape.TypeMeta;
import org.onetape.global.torch.MemoryFormat;
import org.onetape.global.torch.ScalarType;

/** Turns arguments into what native code takes: numbers, arrays and tensors. */
public final class Args {
  /** What stands for an element type, device or memory format that is left out. */
  public static final int NONE = -1;

  /** Kinds of numbers: left out, floating-point, integer, boolean. */
  public static final int NO_NUMBER = 0;

  public static final int DOUBLE = 1;
  public static final int LONG = 2;
  public static final int BOOL = 3;

  private static final ScalarType[] SCALAR_TYPES = ScalarType.values();

  private Args() {}

  public static ScalarType scalarType(int code) {
    return SCALAR_TYPES[code];
  }

  public static int dtype(ScalarType type) {
    return type == null ? NONE : type.value;
  }

  public static int dtype(ScalarTypeOptional type) {
    return type == null || !type.has_value() ? NONE : type.get().value;
  }

  public static int dtype(TypeMeta type) {
    return dtype(type.toScalarType());
  }

  public static int dtype(TensorOptions options) {
    return options == null ? NONE : dtype(options.dtype_opt());
  }

  public static int device(Device device) {
    return device == null ? NONE : (device.type().value << 8) | (device.index() & 0xff);
  }

  public static int device(DeviceOptional device) {
    return device == null || !device.has_value() ? NONE : device(device.get());
  }

  public static int device(TensorOptions options) {
    return options == null ? NONE : device(options.device_opt());
  }

  public static boolean requiresGrad(TensorOptions options) {
    return options != null && options.requires_grad();
  }

  public static int memoryFormat(MemoryFormat format) {
    return format == null ? NONE : format.value;
  }

  public static int memoryFormat(MemoryFormatOptional format) {
    return format == null || !format.has_value() ? NONE : format.get().value;
  }

  public static int memoryFormat(TensorOptions options) {
    return options == null ? NONE : memoryFormat(options.memory_format_opt());
  }

  public static int kind(Scalar number) {
    Objects.requireNonNull(number, "an argument of type Scalar is null");
    return number.isFloatingPoint() ? DOUBLE : number.isBoolean() ? BOOL : LONG;
  }

  public static long bits(Scalar number) {
    Objects.requireNonNull(number, "an argument of type Scalar is null");
    return number.isFloatingPoint()
        ? Double.doubleToRawLongBits(number.toDouble())
        : number.toLong();
  }

  public static int kind(ScalarOptional number) {
    return number == null || !number.has_value() ? NO_NUMBER : kind(number.get());
  }

  public static long bits(ScalarOptional number) {
    return number == null || !number.has_value() ? 0 : bits(number.get());
  }

  public static Scalar scalar(long bits, int kind) {
    switch (kind) {
      case DOUBLE:
        return new Scalar(Double.longBitsToDouble(bits));
      case LONG:
        return new Scalar(bits);
      default:
        return new Scalar(bits != 0);
    }
  }

  public static long[] longs(LongArrayRef values) {
    return values == null ? null : values.toArray();
  }

  public static long[] longs(LongArrayRefOptional values) {
    return values == null || !values.has_value() ? null : values.get().toArray();
  }

  public static boolean has(LongOptional value) {
    return value != null && value.has_value();
  }

  public static long value(LongOptional value) {
    return has(value) ? value.get() : 0;
  }

  public static boolean has(DoubleOptional value) {
    return value != null && value.has_value();
  }

  public static double value(DoubleOptional value) {
    return has(value) ? value.get() : 0;
  }

  /** 0 for false, 1 for true, -1 for left out. */
  public static int flag(BoolOptional value) {
    return value == null || !value.has_value() ? NONE : value.get() ? 1 : 0;
  }

  public static boolean isTrue(BoolOptional value) {
    return flag(value) == 1;
  }

  public static String text(StringViewOptional value) {
    return value == null || !value.has_value() ? null : value.get();
  }

  public static Tensor tensor(TensorOptional value) {
    return value == null || !value.has_value() ? null : value.get();
  }

  public static Generator generator(GeneratorOptional value) {
    return value == null || !value.has_value() ? null : value.get();
  }

  public static Tensor[] tensors(TensorArrayRefOptional value) {
    return value == null || !value.has_value() ? null : Access.tensors(value.get());
  }
}
