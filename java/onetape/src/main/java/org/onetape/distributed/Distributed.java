package org.onetape.distributed;

import java.time.Duration;
import org.onetape.Tensor;
import org.onetape.internal.Groups;

/**
 * Training with more than one process: the group of all processes, and what they do together.
 *
 * <pre>{@code
 * try (ProcessGroup all = Distributed.initProcessGroup("gloo", "tcp://127.0.0.1:29500", "world", 2)) {
 *   Distributed.allReduce(gradient); // now the sum over both processes
 * }
 * }</pre>
 *
 * <p>Processes of Python ({@code onetape.distributed}) and of Java are members of the same group if
 * they meet at the same place under the same name; Python's default name is {@code world}, too.
 */
public final class Distributed {
  /** The name of groups that are given none. */
  public static final String WORLD = "world";

  private static final Duration TIMEOUT = Duration.ofMinutes(30);

  private Distributed() {}

  /** There are process groups; see {@link #isGlooAvailable} for what they run over. */
  public static boolean isAvailable() {
    return true;
  }

  /** Was this library built with Gloo? */
  public static boolean isGlooAvailable() {
    return Groups.hasGloo();
  }

  /** Is there a group of all processes? */
  public static boolean isInitialized() {
    ProcessGroup world = worldOrNull();
    return world != null;
  }

  /** Begins as RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT of the environment say. */
  public static ProcessGroup initProcessGroup(String backend) {
    return initProcessGroup(backend, "env://");
  }

  /** Begins at a place that also says rank and world size, or the environment does. */
  public static ProcessGroup initProcessGroup(String backend, String initMethod) {
    return initProcessGroup(backend, initMethod, WORLD, -1);
  }

  /** The rank is that of the environment (RANK), or of the URL. */
  public static ProcessGroup initProcessGroup(
      String backend, String initMethod, String groupName, int worldSize) {
    return initProcessGroup(backend, initMethod, groupName, worldSize, -1);
  }

  /** With the usual timeout, half an hour. */
  public static ProcessGroup initProcessGroup(
      String backend, String initMethod, String groupName, int worldSize, int rank) {
    return initProcessGroup(backend, initMethod, groupName, worldSize, rank, TIMEOUT);
  }

  /**
   * Makes this process a member of the group of all processes; waits until all have come.
   *
   * @param backend {@code gloo}, the one there is
   * @param initMethod where they meet: {@code env://}, {@code tcp://host:port} of rank 0, or {@code
   *     file:///path} of a file that all see; behind {@code ?} may stand {@code rank=}, {@code
   *     world_size=} and {@code token=}
   * @param groupName groups of different names do not meet, even at the same place
   * @param worldSize how many processes there are; -1 to have it from the URL or the environment
   * @param rank which of them this is; -1 to have it from the URL or the environment
   * @param timeout of this call, and of each operation later
   * @throws IllegalArgumentException if there is a group already, or something is missing
   * @throws DistributedException if the port is taken, nobody answers there, the token
   *     (ONETAPE_STORE_TOKEN) is wrong, or not all come in time
   * @throws org.onetape.TorchException if the library was built without Gloo
   */
  public static ProcessGroup initProcessGroup(
      String backend,
      String initMethod,
      String groupName,
      int worldSize,
      int rank,
      Duration timeout) {
    checkBackend(backend);
    int own = rank;
    String variable = System.getenv("RANK");
    if (own < 0 && variable != null && !initMethod.contains("rank=")) {
      own = number("RANK", variable);
    }
    return new ProcessGroup(
        Groups.begin(initMethod, 0, own, worldSize, groupName, timeout.toMillis()));
  }

  /** Begins by a store that all share. */
  public static ProcessGroup initProcessGroup(
      String backend, Store store, String groupName, int worldSize, int rank, Duration timeout) {
    checkBackend(backend);
    store.setTimeout(timeout);
    return new ProcessGroup(
        Groups.begin(null, store.handle(), rank, worldSize, groupName, timeout.toMillis()));
  }

