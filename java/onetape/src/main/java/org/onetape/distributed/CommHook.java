package org.onetape.distributed;

import java.util.concurrent.CompletableFuture;
import org.onetape.Tensor;

/** Reduces the gradients of {@link DistributedDataParallel}. */
@FunctionalInterface
public interface CommHook {
  /**
   * Begins to reduce a bucket; called in the middle of backward.
   *
   * @return a future of the mean over the ranks of the bucket's buffer
   */
  CompletableFuture<Tensor> reduce(GradBucket bucket);
}
