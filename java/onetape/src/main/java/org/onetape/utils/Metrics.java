package org.onetape.utils;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.onetape.LongOptional;
import org.onetape.Tensor;
import org.onetape.global.torch.ScalarType;

/** How good predictions are. */
public final class Metrics {
  private Metrics() {}

  /** Class by class: scores have a last dimension more than the targets. */
  private static long[] classes(Tensor prediction, Tensor target, String who) {
    boolean scores = prediction.dim() == target.dim() + 1;
    try (Tensor found = scores ? prediction.argmax(new LongOptional(-1)) : prediction.detach()) {
      if (!Arrays.equals(found.shape(), target.shape())) {
        throw new IllegalArgumentException(
            who
                + ": predictions of sizes "
                + Arrays.toString(prediction.shape())
                + " do not fit targets of sizes "
                + Arrays.toString(target.shape()));
      }
      return longs(found);
    }
  }

  private static long[] longs(Tensor tensor) {
    try (Tensor plain = tensor.detach();
        Tensor converted = plain.to(ScalarType.Long)) {
      return converted.toLongArray();
    }
  }

  /**
   * The share of predictions that are right.
   *
   * @param prediction classes, or scores of classes with a last dimension more than the target
   * @param target classes
   * @throws IllegalArgumentException if the sizes do not fit or there are no predictions
   */
  public static double accuracy(Tensor prediction, Tensor target) {
    checkAny(target);
    long[] found = classes(prediction, target, "accuracy");
    long[] wanted = longs(target);
    return (double) IntStream.range(0, found.length).filter(i -> found[i] == wanted[i]).count()
        / found.length;
  }

  /**
   * The share of predictions where the target is among the best scores.
   *
   * @param score scores of classes, with a last dimension more than the target
   * @param topK how many of the best scores count
   * @throws IllegalArgumentException if the sizes do not fit or there are no predictions
   */
  public static double accuracy(Tensor score, Tensor target, long topK) {
    checkAny(target);
    long[] sizes = score.shape();
    if (sizes.length != target.dim() + 1
        || !Arrays.equals(Arrays.copyOf(sizes, sizes.length - 1), target.shape())) {
      throw new IllegalArgumentException(
          "accuracy: topK needs scores with a last dimension more than the targets, but they have"
              + " the sizes "
              + Arrays.toString(sizes)
              + " and "
              + Arrays.toString(target.shape()));
    }
    Tensor best = score.topk(topK, -1, true, true).get1();
    try (best) {
      long[] found = longs(best);
      long[] wanted = longs(target);
      int count = (int) topK;
      long right =
          IntStream.range(0, wanted.length)
              .filter(
                  i ->
                      LongStream.of(Arrays.copyOfRange(found, i * count, (i + 1) * count))
                          .anyMatch(c -> c == wanted[i]))
              .count();
      return (double) right / wanted.length;
    }
  }

  private static void checkAny(Tensor target) {
    if (target.numel() == 0) {
      throw new IllegalArgumentException("accuracy: there are no predictions");
    }
  }

  /**
   * How often each class was taken for each; see {@link #confusionMatrix(Tensor, Tensor, long)}.
   */
  public static Tensor confusionMatrix(Tensor prediction, Tensor target) {
    long[] found = classes(prediction, target, "confusionMatrix");
    long largest =
        LongStream.concat(LongStream.of(found), LongStream.of(longs(target))).max().orElse(-1);
    boolean scores = prediction.dim() == target.dim() + 1;
    return confusionMatrix(prediction, target, scores ? prediction.size(-1) : largest + 1);
  }

  /**
   * How often each class (row) was taken for each class (column).
   *
   * @param prediction classes, or scores of classes with a last dimension more than the target
   * @param target classes
   * @param classes how many classes there are
   * @throws IllegalArgumentException if the sizes do not fit or a class is out of range
   */
  public static Tensor confusionMatrix(Tensor prediction, Tensor target, long classes) {
    long[] found = classes(prediction, target, "confusionMatrix");
    long[] wanted = longs(target);
    if (classes < 0 || classes > 46340) { // whose square is an int
      throw new IllegalArgumentException("confusionMatrix: " + classes + " classes: not possible");
    }
    long low = LongStream.concat(LongStream.of(found), LongStream.of(wanted)).min().orElse(0);
    long high = LongStream.concat(LongStream.of(found), LongStream.of(wanted)).max().orElse(-1);
    if (low < 0 || high >= classes) {
      throw new IllegalArgumentException(
          "confusionMatrix: classes go from " + low + " to " + high + ", but there are " + classes);
    }
    long[] counts = new long[(int) (classes * classes)];
    for (int i = 0; i < found.length; i++) {
      counts[(int) (wanted[i] * classes + found[i])]++;
    }
    return Tensor.create(counts, classes, classes);
  }

  /**
   * The area under the ROC curve: how likely a positive has a higher score than a negative; ties
   * count half.
   *
   * @param score numbers
   * @param target of the same sizes; what is not 0 is positive
   * @throws IllegalArgumentException if the sizes differ, a score is not a number, or one of the
   *     classes is missing
   */
  public static double auroc(Tensor score, Tensor target) {
    if (!Arrays.equals(score.shape(), target.shape())) {
      throw new IllegalArgumentException(
          "auroc: scores of sizes "
              + Arrays.toString(score.shape())
              + " do not fit targets of sizes "
              + Arrays.toString(target.shape()));
    }
    double[] scores = doubles(score);
    double[] targets = doubles(target);
    if (Arrays.stream(scores).anyMatch(Double::isNaN)) {
      throw new IllegalArgumentException("auroc: a score is not a number");
    }
    long positives = Arrays.stream(targets).filter(t -> t != 0).count();
    long negatives = targets.length - positives;
    if (positives == 0 || negatives == 0) {
      throw new IllegalArgumentException(
          String.format(
              "auroc: needs both classes, but there are %d positives and %d negatives",
              positives, negatives));
    }
    double ranks = positiveRanks(scores, targets);
    return (ranks - positives * (positives + 1) / 2.0) / ((double) positives * negatives);
  }

  private static double positiveRanks(double[] scores, double[] targets) {
    Integer[] order = IntStream.range(0, scores.length).boxed().toArray(Integer[]::new);
    Arrays.sort(order, Comparator.comparingDouble(i -> scores[i] + 0.0)); // -0.0 equals 0.0
    double ranks = 0;
    int start = 0;
    while (start < order.length) {
      int end = start;
      long positives = 0;
      while (end < order.length && scores[order[end]] == scores[order[start]]) {
        positives += targets[order[end]] != 0 ? 1 : 0;
        end++;
      }
      ranks += (start + 1 + end) / 2.0 * positives;
      start = end;
    }
    return ranks;
  }

  private static double[] doubles(Tensor tensor) {
    try (Tensor plain = tensor.detach();
        Tensor converted = plain.to(ScalarType.Double)) {
      return converted.toDoubleArray();
    }
  }
}
