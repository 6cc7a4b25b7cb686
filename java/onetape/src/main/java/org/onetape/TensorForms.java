package org.onetape;

import java.lang.reflect.Array;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;
import org.onetape.internal.ArrayTensors;

/** Tensors in another form: transposed, of another element type, or made like this one. */
interface TensorForms {
  private Tensor self() {
    return (Tensor) this;
  }

  private void checkDims(boolean fits, String name, String what) {
    if (!fits) {
      throw new TorchException(
          "tensor."
              + name
              + " is only supported on "
              + what
              + ". Got "
              + self().dim()
              + "-D tensor.");
    }
  }

  /** The tensor with its dimensions in reverse order. */
  default Tensor T() {
    long[] order = new long[Math.toIntExact(self().dim())];
    for (int i = 0; i < order.length; i++) {
      order[i] = order.length - 1L - i;
    }
    return self().permute(order);
  }

  /** The transposed matrix, or every one of a batch; a TorchException for fewer dimensions. */
  default Tensor mT() {
    checkDims(self().dim() >= 2, "mT", "matrices or batches of matrices");
    return self().transpose(-2, -1);
  }

  /**
   * The conjugate of the transposed matrix; a TorchException where there are not two dimensions.
   */
  default Tensor H() {
    checkDims(self().dim() == 2, "H", "matrices (2-D tensors)");
    return self().transpose(0, 1).conj();
  }

  /** The conjugate of {@link #mT()}. */
  default Tensor mH() {
    checkDims(self().dim() >= 2, "mH", "matrices or batches of matrices");
    return self().transpose(-2, -1).conj();
  }

  /** The elements as 16-bit floating-point numbers. */
  default Tensor half() {
    return self().to(ScalarType.Half);
  }

  /** The elements as 16-bit floating-point numbers with the range of 32-bit ones. */
  default Tensor bfloat16() {
    return self().to(ScalarType.BFloat16);
  }

  /** The elements as complex numbers of two floats. */
  default Tensor cfloat() {
    return self().to(ScalarType.ComplexFloat);
  }

  /** The elements as complex numbers of two doubles. */
  default Tensor cdouble() {
    return self().to(ScalarType.ComplexDouble);
  }

  /** The elements in the element type of the other tensor. */
  default Tensor type_as(Tensor other) {
    return self().to(other.scalar_type());
  }

  /** These elements where the condition is true, those of the other tensor elsewhere. */
  default Tensor where(Tensor condition, Tensor other) {
    return torch.where(condition, self(), other);
  }

  /** These elements where the condition is true, a number elsewhere. */
  default Tensor where(Tensor condition, Scalar other) {
    return torch.where(condition, self(), other);
  }

  /** The distinct elements in ascending order. */
  default Tensor unique() {
    return torch._unique2(self(), true, false, false).get0();
  }

  /**
   * A new tensor of this one's element type from a number, a boolean, an array of numbers or
   * booleans, or arrays of such arrays.
   *
   * @throws IllegalArgumentException if the data are something else, or rows differ in length
   */
  default Tensor new_tensor(Object data) {
    return new_tensor(data, new TensorOptions());
  }

  /** A new tensor from data; what the options leave open is as in this tensor. */
  default Tensor new_tensor(Object data, TensorOptions options) {
    TensorOptions all = options.has_dtype() ? options : options.dtype(self().scalar_type());
    if (data instanceof Tensor) {
      Tensor copy = ((Tensor) data).detach().to(all.dtype().toScalarType()).clone();
      return copy.requires_grad_(all.requires_grad());
    }
    if (data instanceof Object[]) {
      return ArrayTensors.tensor((Object[]) data, all);
    }
    if (data instanceof Boolean) {
      return torch.tensor((boolean) data, all);
    }
    if (data instanceof Long
        || data instanceof Integer
        || data instanceof Short
        || data instanceof Byte) {
      return torch.tensor(((Number) data).longValue(), all);
    }
    if (data instanceof Number) {
      return torch.tensor(((Number) data).doubleValue(), all);
    }
    long length = data != null && data.getClass().isArray() ? Array.getLength(data) : 0;
    return ArrayTensors.tensor(data, new long[] {length}, all);
  }
}
