package org.onetape;

/**
 * How {@link Autograd#gradcheck} and {@link Autograd#gradgradcheck} compare.
 *
 * <pre>{@code
 * Autograd.gradcheck(x -> x[0].sin(), new Tensor[] {x}, new GradCheckOptions().atol(1e-4).fastMode(true));
 * }</pre>
 */
public final class GradCheckOptions {
  double eps = 1e-6;
  double atol = 1e-5;
  double rtol = 1e-3;
  double nondetTol;
  boolean raiseException = true;
  boolean checkUndefinedGrad = true;
  boolean checkForwardAd;
  boolean checkBackwardAd = true;
  boolean fastMode;

  /** Steps of 1e-6, an absolute tolerance of 1e-5 and a relative one of 1e-3. */
  public GradCheckOptions() {}

  /** By how much an input is moved either way. */
  public GradCheckOptions eps(double step) {
    eps = step;
    return this;
  }

  /** How far a gradient may be from the difference. */
  public GradCheckOptions atol(double tolerance) {
    atol = tolerance;
    return this;
  }

  /** How far it may be in relation to the difference. */
  public GradCheckOptions rtol(double tolerance) {
    rtol = tolerance;
    return this;
  }

  /** How far apart two backward passes may be; 0 unless said otherwise. */
  public GradCheckOptions nondetTol(double tolerance) {
    nondetTol = tolerance;
    return this;
  }

  /** Whether what is wrong is an exception (as it is unless told otherwise), or gives false. */
  public GradCheckOptions raiseException(boolean raise) {
    raiseException = raise;
    return this;
  }

  /** Whether an output without a gradient must count as one whose gradient is zero. */
  public GradCheckOptions checkUndefinedGrad(boolean check) {
    checkUndefinedGrad = check;
    return this;
  }

  /** Whether {@link ForwardAD forward mode} is checked, too; not unless told so. */
  public GradCheckOptions checkForwardAd(boolean check) {
    checkForwardAd = check;
    return this;
  }

  /** Whether backward is checked. */
  public GradCheckOptions checkBackwardAd(boolean check) {
    checkBackwardAd = check;
    return this;
  }

  /** Whether only one random direction of each input and output is looked at. */
  public GradCheckOptions fastMode(boolean fast) {
    fastMode = fast;
    return this;
  }
}
