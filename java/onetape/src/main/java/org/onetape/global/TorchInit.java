package org.onetape.global;

import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.internal.Init;

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
}
