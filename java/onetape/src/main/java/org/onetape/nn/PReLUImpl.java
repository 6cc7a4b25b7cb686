package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** The input where it is positive, else times slopes that are learned. */
public class PReLUImpl extends Module {
  private final PReLUOptions options;

  /** One slope for all. */
  public PReLUImpl() {
    this(new PReLUOptions());
  }

  /** A function as the options say. */
  public PReLUImpl(PReLUOptions options) {
    super("PReLU");
    this.options = options;
    register_parameter("weight", torch.empty(options.num_parameters().get()));
    reset_parameters();
  }

  /** Sets the slopes to their first value. */
  public final void reset_parameters() {
    Init.constant(own("weight"), options.init().get());
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.prelu(input, own("weight"));
    }
  }

  /** The slopes. */
  public Tensor weight() {
    return parameter("weight");
  }

  /** Puts another tensor in the place of the slopes; returns this. */
  public PReLUImpl weight(Tensor weight) {
    parameter("weight", weight);
    return this;
  }

  /** How it was made. */
  public PReLUOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "num_parameters=" + options.num_parameters().get();
  }
}
