package org.onetape.nn;

import org.onetape.DoubleOptional;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** What layers share that normalise channels: parameters and running statistics. */
public abstract class RunningNorm extends Module {
  private long features;
  final double eps;
  final DoubleOptional momentum;
  final boolean affine;
  final boolean tracks;

  RunningNorm(
      String name,
      long features,
      double eps,
      DoubleOptional momentum,
      boolean affine,
      boolean tracks,
      boolean lazy) {
    super(lazy ? "Lazy" + name : name);
    this.features = lazy ? 0 : features;
    this.eps = eps;
    this.momentum = momentum;
    this.affine = affine;
    this.tracks = tracks;
    if (lazy) {
      registerShapeless();
      waitForInput(name);
      return;
    }
    if (tracks) {
      register_buffer("running_mean", torch.zeros(features));
      register_buffer("running_var", torch.ones(features));
      register_buffer("num_batches_tracked", torch.tensor(0L));
    }
    if (affine) {
      register_parameter("weight", torch.empty(features));
      register_parameter("bias", torch.empty(features));
    }
    reset_parameters();
  }

  private void registerShapeless() {
    if (affine) {
      register_uninitialized_parameter("weight");
      register_uninitialized_parameter("bias");
    }
    if (tracks) {
      register_uninitialized_buffer("running_mean");
      register_uninitialized_buffer("running_var");
      register_buffer("num_batches_tracked", torch.tensor(0L));
    }
  }

  @Override
  final void initialize(Tensor input) {
    if (has_uninitialized_params()) {
      features = input.size(1);
      for (String tensor : new String[] {"weight", "bias", "running_mean", "running_var"}) {
        materialize(tensor, features);
      }
      reset_parameters();
    }
  }

  /** How many channels there are; 0 before the first input of a lazy layer. */
  final long features() {
    return features;
  }

  /** Sets the running statistics to mean 0 and variance 1. */
  public final void reset_running_stats() {
    if (tracks) {
      Init.constant(registered("running_mean"), 0);
      Init.constant(registered("running_var"), 1);
      Init.constant(registered("num_batches_tracked"), 0);
    }
  }

  /** Sets weight to one, bias to zero, and the running statistics to mean 0 and variance 1. */
  public final void reset_parameters() {
    reset_running_stats();
    if (affine) {
      Init.constant(own("weight"), 1);
      Init.constant(own("bias"), 0);
    }
  }

  /** The share of a batch in the running statistics; none for the mean of all batches. */
  public DoubleOptional momentum() {
    return momentum;
  }

  /** The weight; undefined if there is none. */
  public Tensor weight() {
    return affine ? parameter("weight") : new Tensor();
  }

  /** The bias; undefined if there is none. */
  public Tensor bias() {
    return affine ? parameter("bias") : new Tensor();
  }

  /** The running means; undefined if there are none. */
  public Tensor running_mean() {
    return tracks ? new Tensor(registered("running_mean")) : new Tensor();
  }

  /** The running variances; undefined if there are none. */
  public Tensor running_var() {
    return tracks ? new Tensor(registered("running_var")) : new Tensor();
  }

  /** How many batches went into the running statistics; undefined if there are none. */
  public Tensor num_batches_tracked() {
    return tracks ? new Tensor(registered("num_batches_tracked")) : new Tensor();
  }

  /** A running statistic, or null if there is none. */
  final Tensor running(String statistic) {
    return tracks ? registered(statistic) : null;
  }

  /** Counts a batch; its share in the running statistics. */
  final double count() {
    if (!is_training() || !tracks) {
      return momentum.has_value() ? momentum.get() : 0;
    }
    Tensor counted = registered("num_batches_tracked");
    try (NoGradGuard guard = new NoGradGuard()) {
      counted.add_(1L);
    }
    return momentum.has_value() ? momentum.get() : 1.0 / counted.item_long();
  }

  final void checkDims(Tensor input, long... allowed) {
    StringBuilder names = new StringBuilder();
    for (long dims : allowed) {
      if (input.dim() == dims) {
        return;
      }
      names.append(names.length() == 0 ? "" : " or ").append(dims).append("D");
    }
    throw new IllegalArgumentException(
        "expected " + names + " input (got " + input.dim() + "D input)");
  }

  @Override
  protected String describe() {
    return features
        + ", eps="
        + PythonText.of(eps)
        + ", momentum="
        + (momentum.has_value() ? PythonText.of(momentum.get()) : "None")
        + ", affine="
        + PythonText.of(affine)
        + ", bias="
        + PythonText.of(affine)
        + ", track_running_stats="
        + PythonText.of(tracks);
  }
}
