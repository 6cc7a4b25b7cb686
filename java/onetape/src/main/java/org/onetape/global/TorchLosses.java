package org.onetape.global;

import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.TensorOptional;
import org.onetape.nn.CrossEntropyLossOptions;
import org.onetape.nn.L1LossOptions;
import org.onetape.nn.MSELossOptions;
import org.onetape.nn.NLLLossOptions;

/** Losses whose options are objects. */
abstract class TorchLosses extends TorchOptions {
  /** The squared difference, reduced as the options say. */
  public static Tensor mse_loss(Tensor input, Tensor target, MSELossOptions options) {
    return mse_loss(input, target, options.reduction().toString());
  }

  /** The absolute difference, reduced as the options say. */
  public static Tensor l1_loss(Tensor input, Tensor target, L1LossOptions options) {
    return l1_loss(input, target, options.reduction().toString());
  }

  /** The negative of the right class's entry, weighed and reduced as the options say. */
  public static Tensor nll_loss(Tensor input, Tensor target, NLLLossOptions options) {
    return nll_loss(
        input,
        target,
        new TensorOptional(options.weight()),
        options.ignore_index().get(),
        options.reduction().toString());
  }

  /**
   * The negative logarithm of the probability that the scores give to the right class, weighed and
   * reduced as the options say.
   */
  public static Tensor cross_entropy(Tensor input, Tensor target, CrossEntropyLossOptions options) {
    return cross_entropy(
        input,
        target,
        new TensorOptional(options.weight()),
        options.ignore_index().get(),
        options.reduction().toString(),
        options.label_smoothing().get());
  }

  /** The mean {@link #cross_entropy(Tensor, Tensor)} of scores and classes. */
  public static Tensor cross_entropy_loss(Tensor input, Tensor target) {
    return cross_entropy(input, target);
  }

  /** The logarithm of the logistic function, another name of {@code logsigmoid}. */
  public static Tensor log_sigmoid(Tensor input) {
    return logsigmoid(input);
  }

  /** The input where it is positive, the slope times the input elsewhere. */
  public static Tensor leaky_relu(Tensor input, Scalar negativeSlope) {
    return leaky_relu(input, negativeSlope.toDouble());
  }
}
