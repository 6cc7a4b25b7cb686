package org.onetape;

import org.onetape.internal.Access;
import org.onetape.internal.Engine;

/** Differentiation of several tensors at once, and a check of gradients. */
public final class Autograd {
  private Autograd() {}

  /**
   * Adds the gradients of several tensors with respect to their leaves to the leaves' {@code grad}.
   *
   * @param tensors what is differentiated
   * @param gradients of what follows with respect to each, null for 1; may be null as a whole
   */
  public static void backward(Tensor[] tensors, Tensor[] gradients) {
    backward(tensors, gradients, false, false);
  }

  /**
   * The same.
   *
   * @param retainGraph whether the record may be gone through again
   * @param createGraph whether the backward pass is recorded, too
   */
  public static void backward(
      Tensor[] tensors, Tensor[] gradients, boolean retainGraph, boolean createGraph) {
    Engine.backwardAll(tensors, gradients, retainGraph || createGraph, createGraph, null);
  }

  /** The gradients of a number with respect to tensors, whose {@code grad} stays as it is. */
  public static Tensor[] grad(Tensor output, Tensor... inputs) {
    return grad(new Tensor[] {output}, inputs, null, false, false, false);
  }

  /**
   * The gradients of tensors with respect to others, whose {@code grad} stays as it is.
   *
   * @param outputs what is differentiated
   * @param inputs with respect to what
   * @param gradOutputs of what follows with respect to each output, null for 1; may be null
   * @param retainGraph whether the record may be gone through again
   * @param createGraph whether the backward pass is recorded, too, so that the result can be
   *     differentiated
   * @param allowUnused whether an input that was not used gives an undefined tensor, not an error
   */
  public static Tensor[] grad(
      Tensor[] outputs,
      Tensor[] inputs,
      Tensor[] gradOutputs,
      boolean retainGraph,
      boolean createGraph,
      boolean allowUnused) {
    return Access.tensors(
        Engine.gradients(
            outputs, inputs, gradOutputs, retainGraph || createGraph, createGraph, allowUnused));
  }

  /**
   * The same for several sets of gradients of the outputs: every one has a further dimension in
   * front, and so has every result. One backward pass a row, one after the other.
   *
   * @throws TorchException if they do not fit
   */
  public static Tensor[] gradBatched(
      Tensor[] outputs,
      Tensor[] inputs,
      Tensor[] gradOutputs,
      boolean retainGraph,
      boolean createGraph,
      boolean allowUnused) {
    return Batches.grad(outputs, inputs, gradOutputs, retainGraph, createGraph, allowUnused);
  }

  // ---- functions of tensors ----

  /** A function from tensors to a tensor. */
  @FunctionalInterface
  public interface TensorFunction {
    /** The result for the given inputs. */
    Tensor apply(Tensor... inputs);
  }

  /** A function from tensors to tensors. */
  @FunctionalInterface
  public interface TensorsFunction {
    /** The results for the given inputs. */
    Tensor[] apply(Tensor... inputs);

    /** A function with one result. */
    static TensorsFunction of(TensorFunction function) {
      return inputs -> new Tensor[] {function.apply(inputs)};
    }
  }

  /** What a function gives, and a product with its Jacobian or Hessian. */
  public static final class Product {
    private final Tensor[] outputs;
    private final Tensor[] products;

    Product(Tensor[] outputs, Tensor[] products) {
      this.outputs = outputs;
      this.products = products;
    }

    /** The results of the function. */
    public Tensor[] outputs() {
      return outputs.clone();
    }

    /** The first result of the function. */
    public Tensor output() {
      return outputs[0];
    }

    /** The products: one an input, or for {@code jvp} one a result. */
    public Tensor[] products() {
      return products.clone();
    }

    /** The first product. */
    public Tensor product() {
      return products[0];
    }
  }

  /** The value of a function and its gradient. */
  public static final class ValueAndGrad {
    private final Tensor value;
    private final Tensor[] grads;

    ValueAndGrad(Tensor value, Tensor[] grads) {
      this.value = value;
      this.grads = grads;
    }

    /** The value. */
    public Tensor value() {
      return value;
    }

