package org.onetape.nn;

import java.math.BigDecimal;
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
}
