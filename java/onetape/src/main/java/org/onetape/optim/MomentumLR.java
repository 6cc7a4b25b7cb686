package org.onetape.optim;

/** A schedule that may change momentum, or the first of betas, too. */
abstract class MomentumLR extends LRScheduler {
  MomentumLR(Optimizer optimizer, int lastEpoch) {
    super(optimizer, lastEpoch);
  }

  /** Sets the momentum that the schedule starts with, and notes its bounds with the groups. */
  final void beginMomentum(double[] bases, double[] tops, int lastEpoch) {
    require(
        optimizer.defaults().hasMomentum(),
        "optimizer must support momentum or beta1 with `cycle_momentum` option enabled");
    for (int i = 0; i < groups() && lastEpoch == -1; i++) {
      options(i).setMomentum(tops[i]);
      options(i).scheduled().put("max_momentum", tops[i]);
      options(i).scheduled().put("base_momentum", bases[i]);
    }
  }

  /** Whether it is the first of betas that is the momentum. */
  final boolean usesBeta1() {
    return optimizer.defaults().numbers().containsKey("betas");
  }
}
