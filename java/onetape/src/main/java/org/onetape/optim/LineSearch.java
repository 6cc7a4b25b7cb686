package org.onetape.optim;

import java.util.function.Function;
import org.onetape.Tensor;

/** The search for a length of a step that fulfils the strong Wolfe conditions. */
final class LineSearch {
  /** A place on the line: how far it is, the loss, the gradient and the slope there. */
  static final class Point {
    final Real at;
    final double loss;
    final Tensor grad;
    final Real slope;

    Point(Real at, double loss, Tensor grad, Real slope) {
      this.at = at;
      this.loss = loss;
      this.grad = grad;
      this.slope = slope;
    }
  }

  private static final double DECREASE = 1e-4;
  private static final double CURVATURE = 0.9;
  private static final double SMALLEST_BRACKET = 1e-9;

  private final Function<Real, Point> evaluate;
  private final Point start;
  private final Real size;
  private final int most;
  private int rounds;
  private int evaluations;
  private boolean stuck;

  /**
   * A search.
   *
   * @param evaluate the point at a length of the step
   * @param size the greatest element of the direction
   * @param most the rounds that it may take
   */
  LineSearch(Function<Real, Point> evaluate, Point start, Real size, int most) {
    this.evaluate = evaluate;
    this.start = start;
    this.size = size;
    this.most = most;
  }

  /** How many points were looked at. */
  int evaluations() {
    return evaluations;
  }

  /** A good point. */
  Point run(Real length) {
    Point[] bracket = bracket(length);
    return bracket.length == 1 ? bracket[0] : zoom(bracket);
  }

  private Point point(Real at) {
    evaluations++;
    return evaluate.apply(at);
  }

  private boolean tooHigh(Point point) {
    Real bound = Real.of(start.loss).plus(Real.of(DECREASE).times(point.at).times(start.slope));
    return bound.less(Real.of(point.loss));
  }

  private boolean flat(Point point) {
    return point.slope.abs().atMost(Real.of(-CURVATURE).times(start.slope));
  }

  /** A good point, or two between which there is one. */
  private Point[] bracket(Real length) {
    Point before = start;
    Point now = point(length);
    while (rounds < most) {
      if (tooHigh(now) || (rounds > 1 && now.loss >= before.loss)) {
        return new Point[] {before, now};
      }
      if (flat(now)) {
        return new Point[] {now};
      }
      if (!now.slope.less(0)) {
        return new Point[] {before, now};
      }
      Real nearest = now.at.plus(now.at.minus(before.at).times(0.01));
      Real next = cubicMinimum(before, now, nearest, now.at.times(10));
      before = now;
      now = point(next);
      rounds++;
    }
    return new Point[] {start, now};
  }

  /** Makes the bracket smaller until one of its ends is good, or time is up; the lower end. */
  private Point zoom(Point[] bracket) {
    int low = bracket[0].loss <= bracket[1].loss ? 0 : 1;
    while (rounds < most) {
      Real width = bracket[1].at.minus(bracket[0].at).abs().times(size);
      if (width.less(SMALLEST_BRACKET)) {
        break;
      }
      Real first = Real.least(bracket[0].at, bracket[1].at);
      Real last = Real.most(bracket[0].at, bracket[1].at);
      Point now = point(inside(first, last, cubicMinimum(bracket[0], bracket[1], first, last)));
      rounds++;
      if (tooHigh(now) || now.loss >= bracket[low].loss) {
        bracket[1 - low] = now;
        low = bracket[0].loss <= bracket[1].loss ? 0 : 1;
        continue;
      }
      boolean done = flat(now);
      Real way = bracket[1 - low].at.minus(bracket[low].at);
      if (!done && !now.slope.times(way).less(0)) {
        bracket[1 - low] = bracket[low];
      }
      bracket[low] = now;
      if (done) {
        break;
      }
    }
    return bracket[low];
  }

  /** Keeps a new point away from the ends if the search comes too near to one of them again. */
  private Real inside(Real first, Real last, Real length) {
    Real margin = last.minus(first).times(0.1);
    if (!Real.least(last.minus(length), length.minus(first)).less(margin)) {
      stuck = false;
      return length;
    }
    if (!stuck && length.less(last) && first.less(length)) {
      stuck = true;
      return length;
    }
    stuck = false;
    boolean nearerToLast = length.minus(last).abs().less(length.minus(first).abs());
    return nearerToLast ? last.minus(margin) : first.plus(margin);
  }

  /** Where the cubic through two points with their slopes is least, within bounds. */
  private static Real cubicMinimum(Point a, Point b, Real low, Real high) {
    Real rise = Real.of(3 * (a.loss - b.loss)).over(a.at.minus(b.at));
    Real d1 = a.slope.plus(b.slope).minus(rise);
    Real square = d1.times(d1).minus(a.slope.times(b.slope));
    if (!Real.of(0).atMost(square)) {
      return low.plus(high).over(Real.of(2));
    }
    Real d2 = square.root();
    boolean ordered = a.at.atMost(b.at);
    Point left = ordered ? a : b;
    Point right = ordered ? b : a;
    Real below = right.slope.minus(left.slope).plus(d2.times(2));
    Real share = right.slope.plus(d2).minus(d1).over(below);
    Real place = right.at.minus(right.at.minus(left.at).times(share));
    return Real.least(Real.most(place, low), high);
  }
}
