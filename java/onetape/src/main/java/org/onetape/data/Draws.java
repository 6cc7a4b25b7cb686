package org.onetape.data;

import org.onetape.Generator;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

/** Random numbers as plain Java values. A null generator stands for the default one. */
final class Draws {
  private Draws() {}

  private static TensorOptions longs() {
    return new TensorOptions(ScalarType.Long);
  }

  /** A seed. */
  static long seed(Generator generator) {
    try (Tensor drawn = torch.empty(new long[0], longs()).random_(generator)) {
      return drawn.item_long();
    }
  }

  /** The numbers from 0 to n - 1 in random order. */
  static long[] permutation(long n, Generator generator) {
    try (Tensor drawn = torch.randperm(n, generator)) {
      return drawn.toLongArray();
    }
  }

  /** Numbers from 0 to n - 1, which may repeat. */
  static long[] numbers(long n, long count, Generator generator) {
    try (Tensor drawn = torch.randint(n, new long[] {count}, generator)) {
      return drawn.toLongArray();
    }
  }

  /** Indices of weights, drawn in proportion to them. */
  static long[] weighted(double[] weights, long count, boolean replacement, Generator generator) {
    try (Tensor all = Tensor.create(weights);
        Tensor drawn = all.multinomial(count, replacement, generator)) {
      return drawn.toLongArray();
    }
  }
}
