package org.onetape.spark;

import java.io.Serializable;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.onetape.distributed.Distributed;
import org.onetape.distributed.ProcessGroup;
import scala.collection.JavaConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction1;

/**
 * Runs a function on executors of Spark at the same time, as ranks of a group.
 *
 * <pre>{@code
 * double loss = Distributor.run(spark, 4, group -> train(group));
 * }</pre>
 *
 * <p>An executor is one member: it may run one task at a time ({@code spark.executor.cores} equal
 * to {@code spark.task.cpus}). All begin again if one fails, if so wanted, so the function should
 * go on from its last checkpoint.
 */
public final class Distributor {
  private static final Duration TIMEOUT = Duration.ofMinutes(30);

  private Distributor() {}

  /** The same with half an hour for each operation, and without restarts. */
  public static <T extends Serializable> T run(
      JavaSparkContext spark, int processes, TrainingFunction<T> function) {
    return run(spark, processes, function, TIMEOUT, 0);
  }

  /**
   * Calls the function on so many executors, which must be free; what it returned on rank 0.
   *
   * @param timeout of each operation
   * @param maxRestarts how often all begin again if one fails
   * @throws IllegalArgumentException if {@code processes} is not positive
   */
  public static <T extends Serializable> T run(
      JavaSparkContext spark,
      int processes,
      TrainingFunction<T> function,
      Duration timeout,
      int maxRestarts) {
    if (processes < 1) {
      throw new IllegalArgumentException("processes must be positive, but is " + processes);
    }
    for (int attempt = 0; ; attempt++) {
      try {
        return once(spark, processes, function, timeout);
      } catch (Exception e) { // Spark's are checked, but not declared
        if (attempt >= maxRestarts) {
          throw e;
        }
      }
    }
  }

  private static <T extends Serializable> T once(
      JavaSparkContext spark, int processes, TrainingFunction<T> function, Duration timeout) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      numbers.add(i);
    }
    ClassTag<Object> tag = ClassTag$.MODULE$.apply(Object.class);
    Task<T> task = new Task<>(function, UUID.randomUUID().toString(), timeout);
    return spark
        .parallelize(numbers, processes)
        .rdd()
        .barrier()
        .mapPartitions(task, false, tag)
        .toJavaRDD()
        .collect()
        .stream()
        .map(Task::<T>cast)
        .findFirst()
        .orElse(null);
  }

  /** What an executor does with its partition. */
  private static final class Task<T extends Serializable>
      extends AbstractFunction1<
          scala.collection.Iterator<Integer>, scala.collection.Iterator<Object>>
      implements Serializable {
    private static final long serialVersionUID = 1L;

    private final TrainingFunction<T> function;
    private final String token;
    private final Duration timeout;

    Task(TrainingFunction<T> function, String token, Duration timeout) {
      this.function = function;
      this.token = token;
      this.timeout = timeout;
    }

    @SuppressWarnings("unchecked")
    static <T> T cast(Object result) {
      return (T) result;
    }

    @Override
    public scala.collection.Iterator<Object> apply(scala.collection.Iterator<Integer> partition) {
      BarrierTaskContext context = BarrierTaskContext.get();
      int rank = context.partitionId();
      List<Object> results = new ArrayList<>();
      try {
        int port;
        try (ServerSocket probe = new ServerSocket(0)) { // free now
          port = probe.getLocalPort();
        }
        String master = context.allGather(Integer.toString(port))[0];
        String host = context.getTaskInfos()[0].address().replaceAll(":\\d+$", "");
        String url = "tcp://" + host + ":" + master + "?token=" + token;
        int world = context.getTaskInfos().length;
        try (ProcessGroup group =
            Distributed.initProcessGroup("gloo", url, "spark", world, rank, timeout)) {
          T result = function.train(group);
          if (rank == 0 && result != null) {
            results.add(result);
          }
          context.barrier(); // rank 0 keeps the store until all are done
        }
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException("rank " + rank + " failed", e);
      }
      Iterator<Object> iterator = results.iterator();
      return JavaConverters.asScalaIterator(iterator);
    }
  }
}
