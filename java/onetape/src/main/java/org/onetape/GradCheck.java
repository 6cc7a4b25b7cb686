package org.onetape;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.onetape.Autograd.TensorsFunction;
import org.onetape.global.torch;

/**
 * Compares gradients with central differences, one element of an input at a time, or along one
 * random direction.
 *
 * <p>Of complex numbers both parts are elements: a complex tensor counts as twice as many real
 * numbers.
 */
final class GradCheck {
  private final TensorsFunction function;
  private final Tensor[] inputs;
  private final GradCheckOptions options;

  GradCheck(TensorsFunction function, Tensor[] inputs, GradCheckOptions options) {
    this.function = function;
    this.inputs = inputs.clone();
    this.options = options;
  }

  /** What is wrong; null if nothing is. */
  String run() {
    if (!options.checkBackwardAd && !options.checkForwardAd) {
      throw new IllegalArgumentException(
          "Expected at least one of check_forward_ad or check_backward_ad to be True");
    }
    checkInputs();
    String wrong = null;
    for (int i = 0; i < inputs.length && wrong == null; i++) {
      if (inputs[i].requires_grad()) {
        try (MemoryScope scope = new MemoryScope()) {
          wrong = options.fastMode ? checkAlong(i) : checkWhole(i);
        }
      }
    }
    if (wrong == null && options.checkBackwardAd) {
      wrong = checkZeros();
    }
    return wrong == null && options.checkUndefinedGrad ? checkUndefined() : wrong;
  }

  private void checkInputs() {
    Products.checkTensors(inputs, "inputs", "gradcheck");
    boolean any = false;
    for (int i = 0; i < inputs.length; i++) {
      if (!inputs[i].requires_grad()) {
        continue;
      }
      any = true;
      if (!Elements.isDouble(inputs[i])) {
        throw new IllegalArgumentException(
            "gradcheck: input "
                + i
                + " is "
                + inputs[i].scalar_type()
                + "; use Double or ComplexDouble");
      }
      for (int d = 0; d < inputs[i].dim(); d++) {
        if (inputs[i].stride(d) == 0 && inputs[i].size(d) > 1) {
          throw new TorchException(
              "The "
                  + i
                  + "th input has a dimension with stride 0. gradcheck only supports inputs"
                  + " that are non-overlapping to be able to compute the numerical gradients"
                  + " correctly. You should call .contiguous on the input before passing it to"
                  + " gradcheck.");
        }
      }
    }
    if (!any) {
      throw new IllegalArgumentException(
          "gradcheck expects at least one input tensor to require gradient, but none of them have"
              + " requires_grad=True.");
    }
  }

  // ---- the function near the point ----

  private Tensor[] evaluate(Tensor[] arguments) {
    Tensor[] outputs = function.apply(arguments);
    Products.checkTensors(outputs, "outputs of the user-provided function", "gradcheck");
    return outputs;
  }

