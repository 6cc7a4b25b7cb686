package org.onetape.utils;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A distribution as TensorBoard expects it: buckets whose edges are 10 % apart. */
final class Histogram {
  private static final double[] EDGES = edges();

  private Histogram() {}

  private static double[] edges() {
    List<Double> positive = new ArrayList<>();
    for (double edge = 1e-12; edge < 1e20; edge *= 1.1) {
      positive.add(edge);
    }
    int count = positive.size();
    double[] edges = new double[2 * count + 1];
    for (int i = 0; i < count; i++) {
      edges[count + 1 + i] = positive.get(i);
      edges[count - 1 - i] = -positive.get(i);
    }
    return edges;
  }

  /** How many of the sorted numbers are smaller; or not larger. */
  private static int below(double[] sorted, double edge, boolean alsoEqual) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] < edge || (alsoEqual && sorted[middle] == edge)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The message; numbers that are not finite are left out. */
  static Message of(double[] all) {
    double[] values = Arrays.stream(all).filter(Double::isFinite).sorted().toArray();
    if (values.length == 0) {
      throw new IllegalArgumentException(
          all.length == 0 ? "The input has no element." : "The input has no finite element.");
    }
    double[] counts = new double[EDGES.length - 1];
    int before = below(values, EDGES[0], false);
    int first = -1;
    int last = -1;
    for (int i = 0; i < counts.length; i++) {
      int after = below(values, EDGES[i + 1], i + 1 == counts.length);
      counts[i] = after - before;
      before = after;
      if (counts[i] > 0) {
        first = first < 0 ? i : first;
        last = i;
      }
    }
    if (first < 0) {
      throw new IllegalArgumentException(
          "The histogram is empty: no element lies between the edges.");
    }
    double sum = 0;
    double squares = 0;
    for (double value : values) {
      sum += value;
      squares += value * value;
    }
    // One empty bucket stays before the first one that is used.
    double[] shown = new double[last - first + 2];
    System.arraycopy(counts, first, shown, 1, last - first + 1);
    return new Message()
        .float64(1, values[0])
        .float64(2, values[values.length - 1])
        .float64(3, values.length)
        .float64(4, sum)
        .float64(5, squares)
        .float64s(6, Arrays.copyOfRange(EDGES, first, last + 2))
        .float64s(7, shown);
  }
}
