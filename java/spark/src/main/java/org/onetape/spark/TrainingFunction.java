package org.onetape.spark;

import java.io.Serializable;
import org.onetape.distributed.ProcessGroup;

/** What every executor does. */
@FunctionalInterface
public interface TrainingFunction<T extends Serializable> extends Serializable {
  /**
   * Trains.
   *
   * @param group all executors; it has begun, and is ended afterwards
   * @return what the driver gets of rank 0; null elsewhere, if so wanted
   */
  T train(ProcessGroup group) throws Exception;
}