  private static int number(String name, String text) {
    try {
      return Integer.parseInt(text.trim());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "environment variable " + name + " must be a number, but is '" + text + "'", e);
    }
  }

  private static void checkBackend(String backend) {
    if (!backend.equalsIgnoreCase("gloo") && !backend.equalsIgnoreCase("cpu:gloo")) {
      throw new IllegalArgumentException(
          "Unknown c10d backend type " + backend + "; there is gloo");
    }
  }

  private static ProcessGroup worldOrNull() {
    long handle = Groups.world();
    return handle == 0 ? null : new ProcessGroup(handle);
  }

  /**
   * The group of all processes.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static ProcessGroup world() {
    ProcessGroup world = worldOrNull();
    if (world == null) {
      throw new IllegalArgumentException(
          "Default process group has not been initialized, please make sure to call"
              + " init_process_group.");
    }
    return world;
  }

  /** Ends all groups. */
  public static void destroyProcessGroup() {
    world().close();
  }

  /**
   * A group of some of the processes. All processes make this call, members or not, in the same
   * order.
   *
   * @return null where this process is no member
   */
  public static ProcessGroup newGroup(int... ranks) {
    return newGroup(ranks, world().timeout(), false);
  }

  /** The same with a timeout of its own; if {@code local}, only the members make the call. */
  public static ProcessGroup newGroup(int[] ranks, Duration timeout, boolean local) {
    long[] all = new long[ranks.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = ranks[i];
    }
    long handle = Groups.newGroup(all, timeout.toMillis(), local);
    return handle == 0 ? null : new ProcessGroup(handle);
  }

  /** The rank of this process. */
  public static int getRank() {
    return world().rank();
  }

  /** How many processes there are. */
  public static int getWorldSize() {
    return world().size();
  }

  /** A barrier of all processes that tells who does not come; see {@link ProcessGroup}. */
  public static void monitoredBarrier(Duration timeout) {
    world().monitoredBarrier(timeout, false);
  }

  /**
   * Puts the sum, or what {@code op} says, of the tensor over all processes into the tensor of
   * each.
   */
  public static void allReduce(Tensor tensor, ReduceOp op) {
    world().allReduce(tensor, op);
  }

  /** Puts the sum of the tensor over all processes into the tensor of each. */
  public static void allReduce(Tensor tensor) {
    world().allReduce(tensor);
  }

  /** Begins {@link #allReduce}. */
  public static Work allReduceAsync(Tensor tensor, ReduceOp op) {
    return world().allReduceAsync(tensor, op);
  }

  /** The same for several tensors of one type at once. */
  public static void allReduceCoalesced(Tensor[] tensors, ReduceOp op) {
    world().allReduceCoalesced(tensors, op);
  }

  /** The same for several tensors of one type at once. */
  public static void allReduceCoalesced(Tensor[] tensors) {
    world().allReduceCoalesced(tensors);
  }

  /** Begins {@link #allReduceCoalesced}. */
  public static Work allReduceCoalescedAsync(Tensor[] tensors, ReduceOp op) {
    return world().allReduceCoalescedAsync(tensors, op);
  }

  /** Puts the elements of one process's tensor into the tensors of all. */
  public static void broadcast(Tensor tensor, int source) {
    world().broadcast(tensor, source);
  }

  /** Begins {@link #broadcast}. */
  public static Work broadcastAsync(Tensor tensor, int source) {
    return world().broadcastAsync(tensor, source);
  }

  /**
   * Puts the sum, or what {@code op} says, over all processes into the tensor of one; others stay.
   */
  public static void reduce(Tensor tensor, int destination, ReduceOp op) {
    world().reduce(tensor, destination, op);
  }

  /** Puts the sum over all processes into the tensor of one; others stay. */
  public static void reduce(Tensor tensor, int destination) {
    world().reduce(tensor, destination);
  }

  /** Begins {@link #reduce}. */
  public static Work reduceAsync(Tensor tensor, int destination, ReduceOp op) {
    return world().reduceAsync(tensor, destination, op);
  }

  /** Puts the tensors of all processes into an array of tensors, by rank. */
  public static void allGather(Tensor[] outputs, Tensor tensor) {
    world().allGather(outputs, tensor);
  }

  /** Begins {@link #allGather}. */
  public static Work allGatherAsync(Tensor[] outputs, Tensor tensor) {
    return world().allGatherAsync(outputs, tensor);
  }

  /** Puts the tensors of all processes into one, one after the other. */
  public static void allGatherIntoTensor(Tensor output, Tensor tensor) {
    world().allGatherIntoTensor(output, tensor);
  }

  /** Begins {@link #allGatherIntoTensor}. */
  public static Work allGatherIntoTensorAsync(Tensor output, Tensor tensor) {
    return world().allGatherIntoTensorAsync(output, tensor);
  }

  /** Puts the tensors of all processes into an array at one of them; elsewhere it is null. */
  public static void gather(Tensor[] outputs, Tensor tensor, int destination) {
    world().gather(outputs, tensor, destination);
  }

  /** Begins {@link #gather}. */
  public static Work gatherAsync(Tensor[] outputs, Tensor tensor, int destination) {
    return world().gatherAsync(outputs, tensor, destination);
  }

  /**
   * Puts each tensor of an array at one process into the tensor of the rank; elsewhere it is null.
   */
  public static void scatter(Tensor output, Tensor[] inputs, int source) {
    world().scatter(output, inputs, source);
  }

  /** Begins {@link #scatter}. */
  public static Work scatterAsync(Tensor output, Tensor[] inputs, int source) {
    return world().scatterAsync(output, inputs, source);
  }

  /** Sums arrays over all processes, and gives each rank the element with its number. */
  public static void reduceScatter(Tensor output, Tensor[] inputs, ReduceOp op) {
    world().reduceScatter(output, inputs, op);
  }

  /** Sums arrays over all processes, and gives each rank the element with its number. */
  public static void reduceScatter(Tensor output, Tensor[] inputs) {
    world().reduceScatter(output, inputs);
  }

  /** Begins {@link #reduceScatter}. */
  public static Work reduceScatterAsync(Tensor output, Tensor[] inputs, ReduceOp op) {
    return world().reduceScatterAsync(output, inputs, op);
  }

  /** Sums a tensor over all processes, and gives each rank its part. */
  public static void reduceScatterTensor(Tensor output, Tensor input, ReduceOp op) {
    world().reduceScatterTensor(output, input, op);
  }

  /** Sums a tensor over all processes, and gives each rank its part. */
  public static void reduceScatterTensor(Tensor output, Tensor input) {
    world().reduceScatterTensor(output, input);
  }

  /** Begins {@link #reduceScatterTensor}. */
  public static Work reduceScatterTensorAsync(Tensor output, Tensor input, ReduceOp op) {
    return world().reduceScatterTensorAsync(output, input, op);
  }

  /**
   * Sends each rank a tensor of an array, and puts those that come into another. Sizes may differ.
   */
  public static void allToAll(Tensor[] outputs, Tensor[] inputs) {
    world().allToAll(outputs, inputs);
  }

  /** Begins {@link #allToAll}. */
  public static Work allToAllAsync(Tensor[] outputs, Tensor[] inputs) {
    return world().allToAllAsync(outputs, inputs);
  }

  /** Waits until all processes have come here, and their earlier operations are done. */
  public static void barrier() {
    world().barrier();
  }

  /** Begins {@link #barrier}. */
  public static Work barrierAsync() {
    return world().barrierAsync();
  }

  /** Sends each rank an equal part of dimension 0, and joins those that come. */
  public static void allToAllSingle(Tensor output, Tensor input) {
    world().allToAllSingle(output, input);
  }

  /** Sends a tensor to another process. */
  public static void send(Tensor tensor, int destination) {
    world().send(tensor, destination);
  }

  /** Receives a tensor of the same type and number of elements, from any rank if that is -1. */
  public static int receive(Tensor tensor, int source) {
    return world().receive(tensor, source);
  }
}