    /** The gradients, one an input that was asked for. */
    public Tensor[] grads() {
      return grads.clone();
    }

    /** The first gradient. */
    public Tensor grad() {
      return grads[0];
    }

    /** A function that computes both. */
    @FunctionalInterface
    public interface Function {
      /** Value and gradient at the given inputs. */
      ValueAndGrad apply(Tensor... inputs);
    }
  }

  /**
   * The function that computes the gradient of a function whose result has no dimension.
   *
   * <pre>{@code
   * Tensor[] slope = Autograd.grad(in -> in[0].sin()).apply(tensor(0.5)); // cos(0.5)
   * }</pre>
   *
   * <p>It nests: the gradient of a gradient is the second derivative.
   *
   * @param argnums with respect to which inputs; the first if none is named
   * @throws TorchException by the function made, for a result that has dimensions and for inputs
   *     that there are not
   */
  public static TensorsFunction grad(TensorFunction function, int... argnums) {
    return Derivatives.grad(function, argnums);
  }

  /** The same with the value: {@code valueAndGrad(f).apply(x).value()}. */
  public static ValueAndGrad.Function valueAndGrad(TensorFunction function, int... argnums) {
    return Derivatives.valueAndGrad(function, argnums);
  }

  /**
   * The result of a function, and a vector times its Jacobian.
   *
   * <pre>{@code
   * Autograd.Product p = Autograd.vjp(in -> in[0].mul(in[1]), new Tensor[] {x, y}, v);
   * p.products(); // v · ∂f/∂x and v · ∂f/∂y
   * }</pre>
   *
   * @param v of the result's shape; null where it has one element
   * @throws TorchException for a v that does not fit
   * @throws TypeException for inputs or results that are missing
   */
  public static Product vjp(TensorFunction function, Tensor[] inputs, Tensor v) {
    return vjp(TensorsFunction.of(function), inputs, one(v), false, false);
  }

  /**
   * The same for a function with several results.
   *
   * @param v one tensor a result
   * @param createGraph whether results and products can be differentiated with respect to the
   *     inputs
   * @param strict whether an input that the results do not depend on is an error, not zeros
   */
  public static Product vjp(
      TensorsFunction function, Tensor[] inputs, Tensor[] v, boolean createGraph, boolean strict) {
    return new Products(function, "vjp", createGraph, strict).vjp(inputs, v);
  }

  /**
   * The result of a function, and its Jacobian times a vector, by two backward passes. In {@link
   * ForwardAD forward mode} one pass gives the same.
   *
   * @param v of the inputs' shapes; null where the input is one number
   * @throws TorchException for a v that does not fit
   */
  public static Product jvp(TensorFunction function, Tensor[] inputs, Tensor... v) {
    return jvp(TensorsFunction.of(function), inputs, v, false, false);
  }

  /** The same for a function with several results, with the options of {@link #vjp}. */
  public static Product jvp(
      TensorsFunction function, Tensor[] inputs, Tensor[] v, boolean createGraph, boolean strict) {
    return new Products(function, "jvp", createGraph, strict).jvp(inputs, v);
  }

  /**
   * The number that a function gives, and a vector times its Hessian.
   *
   * @param v of the inputs' shapes; null where the input is one number
   * @throws TorchException for a result of several elements, and for a v that does not fit
   */
  public static Product vhp(TensorFunction function, Tensor[] inputs, Tensor... v) {
    return vhp(function, inputs, v, false, false);
  }

  /** The same with the options of {@link #vjp}. */
  public static Product vhp(
      TensorFunction function, Tensor[] inputs, Tensor[] v, boolean createGraph, boolean strict) {
    return new Products(TensorsFunction.of(function), "vhp", createGraph, strict).vhp(inputs, v);
  }

  /** The number that a function gives, and its Hessian times a vector; vhp is faster. */
  public static Product hvp(TensorFunction function, Tensor[] inputs, Tensor... v) {
    return hvp(function, inputs, v, false, false);
  }

