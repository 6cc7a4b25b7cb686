package org.onetape;

import java.util.Arrays;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

/**
 * The elements of a tensor as real numbers: of a complex tensor two for each, real and imaginary.
 */
final class Elements {
  private Elements() {}

  static boolean isDouble(Tensor t) {
    return t.scalar_type() == ScalarType.Double || t.scalar_type() == ScalarType.ComplexDouble;
  }

  static int count(Tensor t) {
    return Math.toIntExact(t.is_complex() ? 2 * t.numel() : t.numel());
  }

  static double[] of(Tensor t) {
    Tensor plain = t.detach();
    if (!plain.is_complex()) {
      return plain.to(ScalarType.Double).toDoubleArray();
    }
    double[] real = plain.to(ScalarType.Double).toDoubleArray();
    double[] imaginary = plain.mul(minusI()).to(ScalarType.Double).toDoubleArray();
    double[] all = Arrays.copyOf(real, 2 * real.length);
    System.arraycopy(imaginary, 0, all, real.length, real.length);
    return all;
  }

  /** A tensor like another one, with these elements. */
  static Tensor tensor(double[] elements, Tensor like) {
    if (!like.is_complex()) {
      return Tensor.create(elements, like.shape()).to(like.scalar_type());
    }
    int half = elements.length / 2;
    Tensor real = Tensor.create(Arrays.copyOf(elements, half), like.shape());
    Tensor imaginary = Tensor.create(Arrays.copyOfRange(elements, half, 2 * half), like.shape());
    return real.sub(imaginary.mul(minusI())).to(like.scalar_type());
  }

  private static Tensor minusI() {
    Tensor minusOne = torch.tensor(-1.0).to(ScalarType.ComplexDouble);
    return minusOne.sqrt().neg();
  }
}
