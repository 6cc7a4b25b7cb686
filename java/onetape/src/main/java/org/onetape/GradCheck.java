package org.onetape;

import java.util.Arrays;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

/** Compares gradients with central differences, one element of an input at a time. */
final class GradCheck {
  private final Autograd.TensorFunction function;
  private final Tensor[] inputs;
  private final double eps;
  private final double atol;
  private final double rtol;

  GradCheck(
      Autograd.TensorFunction function, Tensor[] inputs, double eps, double atol, double rtol) {
    this.function = function;
    this.inputs = inputs;
    this.eps = eps;
    this.atol = atol;
    this.rtol = rtol;
  }

  boolean run() {
    boolean any = false;
    for (int i = 0; i < inputs.length; i++) {
      if (inputs[i].requires_grad()) {
        any = true;
        if (inputs[i].scalar_type() != ScalarType.Double) {
          throw new IllegalArgumentException(
              "gradcheck: input " + i + " is " + inputs[i].scalar_type() + "; use Double");
        }
        checkInput(i);
      }
    }
    if (!any) {
      throw new IllegalArgumentException(
          "gradcheck expects at least one input tensor to require gradient, but none of the them"
              + " have requires_grad=True.");
    }
    return true;
  }

  private void checkInput(int i) {
    double[][] numerical = numerical(i);
    double[][] analytical = analytical(i);
    for (int row = 0; row < numerical.length; row++) {
      for (int column = 0; column < numerical[row].length; column++) {
        double expected = numerical[row][column];
        double difference = Math.abs(analytical[row][column] - expected);
        if (!(difference <= atol + rtol * Math.abs(expected))) {
          throw new TorchException(
              "Jacobian mismatch for output 0 with respect to input "
                  + i
                  + ",\nnumerical:"
                  + Arrays.deepToString(numerical)
                  + "\nanalytical:"
                  + Arrays.deepToString(analytical)
                  + "\n");
        }
      }
    }
  }

  /** The derivative of every element of the result (column) by every element of an input (row). */
  private double[][] numerical(int which) {
    double[] point = inputs[which].toDoubleArray();
    double[][] jacobian = new double[point.length][];
    try (MemoryScope scope = new MemoryScope();
        NoGradGuard guard = new NoGradGuard()) {
      for (int k = 0; k < point.length; k++) {
        double[] above = valueAt(which, point, k, eps);
        double[] below = valueAt(which, point, k, -eps);
        jacobian[k] = new double[above.length];
        for (int j = 0; j < above.length; j++) {
          jacobian[k][j] = (above[j] - below[j]) / (2 * eps);
        }
      }
    }
    return jacobian;
  }

  private double[] valueAt(int which, double[] point, int k, double step) {
    double[] moved = point.clone();
    moved[k] += step;
    Tensor[] arguments = inputs.clone();
    arguments[which] = Tensor.create(moved, inputs[which].shape());
    return function.apply(arguments).toDoubleArray();
  }

  private double[][] analytical(int which) {
    double[][] jacobian = new double[Math.toIntExact(inputs[which].numel())][];
    try (MemoryScope scope = new MemoryScope()) {
      Tensor result = function.apply(inputs);
      int columns = Math.toIntExact(result.numel());
      Arrays.setAll(jacobian, row -> new double[columns]);
      for (int j = 0; j < columns; j++) {
        double[] unit = new double[columns];
        unit[j] = 1;
        Tensor seed = Tensor.create(unit, result.shape());
        Tensor gradient =
            Autograd.grad(
                new Tensor[] {result},
                new Tensor[] {inputs[which]},
                new Tensor[] {seed},
                true,
                false,
                true)[0];
        double[] values =
            gradient.defined() ? gradient.toDoubleArray() : new double[jacobian.length];
        for (int row = 0; row < values.length; row++) {
          jacobian[row][j] = values[row];
        }
      }
    }
    return jacobian;
  }

  /** Checks the gradients of the function's gradients, for a fixed gradient of its result. */
  static boolean second(
      Autograd.TensorFunction function, Tensor[] inputs, double eps, double atol, double rtol) {
    for (int i = 0; i < inputs.length; i++) {
      if (inputs[i].requires_grad()) {
        int which = i;
        Autograd.TensorFunction gradient =
            arguments -> gradientWithGraph(function, arguments, which);
        new GradCheck(gradient, inputs, eps, atol, rtol).run();
      }
    }
    return true;
  }

  private static Tensor gradientWithGraph(
      Autograd.TensorFunction function, Tensor[] arguments, int which) {
    try (EnableGradGuard guard = new EnableGradGuard()) {
      Tensor[] leaves = arguments.clone();
      if (!leaves[which].requires_grad()) {
        leaves[which].requires_grad_(true);
      }
      Tensor result = function.apply(leaves);
      double[] weights = new double[Math.toIntExact(result.numel())];
      Arrays.setAll(weights, k -> 1 + 0.25 * k);
      Tensor seed = Tensor.create(weights, result.shape());
      Tensor gradient =
          Autograd.grad(
              new Tensor[] {result},
              new Tensor[] {leaves[which]},
              new Tensor[] {seed},
              true,
              true,
              true)[0];
      return gradient.defined() ? gradient : torch.zeros_like(leaves[which]);
    }
  }
}
