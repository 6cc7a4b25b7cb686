package org.onetape.nn;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;

/** Values as PyTorch's modules show them. */
final class PythonText {
  private PythonText() {}

  static String of(boolean value) {
    return value ? "True" : "False";
  }

  static String of(List<String> words) {
    return words.isEmpty() ? "[]" : "['" + String.join("', '", words) + "']";
  }

  static String of(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
    }
    String text = Double.toString(value);
    if (text.indexOf('E') < 0) {
      return text;
    }
    BigDecimal number = new BigDecimal(text).stripTrailingZeros();
    int exponent = number.precision() - number.scale() - 1;
    if (exponent >= -4 && exponent < 16) {
      String plain = number.toPlainString();
      return plain.indexOf('.') < 0 ? plain + ".0" : plain;
    }
    String digits = number.movePointLeft(exponent).toPlainString();
    return digits
        + (exponent < 0 ? "e-" : "e+")
        + (Math.abs(exponent) < 10 ? "0" : "")
        + Math.abs(exponent);
  }

  /** A tuple: {@code (1, 2)}, {@code (1,)}. */
  static String of(long[] values) {
    String inner = Arrays.toString(values);
    return "(" + inner.substring(1, inner.length() - 1) + (values.length == 1 ? ",)" : ")");
  }

  /** A shape: {@code torch.Size([1, 2])}. */
  static String size(long[] shape) {
    return "torch.Size(" + Arrays.toString(shape) + ")";
  }

  /** One number where all are the same, else a tuple. */
  static String brief(long[] values) {
    boolean same = Arrays.stream(values).allMatch(value -> value == values[0]);
    return same ? Long.toString(values[0]) : of(values);
  }
}
