package org.onetape.global;

import java.util.function.Supplier;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.internal.Init;
import org.onetape.internal.ShapedInit;
import org.onetape.nn.Module;

/**
 * First values of parameters; each function changes the tensor, outside the graph, and returns it.
 */
abstract class TorchInit extends TorchFunctions {
  /** Draws values between two bounds. */
  public static Tensor uniform_(Tensor tensor, double low, double high) {
    return Init.uniform(tensor, low, high);
  }

  /** Draws values between 0 and 1. */
  public static Tensor uniform_(Tensor tensor) {
    return uniform_(tensor, 0, 1);
  }

  /** Draws normally distributed values. */
  public static Tensor normal_(Tensor tensor, double mean, double std) {
    return Init.normal(tensor, mean, std);
  }

  /** Draws values from the standard normal distribution. */
  public static Tensor normal_(Tensor tensor) {
    return normal_(tensor, 0, 1);
  }

  /** Sets every element to a value. */
  public static Tensor constant_(Tensor tensor, Scalar value) {
    return Init.constant(tensor, value.toDouble());
  }

  /** Sets every element to zero. */
  public static Tensor zeros_(Tensor tensor) {
    return Init.constant(tensor, 0);
  }

  /** Sets every element to one. */
  public static Tensor ones_(Tensor tensor) {
    return Init.constant(tensor, 1);
  }

  /**
   * Draws uniform values whose spread keeps the size of signals both ways.
   *
   * @param gain a factor of the spread
   */
  public static Tensor xavier_uniform_(Tensor tensor, double gain) {
    return Init.xavierUniform(tensor, gain);
  }

  /** Draws uniform values whose spread keeps the size of signals both ways. */
  public static Tensor xavier_uniform_(Tensor tensor) {
    return xavier_uniform_(tensor, 1);
  }

  /**
   * Draws normally distributed values whose spread keeps the size of signals both ways.
   *
   * @param gain a factor of the spread
   */
  public static Tensor xavier_normal_(Tensor tensor, double gain) {
    return Init.xavierNormal(tensor, gain);
  }

  /** Draws normally distributed values whose spread keeps the size of signals both ways. */
  public static Tensor xavier_normal_(Tensor tensor) {
    return xavier_normal_(tensor, 1);
  }

  /**
   * Draws uniform values whose spread keeps the size of signals through a leaky ReLU.
   *
   * @param slope of the leaky ReLU below zero
   */
  public static Tensor kaiming_uniform_(Tensor tensor, double slope) {
    return Init.kaimingUniform(tensor, slope);
  }

  /** Draws uniform values whose spread keeps the size of signals through a ReLU. */
  public static Tensor kaiming_uniform_(Tensor tensor) {
    return kaiming_uniform_(tensor, 0);
  }

  /**
   * Draws normally distributed values whose spread keeps the size of signals through a leaky ReLU.
   *
   * @param slope of the leaky ReLU below zero
   */
  public static Tensor kaiming_normal_(Tensor tensor, double slope) {
    return Init.kaimingNormal(tensor, slope);
  }

  /** Draws normally distributed values whose spread keeps the size of signals through a ReLU. */
  public static Tensor kaiming_normal_(Tensor tensor) {
    return kaiming_normal_(tensor, 0);
  }

  /**
   * The same with the fan that counts and the function that follows.
   *
   * @param mode {@code "fan_in"} or {@code "fan_out"}
   * @param nonlinearity as for {@link #calculate_gain}
   * @throws TorchException for other words
   */
  public static Tensor kaiming_uniform_(
      Tensor tensor, double slope, String mode, String nonlinearity) {
    if (tensor.numel() == 0) {
      return tensor;
    }
    double bound = Math.sqrt(3.0) * ShapedInit.kaimingStd(tensor, slope, mode, nonlinearity);
    return Init.uniform(tensor, -bound, bound);
  }

  /**
   * The same with the fan that counts and the function that follows.
   *
   * @param mode {@code "fan_in"} or {@code "fan_out"}
   * @param nonlinearity as for {@link #calculate_gain}
   * @throws TorchException for other words
   */
  public static Tensor kaiming_normal_(
      Tensor tensor, double slope, String mode, String nonlinearity) {
    if (tensor.numel() == 0) {
      return tensor;
    }
    return Init.normal(tensor, 0, ShapedInit.kaimingStd(tensor, slope, mode, nonlinearity));
  }

  /**
   * The factor that keeps the spread of values through a layer followed by this function.
   *
   * @param nonlinearity {@code "linear"}, {@code "conv2d"} and the like, {@code "sigmoid"}, {@code
   *     "tanh"}, {@code "relu"}, {@code "selu"} or {@code "leaky_relu"}
   * @param slope of a leaky ReLU below zero
   * @throws TorchException for other functions
   */
  public static double calculate_gain(String nonlinearity, double slope) {
    return ShapedInit.gain(nonlinearity, slope);
  }

  /** The same; a leaky ReLU has the slope 0.01. */
  public static double calculate_gain(String nonlinearity) {
    return calculate_gain(nonlinearity, 0.01);
  }

  /** Makes a matrix the identity; TorchException unless it has two dimensions. */
  public static Tensor eye_(Tensor matrix) {
    return ShapedInit.eye(matrix);
  }

  /**
   * Makes the weight of a convolution, of 3 to 5 dimensions, pass on as many channels as it can.
   */
  public static Tensor dirac_(Tensor tensor) {
    return dirac_(tensor, 1);
  }

  /**
   * The same within groups of channels.
   *
   * @throws TorchException if the groups do not divide the channels
   */
  public static Tensor dirac_(Tensor tensor, long groups) {
    return ShapedInit.dirac(tensor, groups);
  }

  /**
   * Draws a matrix with orthonormal rows or columns, whichever are fewer, times {@code gain};
   * dimensions after the first count as one.
   */
  public static Tensor orthogonal_(Tensor tensor, double gain) {
    return ShapedInit.orthogonal(tensor, gain);
  }

  /** Draws a matrix with orthonormal rows or columns, whichever are fewer. */
  public static Tensor orthogonal_(Tensor tensor) {
    return orthogonal_(tensor, 1);
  }

  /**
   * Draws normally distributed values, of which in every column of the matrix the share {@code
   * sparsity} is set to zero.
   */
  public static Tensor sparse_(Tensor tensor, double sparsity, double std) {
    return ShapedInit.sparse(tensor, sparsity, std);
  }

  /** The same with a spread of 0.01. */
  public static Tensor sparse_(Tensor tensor, double sparsity) {
    return sparse_(tensor, sparsity, 0.01);
  }

  /** Draws normally distributed values, of those between two bounds. */
  public static Tensor trunc_normal_(
      Tensor tensor, double mean, double std, double low, double high) {
    return ShapedInit.truncatedNormal(tensor, mean, std, low, high);
  }

  /** Draws values of the standard normal distribution, of those from -2 to 2. */
  public static Tensor trunc_normal_(Tensor tensor) {
    return trunc_normal_(tensor, 0, 1, -2, 2);
  }

  /**
   * A module whose parameters are still to be filled; nothing is drawn for them.
   *
   * <pre>{@code
   * LinearImpl layer = torch.skip_init(() -> new LinearImpl(3, 4));
   * }</pre>
   */
  public static <M extends Module> M skip_init(Supplier<M> maker) {
    try (Init.Unset unset = Init.unset()) {
      return maker.get();
    }
  }
}
