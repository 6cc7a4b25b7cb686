package org.onetape.global;

import org.onetape.Tensor;
import org.onetape.TensorOptional;
import org.onetape.nn.BCELossOptions;
import org.onetape.nn.BCEWithLogitsLossOptions;
import org.onetape.nn.CELUOptions;
import org.onetape.nn.CosineEmbeddingLossOptions;
import org.onetape.nn.ELUOptions;
import org.onetape.nn.GLUOptions;
import org.onetape.nn.HardtanhOptions;
import org.onetape.nn.HingeEmbeddingLossOptions;
import org.onetape.nn.HuberLossOptions;
import org.onetape.nn.InterpolateFuncOptions;
import org.onetape.nn.KLDivLossOptions;
import org.onetape.nn.LeakyReLUOptions;
import org.onetape.nn.MarginRankingLossOptions;
import org.onetape.nn.MultiLabelMarginLossOptions;
import org.onetape.nn.MultiLabelSoftMarginLossOptions;
import org.onetape.nn.MultiMarginLossOptions;
import org.onetape.nn.NormalizeFuncOptions;
import org.onetape.nn.PixelShuffleOptions;
import org.onetape.nn.PixelUnshuffleOptions;
import org.onetape.nn.PoissonNLLLossOptions;
import org.onetape.nn.SmoothL1LossOptions;
import org.onetape.nn.SoftMarginLossOptions;
import org.onetape.nn.SoftplusOptions;
import org.onetape.nn.TripletMarginLossOptions;

/** Functions whose options are objects, which are those of the modules. */
abstract class TorchOptions extends TorchInit {
  /** {@code binary_cross_entropy} as the options say. */
  public static Tensor binary_cross_entropy(Tensor input, Tensor target, BCELossOptions options) {
    return binary_cross_entropy(
        input, target, new TensorOptional(options.weight()), options.reduction().toString());
  }

  /** {@code binary_cross_entropy_with_logits} as the options say. */
  public static Tensor binary_cross_entropy_with_logits(
      Tensor input, Tensor target, BCEWithLogitsLossOptions options) {
    return binary_cross_entropy_with_logits(
        input,
        target,
        new TensorOptional(options.weight()),
        new TensorOptional(options.pos_weight()),
        options.reduction().toString());
  }

  /** {@code smooth_l1_loss} as the options say. */
  public static Tensor smooth_l1_loss(Tensor input, Tensor target, SmoothL1LossOptions options) {
    return smooth_l1_loss(input, target, options.reduction().toString(), options.beta().get());
  }

  /** {@code huber_loss} as the options say. */
  public static Tensor huber_loss(Tensor input, Tensor target, HuberLossOptions options) {
    return huber_loss(input, target, options.reduction().toString(), options.delta().get());
  }

  /** {@code kl_div} as the options say. */
  public static Tensor kl_div(Tensor input, Tensor target, KLDivLossOptions options) {
    return kl_div(input, target, options.reduction().toString(), options.log_target().get());
  }

  /** {@code hinge_embedding_loss} as the options say. */
  public static Tensor hinge_embedding_loss(
      Tensor input, Tensor target, HingeEmbeddingLossOptions options) {
    return hinge_embedding_loss(
        input, target, options.margin().get(), options.reduction().toString());
  }

  /** {@code soft_margin_loss} as the options say. */
  public static Tensor soft_margin_loss(
      Tensor input, Tensor target, SoftMarginLossOptions options) {
    return soft_margin_loss(input, target, options.reduction().toString());
  }

  /** {@code multi_margin_loss} as the options say. */
  public static Tensor multi_margin_loss(
      Tensor input, Tensor target, MultiMarginLossOptions options) {
    return multi_margin_loss(
        input,
        target,
        options.p().get(),
        options.margin().get(),
        new TensorOptional(options.weight()),
        options.reduction().toString());
  }

  /** {@code multilabel_margin_loss} as the options say. */
  public static Tensor multilabel_margin_loss(
      Tensor input, Tensor target, MultiLabelMarginLossOptions options) {
    return multilabel_margin_loss(input, target, options.reduction().toString());
  }

  /** {@code multilabel_soft_margin_loss} as the options say. */
  public static Tensor multilabel_soft_margin_loss(
      Tensor input, Tensor target, MultiLabelSoftMarginLossOptions options) {
    return multilabel_soft_margin_loss(
        input, target, new TensorOptional(options.weight()), options.reduction().toString());
  }

  /** {@code poisson_nll_loss} as the options say. */
  public static Tensor poisson_nll_loss(
      Tensor input, Tensor target, PoissonNLLLossOptions options) {
    return poisson_nll_loss(
        input,
        target,
        options.log_input().get(),
        options.full().get(),
        options.eps().get(),
        options.reduction().toString());
  }

  /** {@code cosine_embedding_loss} as the options say. */
  public static Tensor cosine_embedding_loss(
      Tensor input1, Tensor input2, Tensor target, CosineEmbeddingLossOptions options) {
    return cosine_embedding_loss(
        input1, input2, target, options.margin().get(), options.reduction().toString());
  }

  /** {@code margin_ranking_loss} as the options say. */
  public static Tensor margin_ranking_loss(
      Tensor input1, Tensor input2, Tensor target, MarginRankingLossOptions options) {
    return margin_ranking_loss(
        input1, input2, target, options.margin().get(), options.reduction().toString());
  }

  /** {@code triplet_margin_loss} as the options say. */
  public static Tensor triplet_margin_loss(
      Tensor anchor, Tensor positive, Tensor negative, TripletMarginLossOptions options) {
    return triplet_margin_loss(
        anchor,
        positive,
        negative,
        options.margin().get(),
        options.p().get(),
        options.eps().get(),
        options.swap().get(),
        options.reduction().toString());
  }

  /** {@code elu} as the options say. */
  public static Tensor elu(Tensor input, ELUOptions options) {
    return elu(input, options.alpha().get());
  }

  /** {@code celu} as the options say. */
  public static Tensor celu(Tensor input, CELUOptions options) {
    return celu(input, options.alpha().get());
  }

  /** {@code hardtanh} as the options say. */
  public static Tensor hardtanh(Tensor input, HardtanhOptions options) {
    return hardtanh(input, options.min_val().get(), options.max_val().get());
  }

  /** {@code softplus} as the options say. */
  public static Tensor softplus(Tensor input, SoftplusOptions options) {
    return softplus(input, options.beta().get(), options.threshold().get());
  }

  /** {@code leaky_relu} as the options say. */
  public static Tensor leaky_relu(Tensor input, LeakyReLUOptions options) {
    return leaky_relu(input, options.negative_slope().get());
  }

  /** {@code normalize} as the options say. */
  public static Tensor normalize(Tensor input, NormalizeFuncOptions options) {
    return normalize(input, options.p().get(), options.dim().get(), options.eps().get());
  }

  /** {@code glu} as the options say. */
  public static Tensor glu(Tensor input, GLUOptions options) {
    return glu(input, options.dim().get());
  }

  /** {@code pixel_shuffle} as the options say. */
  public static Tensor pixel_shuffle(Tensor input, PixelShuffleOptions options) {
    return pixel_shuffle(input, options.upscale_factor().get());
  }

  /** {@code pixel_unshuffle} as the options say. */
  public static Tensor pixel_unshuffle(Tensor input, PixelUnshuffleOptions options) {
    return pixel_unshuffle(input, options.downscale_factor().get());
  }

  /** Lines, images or volumes brought to other sizes, as the options say. */
  public static Tensor interpolate(Tensor input, InterpolateFuncOptions options) {
    return options.layer().forward(input);
  }
}
