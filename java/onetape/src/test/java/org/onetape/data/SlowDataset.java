package org.onetape.data;

/** A dataset whose samples, the numbers from 0, take their time; the first does not. */
final class SlowDataset {
  private SlowDataset() {}

  static Dataset<Long> of(long size, int millis) {
    return Dataset.of(
        size,
        i -> {
          try {
            Thread.sleep(i == 0 ? 0 : millis);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return i;
        });
  }
}
