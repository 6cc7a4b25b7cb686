package org.onetape.distributed;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.global.torch.ScalarType;
import org.onetape.nn.LinearImpl;

/** What a process does as a rank; it ends with an error where something is not as it should be. */
final class RankProgram {
  private RankProgram() {}

  /** The arguments: what to do, the URL, the world size and the rank. */
  public static void main(String[] args) throws Exception {
    int world = Integer.parseInt(args[2]);
    int rank = Integer.parseInt(args[3]);
    try (ProcessGroup group =
        Distributed.initProcessGroup(
            "gloo", args[1], "tests", world, rank, Duration.ofSeconds(30))) {
      expect(group, Distributed.world());
      expect("ProcessGroup tests, rank " + rank + " of " + world, group.toString());
      switch (args[0]) {
        case "operations":
          operations(rank, world);
          break;
        case "asynchronous":
          asynchronous(rank, group);
          break;
        case "objects":
          objects(rank, group);
          break;
        case "dies":
          dies(rank, group);
          break;
        case "differs":
          differs(rank, group);
          break;
        case "models":
          models(rank);
          break;
        default:
          TrainingProgram.run(args[0], rank, group);
      }
    }
    if (!args[0].equals("dies")) {
      expect(false, Distributed.isInitialized());
    }
  }

  private static void expect(Object expected, Object got) {
    if (!Objects.equals(expected, got)) {
      throw new AssertionError("expected " + expected + ", but got " + got);
    }
  }

  private static void expectError(Class<?> kind, String text, Runnable call) {
    try {
      call.run();
    } catch (RuntimeException e) {
      if (e.getClass() == kind && e.getMessage().contains(text)) {
        return;
      }
      throw new AssertionError("another error", e);
    }
    throw new AssertionError("no error: " + text);
  }

  private static Tensor row(double... values) {
    return Tensor.create(values);
  }

  private static Tensor[] zeros(int count, int size) {
    Tensor[] all = new Tensor[count];
    Arrays.setAll(all, i -> Tensor.create(new double[size]));
    return all;
  }

  private static void operations(int rank, int world) {
    Tensor own = row(rank, 1);
    Distributed.allReduce(own);
    expect("tensor([1., 2.])", own.toString());
    Tensor mean = row(rank);
    Distributed.allReduce(mean, ReduceOp.AVG);
    expect("tensor([0.5000])", mean.toString());
    for (ScalarType type :
        List.of(ScalarType.Half, ScalarType.BFloat16, ScalarType.Long, ScalarType.Bool)) {
      Tensor typed = row(1, 0).to(type);
      Distributed.allReduce(typed, ReduceOp.MAX);
      expect(true, typed.equal(row(1, 0).to(type)));
    }
    Tensor[] both = {row(rank), row(rank, rank)};
    Distributed.allReduceCoalesced(both);
    expect("tensor([1., 1.])", both[1].toString());
    Tensor sent = row(rank, rank);
    Distributed.broadcast(sent, 1);
    expect("tensor([1., 1.])", sent.toString());
    Tensor reduced = row(rank + 1);
    Distributed.reduce(reduced, 0, ReduceOp.PRODUCT);
    expect("tensor([2.])", reduced.toString());
    Tensor[] all = zeros(world, 1);
    Distributed.allGather(all, row(rank));
    expect("tensor([1.])", all[1].toString());
    Tensor flat = Tensor.create(new double[2]);
    Distributed.allGatherIntoTensor(flat, row(10 + rank));
    expect("tensor([10., 11.])", flat.toString());
    Tensor[] gathered = rank == 1 ? zeros(world, 1) : null;
    Distributed.gather(gathered, row(rank), 1);
    expect("tensor([0.])", rank == 1 ? gathered[0].toString() : "tensor([0.])");
    Tensor part = row(0);
    Distributed.scatter(part, rank == 0 ? new Tensor[] {row(5), row(6)} : null, 0);
    expect(5.0 + rank, part.item_double());
    Distributed.reduceScatter(part, new Tensor[] {row(rank), row(7)});
    expect(rank == 0 ? 1.0 : 14.0, part.item_double());
    Distributed.reduceScatterTensor(part, row(1, 2));
    expect(2.0 * (rank + 1), part.item_double());
    Tensor[] into = zeros(world, 1);
    Distributed.allToAll(into, new Tensor[] {row(10 * rank), row(10 * rank + 1)});
    expect("tensor([" + (10 + rank) + ".])", into[1].toString());
    Distributed.allToAllSingle(flat, row(10 * rank, 10 * rank + 1));
    expect("tensor([ " + rank + ", " + (10 + rank) + "])", flat.to(ScalarType.Long).toString());
    if (rank == 0) {
      Distributed.send(row(3, 4), 1);
    } else {
      expect(0, Distributed.receive(flat, -1));
      expect("tensor([3., 4.])", flat.toString());
    }
    Distributed.monitoredBarrier(Duration.ofSeconds(20));
    Distributed.barrier();
    errors(rank);
  }

