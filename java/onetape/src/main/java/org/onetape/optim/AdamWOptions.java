package org.onetape.optim;

/** How {@link AdamW} changes parameters. */
public final class AdamWOptions extends AdamOptions {
  /** Steps of 0.001 and a decay of 0.01. */
  public AdamWOptions() {
    this(1e-3);
  }

  /** Steps of the given size and a decay of 0.01. */
  public AdamWOptions(double lr) {
    super(lr);
    weight_decay(1e-2);
  }

  @Override
  boolean decoupled() {
    return true;
  }

  @Override
  AdamWOptions copy() {
    return copyTo(new AdamWOptions());
  }

  @Override
  public AdamWOptions lr(double rate) {
    super.lr(rate);
    return this;
  }

  @Override
  public AdamWOptions betas(double first, double second) {
    super.betas(first, second);
    return this;
  }

  @Override
  public AdamWOptions eps(double value) {
    super.eps(value);
    return this;
  }

  @Override
  public AdamWOptions weight_decay(double factor) {
    super.weight_decay(factor);
    return this;
  }

  @Override
  public AdamWOptions amsgrad(boolean wanted) {
    super.amsgrad(wanted);
    return this;
  }
}