  /** For each output, its elements where input `which` is moved. */
  private double[][] valuesAt(int which, double[] point) {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor[] arguments = inputs.clone();
      arguments[which] = Elements.tensor(point, inputs[which]).requires_grad_(true);
      Tensor[] outputs = evaluate(arguments);
      return Arrays.stream(outputs).map(Elements::of).toArray(double[][]::new);
    }
  }

  /** For each output, how its elements change along a direction of input `which`. */
  private double[][] difference(int which, double[] direction) {
    double[] point = Elements.of(inputs[which]);
    double[] above = point.clone();
    double[] below = point.clone();
    for (int k = 0; k < point.length; k++) {
      above[k] += options.eps * direction[k];
      below[k] -= options.eps * direction[k];
    }
    double[][] high = valuesAt(which, above);
    double[][] low = valuesAt(which, below);
    for (int output = 0; output < high.length; output++) {
      if (high[output].length != low[output].length) {
        throw new IllegalStateException(
            "Expected `func` to return outputs with the same shape when inputs are perturbed by "
                + options.eps);
      }
      for (int j = 0; j < high[output].length; j++) {
        high[output][j] = (high[output][j] - low[output][j]) / (2 * options.eps);
      }
    }
    return high;
  }

  private static double[] unit(int length, int k) {
    double[] unit = new double[length];
    unit[k] = 1;
    return unit;
  }

  // ---- whole Jacobians ----

  private String checkWhole(int which) {
    int rows = Elements.count(inputs[which]);
    double[][][] numerical = new double[rows][][];
    for (int k = 0; k < rows; k++) {
      numerical[k] = difference(which, unit(rows, k));
    }
    Tensor[] outputs = evaluate(inputs);
    for (int output = 0; output < outputs.length; output++) {
      int place = output;
      double[][] measured =
          Arrays.stream(numerical).map(row -> row[place]).toArray(double[][]::new);
      if (!outputs[output].requires_grad()) {
        if (nothingRecorded(outputs) && Arrays.stream(measured).anyMatch(GradCheck::anyChange)) {
          return "Numerical gradient for function expected to be zero";
        }
        continue;
      }
      if (options.checkBackwardAd) {
        double[][] first = backwardJacobian(outputs[output], which);
        String wrong = checkAgain(first, backwardJacobian(outputs[output], which));
        if (wrong != null || !agree(first, measured)) {
          return wrong != null ? wrong : mismatch("", output, which, measured, first);
        }
      }
      if (options.checkForwardAd) {
        double[][] forward = new double[rows][];
        for (int k = 0; k < rows; k++) {
          forward[k] = tangentsAlong(which, unit(rows, k))[output];
        }
        if (!agree(forward, measured)) {
          return mismatch("computed with forward mode ", output, which, measured, forward);
        }
      }
    }
    return null;
  }

  private static boolean nothingRecorded(Tensor[] outputs) {
    return Arrays.stream(outputs).noneMatch(Tensor::requires_grad);
  }

  private static boolean anyChange(double[] row) {
    return Arrays.stream(row).anyMatch(x -> x != 0);
  }

  /** The derivative of every element of an output (column) by every element of an input (row). */
  private double[][] backwardJacobian(Tensor output, int which) {
    int columns = Elements.count(output);
    double[][] jacobian = new double[Elements.count(inputs[which])][columns];
    for (int j = 0; j < columns; j++) {
      double[] column = gradientAlong(output, which, unit(columns, j));
      for (int k = 0; k < column.length; k++) {
        jacobian[k][j] = column[k];
      }
    }
    return jacobian;
  }

  private double[] gradientAlong(Tensor output, int which, double[] seed) {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor[] along = {Elements.tensor(seed, output)};
      Tensor gradient =
          Products.gradients(
              new Tensor[] {output}, new Tensor[] {inputs[which]}, along, true, false)[0];
      if (gradient == null) {
        return new double[Elements.count(inputs[which])];
      }
      if (!Arrays.equals(gradient.shape(), inputs[which].shape())) {
        throw new TorchException("Analytical gradient has incorrect size");
      }
      return Elements.of(gradient);
    }
  }

  /** For each output, its tangent where one input alone has one. */
  private double[][] tangentsAlong(int which, double[] direction) {
    try (MemoryScope scope = new MemoryScope();
        ForwardAD level = new ForwardAD()) {
      Tensor[] arguments = inputs.clone();
      Tensor tangent = Elements.tensor(direction, inputs[which]);
      arguments[which] = ForwardAD.makeDual(inputs[which].detach(), tangent);
      Tensor[] outputs = evaluate(arguments);
      double[][] found = new double[outputs.length][];
      for (int i = 0; i < found.length; i++) {
        Tensor one = ForwardAD.unpackDual(outputs[i]).tangent();
        found[i] = one.defined() ? Elements.of(one) : new double[Elements.count(outputs[i])];
      }
      return found;
    }
  }

  private String checkAgain(double[][] first, double[][] second) {
    for (int k = 0; k < first.length; k++) {
      for (int j = 0; j < first[k].length; j++) {
        if (Math.abs(first[k][j] - second[k][j]) > options.nondetTol) {
          return "Backward is not reentrant, i.e., running backward with same input and grad_output"
              + " multiple times gives different values, although analytical gradient matches"
              + " numerical gradient.The tolerance for nondeterminism was "
              + options.nondetTol
              + ".";
        }
      }
    }
    return null;
  }

  private boolean close(double analytical, double numerical) {
    return analytical == numerical
        || Math.abs(analytical - numerical) <= options.atol + options.rtol * Math.abs(numerical);
  }

  private boolean agree(double[][] analytical, double[][] numerical) {
    for (int k = 0; k < numerical.length; k++) {
      for (int j = 0; j < numerical[k].length; j++) {
        if (!close(analytical[k][j], numerical[k][j])) {
          return false;
        }
      }
    }
    return true;
  }

  private static String mismatch(
      String mode, int output, int input, Object[] numerical, Object[] analytical) {
    return "Jacobian "
        + mode
        + "mismatch for output "
        + output
        + " with respect to input "
        + input
        + ",\nnumerical:"
        + Arrays.deepToString(numerical)
        + "\nanalytical:"
        + Arrays.deepToString(analytical)
        + "\n";
  }

  // ---- along one direction ----

  private static double[] randomDirection(Random random, int length) {
    double[] u = random.doubles(length).toArray();
    double norm = Math.sqrt(Arrays.stream(u).map(x -> x * x).sum());
    return Arrays.stream(u).map(x -> norm == 0 ? 0 : x / norm).toArray();
  }

  private static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }

  private String checkAlong(int which) {
    Random random = new Random(which);
    double[] u = randomDirection(random, Elements.count(inputs[which]));
    double[][] measured = difference(which, u);
    Tensor[] outputs = evaluate(inputs);
    for (int output = 0; output < outputs.length; output++) {
      if (!outputs[output].requires_grad()) {
        if (nothingRecorded(outputs) && anyChange(measured[output])) {
          return "Numerical gradient for function expected to be zero";
        }
        continue;
      }
      double[] v = randomDirection(random, measured[output].length);
      double numerical = dot(v, measured[output]);
      if (options.checkBackwardAd) {
        double backward = dot(gradientAlong(outputs[output], which, v), u);
        if (!close(backward, numerical)) {
          return mismatch("", output, which, new Object[] {numerical}, new Object[] {backward});
        }
      }
      if (options.checkForwardAd) {
        double forward = dot(tangentsAlong(which, u)[output], v);
        if (!close(forward, numerical)) {
          return mismatch(
              "computed with forward mode ",
              output,
              which,
              new Object[] {numerical},
              new Object[] {forward});
        }
      }
    }
    return null;
  }

  // ---- gradients of zero, and none ----

  private Tensor[] leaves() {
    return Arrays.stream(inputs).filter(Tensor::requires_grad).toArray(Tensor[]::new);
  }

  private static boolean allZero(Tensor[] gradients) {
    return Arrays.stream(gradients).allMatch(g -> g == null || !anyChange(Elements.of(g)));
  }

  private String checkZeros() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor[] outputs = recorded(evaluate(inputs));
      Tensor[] zeros = Arrays.stream(outputs).map(torch::zeros_like).toArray(Tensor[]::new);
      return allZero(Products.gradients(outputs, leaves(), zeros, false, false))
          ? null
          : "backward not multiplied by grad_output";
    }
  }

  static Tensor[] recorded(Tensor[] outputs) {
    return Arrays.stream(outputs).filter(Tensor::requires_grad).toArray(Tensor[]::new);
  }

  /** The identity, through which no gradient comes back. */
  private static final class NoGradient extends Function {
    @Override
    public Tensor forward(Tensor input) {
      return input.view_as(input);
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      return null;
    }
  }

  private String checkUndefined() {
    int count = recorded(evaluate(inputs)).length;
    List<Integer> choices = new ArrayList<>();
    choices.add(-1); // none has a gradient
    for (int k = 0; k < count && count > 1; k++) {
      choices.add(k);
    }
    for (int choice : choices) {
      try (MemoryScope scope = new MemoryScope()) {
        Tensor[] outputs = recorded(evaluate(inputs));
        for (int k = 0; k < outputs.length; k++) {
          if (choice < 0 || choice == k) {
            outputs[k] = new NoGradient().apply(outputs[k]);
          }
        }
        Tensor[] zeros = Arrays.stream(outputs).map(torch::zeros_like).toArray(Tensor[]::new);
        if (!allZero(Products.gradients(outputs, leaves(), zeros, false, false))) {
          return "Expected all input grads to be undefined or zero when all output grads are"
              + " undefined or zero. Please look at \"Notes about undefined output gradients\" in"
              + " \"tools/autograd/derivatives.yaml\"";
        }
      }
    }
    return null;
  }
}