  private static void errors(int rank) {
    Tensor x = row(1, 2, 3);
    expectError(
        org.onetape.TorchException.class,
        "ProcessGroupGloo::broadcast: invalid root rank: 5",
        () -> Distributed.broadcast(x, 5));
    expectError(
        IllegalArgumentException.class,
        "Invalid destination rank",
        () -> Distributed.send(x, rank));
    expectError(NullPointerException.class, "output", () -> Distributed.allReduce((Tensor) null));
    expectError(
        IllegalArgumentException.class,
        "different dtypes",
        () -> Distributed.allGather(new Tensor[] {x, x}, x.to(ScalarType.Long)));
    expectError(
        IllegalArgumentException.class,
        "trying to initialize the default process group twice!",
        () -> Distributed.initProcessGroup("gloo", "tcp://127.0.0.1:1", "x", 1, 0));
    expect("tensor([1., 2., 3.])", x.toString());
  }

  private static void asynchronous(int rank, ProcessGroup group) throws Exception {
    Work[] works = new Work[100];
    Tensor[] kept = new Tensor[works.length];
    try (MemoryScope scope = new MemoryScope()) {
      for (int i = 0; i < works.length; i++) {
        kept[i] = Tensor.create(new double[1000]).add(new org.onetape.Scalar(i)).keep();
        works[i] = group.allReduceAsync(kept[i], ReduceOp.SUM);
      }
    }
    for (int i = 0; i < works.length; i++) {
      works[i].await(Duration.ofSeconds(20));
      expect(true, works[i].isCompleted());
      expect(2.0 * i, kept[i].mean().item_double());
    }
    // What is on its way outlives its Java object.
    Tensor closed = row(1);
    CompletableFuture<Work> future = group.allReduceAsync(closed, ReduceOp.SUM).future();
    closed.close();
    expect(true, future.thenApply(Work::isCompleted).get(20, TimeUnit.SECONDS));
    Tensor into = row(0);
    if (rank == 0) {
      Work receive = group.receiveAsync(into, 1, 9);
      Thread waiting = Thread.currentThread();
      CompletableFuture<Void> interrupting = CompletableFuture.runAsync(waiting::interrupt);
      expectError(DistributedException.class, "interrupted while waiting for recv", receive::await);
      expect(true, Thread.interrupted());
      interrupting.join();
      group.barrier();
      receive.await();
      expect(1, receive.sourceRank());
      expect(8.0, into.item_double());
    } else {
      group.barrier();
      group.sendAsync(row(8), 0, 9).await();
    }
    ProcessGroup alone = Distributed.newGroup(0);
    expect(rank == 0, alone != null);
    if (alone != null) {
      alone.barrier();
      alone.close();
      alone.close();
      expectError(IllegalArgumentException.class, "was closed", alone::barrier);
    }
    expect(Duration.ofSeconds(30), group.timeout());
  }

  private static void objects(int rank, ProcessGroup group) {
    expect(List.of("from 0", "from 1"), ObjectCollectives.allGather("from " + rank, group));
    expect(41, ObjectCollectives.broadcast(41 + rank, 0, group));
    expect(
        rank == 1 ? List.of(0, 1) : null,
        ObjectCollectives.gather(Integer.valueOf(rank), 1, group));
    List<String> given = rank == 0 ? List.of("a", "b") : null;
    expect(rank == 0 ? "a" : "b", ObjectCollectives.scatter(given, 0, group));
  }

  private static void dies(int rank, ProcessGroup group) throws Exception {
    group.barrier();
    if (rank == 1) {
      Runtime.getRuntime().halt(0);
    }
    group.setTimeout(Duration.ofSeconds(3));
    CompletableFuture<Work> future = group.allReduceAsync(row(1), ReduceOp.SUM).future();
    try {
      future.get(20, TimeUnit.SECONDS);
      throw new AssertionError("no error");
    } catch (ExecutionException e) {
      expect(DistributedException.class, e.getCause().getClass());
      expect(true, e.getCause().getMessage().contains("no sign of life from rank 1"));
    }
  }

  private static void differs(int rank, ProcessGroup group) throws InterruptedException {
    group.barrier();
    group.setTimeout(Duration.ofSeconds(3));
    if (rank == 0) {
      expectError(
          DistributedException.class,
          "rank 1 was in broadcast from rank 0 of 3 float64",
          () -> group.allReduce(row(1), ReduceOp.SUM));
      Thread.sleep(1000); // with this process ends the store, by which the other one learns it
    } else {
      expectError(
          DistributedException.class,
          "rank 0 was in all_reduce(SUM) of 1 float64",
          () -> group.broadcast(row(1, 2, 3), 0));
    }
  }

  private static void models(int rank) {
    expectError(
        org.onetape.TorchException.class,
        "rank 0 with sizes [4, 3] of float32 appears not to match that of rank 1 with sizes [5, 3]",
        () -> new DistributedDataParallel(new LinearImpl(3, 4 + rank)));
  }
}
