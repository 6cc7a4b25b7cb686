package org.onetape.optim;

import java.util.function.DoubleUnaryOperator;

/** How {@link CyclicLR} moves the learning rates; every setter returns this. */
public final class CyclicLROptions {
  int stepSizeUp = 2000;
  Integer stepSizeDown;
  String mode = "triangular";
  double gamma = 1.0;
  DoubleUnaryOperator scaleFn;
  String scaleMode = "cycle";
  boolean cycleMomentum = true;
  double[] baseMomentum = {0.8};
  double[] maxMomentum = {0.9};
  int lastEpoch = -1;

  /** The options that are usual. */
  public CyclicLROptions() {}

  /** The steps up. */
  public CyclicLROptions step_size_up(int steps) {
    stepSizeUp = steps;
    return this;
  }

  /** The steps down; as many as up if not set. */
  public CyclicLROptions step_size_down(int steps) {
    stepSizeDown = steps;
    return this;
  }

  /** {@code triangular}, {@code triangular2} or {@code exp_range}. */
  public CyclicLROptions mode(String name) {
    mode = name;
    return this;
  }

  /** What the height is multiplied by in every step of {@code exp_range}. */
  public CyclicLROptions gamma(double factor) {
    gamma = factor;
    return this;
  }

  /** The height as a function of the cycle or of the step, instead of a mode. */
  public CyclicLROptions scale_fn(DoubleUnaryOperator height) {
    scaleFn = height;
    return this;
  }

  /** What {@code scale_fn} is a function of: {@code cycle} or {@code iterations}. */
  public CyclicLROptions scale_mode(String name) {
    scaleMode = name;
    return this;
  }

  /** Whether the momentum moves against the learning rate. */
  public CyclicLROptions cycle_momentum(boolean wanted) {
    cycleMomentum = wanted;
    return this;
  }

  /** The least momentum, one for all groups or one each. */
  public CyclicLROptions base_momentum(double... momentum) {
    baseMomentum = momentum.clone();
    return this;
  }

  /** The greatest momentum, one for all groups or one each. */
  public CyclicLROptions max_momentum(double... momentum) {
    maxMomentum = momentum.clone();
    return this;
  }

  /** The epoch to go on from. */
  public CyclicLROptions last_epoch(int epoch) {
    lastEpoch = epoch;
    return this;
  }
}
