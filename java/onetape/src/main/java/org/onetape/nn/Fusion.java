package org.onetape.nn;

import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** Batch normalisation taken into the weights of the layer before it, for evaluation. */
public final class Fusion {
  private Fusion() {}

  /** (weight · x + bias − mean) / √(var + eps) · scale + shift, as another weight and bias. */
  private static T_TensorTensor_T fused(
      Tensor weight,
      Tensor bias,
      Tensor mean,
      Tensor var,
      double eps,
      Tensor scale,
      Tensor shift,
      long[] shape) {
    Tensor before = bias.defined() ? bias : torch.zeros_like(mean);
    Tensor factor = var.add(eps).rsqrt();
    if (scale.defined()) {
      factor = factor.mul(scale);
    }
    Tensor after = before.sub(mean).mul(factor);
    if (shift.defined()) {
      after = after.add(shift);
    }
    Tensor scaled = weight.mul(factor.reshape(shape)).detach().to(weight.scalar_type());
    Tensor moved = after.detach().to((bias.defined() ? bias : weight).scalar_type());
    return new T_TensorTensor_T(
        scaled.requires_grad_(weight.requires_grad()),
        moved.requires_grad_(before.requires_grad()));
  }

  /** Weight and bias of a convolution with the normalisation behind it; undefined for none. */
  public static T_TensorTensor_T fuse_conv_bn_weights(
      Tensor weight,
      Tensor bias,
      Tensor mean,
      Tensor var,
      double eps,
      Tensor scale,
      Tensor shift,
      boolean transpose) {
    long[] shape = new long[(int) weight.dim()];
    java.util.Arrays.fill(shape, 1);
    shape[transpose ? 1 : 0] = -1;
    return fused(weight, bias, mean, var, eps, scale, shift, shape);
  }

  /** Weight and bias of a linear layer with the normalisation behind it; undefined for none. */
  public static T_TensorTensor_T fuse_linear_bn_weights(
      Tensor weight, Tensor bias, Tensor mean, Tensor var, double eps, Tensor scale, Tensor shift) {
    return fused(weight, bias, mean, var, eps, scale, shift, new long[] {-1, 1});
  }

  private static void check(Module layer, RunningNorm norm) {
    if (layer.is_training() || norm.is_training()) {
      throw new IllegalArgumentException("Fusion only for eval!");
    }
    if (!norm.tracks) {
      throw new IllegalArgumentException("bn.running_mean and bn.running_var must not be None");
    }
  }

  /** A layer that does what a convolution and the normalisation behind it do, in evaluation. */
  @SuppressWarnings("unchecked") // a copy is of the same class
  public static <C extends ConvBase> C fuse_conv_bn_eval(C conv, RunningNorm norm) {
    check(conv, norm);
    C made;
    try (Init.Unset unset = Init.unset()) { // so that no random numbers are used up
      made = (C) conv.withBias();
    }
    boolean transposed = conv instanceof ConvTransposeBase;
    put(
        made,
        fuse_conv_bn_weights(
            conv.weight(),
            conv.bias(),
            norm.running_mean(),
            norm.running_var(),
            norm.eps,
            norm.weight(),
            norm.bias(),
            transposed));
    return made;
  }

  /** A layer that does what a linear one and the normalisation behind it do, in evaluation. */
  public static LinearImpl fuse_linear_bn_eval(LinearImpl linear, RunningNorm norm) {
    check(linear, norm);
    long out = linear.options().out_features().get();
    if (out != norm.features() && norm.features() != 1) {
      throw new IllegalArgumentException(
          "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got"
              + " linear.out_features="
              + out
              + " and bn.num_features="
              + norm.features());
    }
    LinearImpl made;
    try (Init.Unset unset = Init.unset()) { // so that no random numbers are used up
      made = new LinearImpl(linear.options().in_features().get(), out);
    }
    put(
        made,
        fuse_linear_bn_weights(
            linear.weight(),
            linear.bias(),
            norm.running_mean(),
            norm.running_var(),
            norm.eps,
            norm.weight(),
            norm.bias()));
    return made;
  }

  private static void put(Module made, T_TensorTensor_T fused) {
    made.eval();
    made.parameter("weight", fused.get0());
    made.parameter("bias", fused.get1());
  }
}