  /** The same with the options of {@link #vjp}. */
  public static Product hvp(
      TensorFunction function, Tensor[] inputs, Tensor[] v, boolean createGraph, boolean strict) {
    return new Products(TensorsFunction.of(function), "hvp", createGraph, strict).hvp(inputs, v);
  }

  /**
   * The Jacobian of a function at the inputs: one tensor an input, of the result's shape followed
   * by the input's.
   *
   * <pre>{@code
   * Tensor[] j = Autograd.jacobian(in -> in[0].pow(2), tensor(1.0, 2.0)); // [[2, 0], [0, 4]]
   * }</pre>
   */
  public static Tensor[] jacobian(TensorFunction function, Tensor... inputs) {
    return jacobian(TensorsFunction.of(function), inputs, false, false)[0];
  }

  /**
   * The Jacobian of a function with several results: for each, one tensor an input. The options are
   * those of {@link #vjp}.
   */
  public static Tensor[][] jacobian(
      TensorsFunction function, Tensor[] inputs, boolean createGraph, boolean strict) {
    return Jacobians.reverse(function, inputs, createGraph, strict);
  }

  /**
   * The same by {@link ForwardAD forward mode}: faster where there are fewer elements in the inputs
   * than in the results.
   */
  public static Tensor[][] jacobianForward(TensorsFunction function, Tensor... inputs) {
    return Jacobians.forward(function, inputs);
  }

  /**
   * The Hessian of a function whose result is one number: for each input a tensor for each input.
   *
   * @throws TorchException for a result of several elements
   */
  public static Tensor[][] hessian(TensorFunction function, Tensor... inputs) {
    return hessian(function, inputs, false, false);
  }

  /** The same with the options of {@link #vjp}. */
  public static Tensor[][] hessian(
      TensorFunction function, Tensor[] inputs, boolean createGraph, boolean strict) {
    Products inner = new Products(TensorsFunction.of(function), "hessian", true, strict);
    return Jacobians.reverse(leaves -> inner.filledGradient(leaves), inputs, createGraph, strict);
  }

  // ---- checks ----

  /**
   * Compares the gradients of a function with finite differences.
   *
   * @param function what is checked; it is called many times
   * @param inputs where it is checked: doubles, and complex numbers of doubles, of which those are
   *     moved that require a gradient
   * @return true
   * @throws TorchException if a gradient differs: which result, which input, and both Jacobians
   * @throws IllegalArgumentException if no input requires a gradient, or one is of another type
   */
  public static boolean gradcheck(TensorFunction function, Tensor... inputs) {
    return gradcheck(TensorsFunction.of(function), inputs, new GradCheckOptions());
  }

  /**
   * The same.
   *
   * @param eps the step of the differences
   * @param atol how far apart the two may be
   * @param rtol how far apart in relation to the finite difference
   */
  public static boolean gradcheck(
      TensorFunction function, Tensor[] inputs, double eps, double atol, double rtol) {
    return gradcheck(
        TensorsFunction.of(function),
        inputs,
        new GradCheckOptions().eps(eps).atol(atol).rtol(rtol));
  }

  /** The same for a function with several results, with all options. */
  public static boolean gradcheck(
      TensorsFunction function, Tensor[] inputs, GradCheckOptions options) {
    return verdict(new GradCheck(function, inputs, options), options);
  }

  /** The same for the gradients of the gradients. */
  public static boolean gradgradcheck(TensorFunction function, Tensor... inputs) {
    return gradgradcheck(TensorsFunction.of(function), inputs, null, new GradCheckOptions());
  }

  /**
   * The same for a function with several results, with all options.
   *
   * @param gradOutputs of what follows with respect to each result; random numbers if null
   */
  public static boolean gradgradcheck(
      TensorsFunction function, Tensor[] inputs, Tensor[] gradOutputs, GradCheckOptions options) {
    return verdict(GradGradCheck.of(function, inputs, gradOutputs, options), options);
  }

  private static boolean verdict(GradCheck check, GradCheckOptions options) {
    String wrong = check.run();
    if (wrong != null && options.raiseException) {
      throw new TorchException(wrong);
    }
    return wrong == null;
  }

  private static Tensor[] one(Tensor v) {
    return v == null ? null : new Tensor[] {v};
  }
}
