package org.onetape.distributed;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.time.Duration;
import org.onetape.Tensor;
import org.onetape.internal.Groups;

/**
 * Processes that exchange tensors. All members make the same calls in the same order; ranks are
 * those in the group.
 *
 * <p>A call reads the tensors' places at once; the elements move later, and until the {@link Work}
 * is done nobody should change them. Nothing is recorded for backward. A method whose name ends in
 * {@code Async} begins an operation, the one without also waits for its end. All throw {@link
 * DistributedException} if the operation fails, which then names the rank and the operation; the
 * group is of no more use after that.
 */
public final class ProcessGroup implements AutoCloseable {
  private final long handle;
  private final Cleaner.Cleanable owned;

  ProcessGroup(long handle) {
    this.handle = handle;
    owned = Groups.owned(this, handle, Groups.GROUP);
  }

  long handle() {
    return handle;
  }

  /** The rank of this process in the group. */
  public int rank() {
    return Groups.rank(handle);
  }

  /** How many processes there are in it. */
  public int size() {
    return Groups.ranks(handle).length;
  }

  /** The name of the group. */
  public String name() {
    return Groups.name(handle);
  }

  /** The ranks of its members in the group of all processes. */
  public int[] ranks() {
    long[] all = Groups.ranks(handle);
    int[] ranks = new int[all.length];
    for (int i = 0; i < ranks.length; i++) {
      ranks[i] = (int) all[i];
    }
    return ranks;
  }

  /** How long an operation may take. */
  public Duration timeout() {
    return Duration.ofMillis(Groups.timeout(handle));
  }

  /** Sets how long an operation may take from now on. */
  public void setTimeout(Duration timeout) {
    Groups.setTimeout(handle, timeout.toMillis());
  }

  private static Tensor[] one(Tensor tensor) {
    return new Tensor[] {tensor};
  }

  private static Tensor[] orNone(Tensor[] tensors) {
    return tensors == null ? new Tensor[0] : tensors;
  }

  private Work start(int call, Tensor[] out, Tensor[] in, int number, ReduceOp op) {
    return start(call, out, in, number, op, null, null, 0);
  }

  private Work start(
      int call,
      Tensor[] out,
      Tensor[] in,
      int number,
      ReduceOp op,
      long[] outSplits,
      long[] inSplits,
      int tag) {
    try {
      return new Work(
          Groups.start(handle, call, out, in, number, op.ordinal(), outSplits, inSplits, tag));
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Puts the sum, or what {@code op} says, of the tensor over all processes into the tensor of
   * each.
   */
  public void allReduce(Tensor tensor, ReduceOp op) {
    allReduceAsync(tensor, op).await();
  }

  /** Begins {@link #allReduce}. */
  public Work allReduceAsync(Tensor tensor, ReduceOp op) {
    return start(Groups.ALL_REDUCE, one(tensor), null, 0, op);
  }

  /** Puts the sum of the tensor over all processes into the tensor of each. */
  public void allReduce(Tensor tensor) {
    allReduce(tensor, ReduceOp.SUM);
  }

  /** The same for several tensors of one type at once. */
  public void allReduceCoalesced(Tensor[] tensors, ReduceOp op) {
    allReduceCoalescedAsync(tensors, op).await();
  }

  /** Begins {@link #allReduceCoalesced}. */
  public Work allReduceCoalescedAsync(Tensor[] tensors, ReduceOp op) {
    return start(Groups.ALL_REDUCE_COALESCED, tensors, null, 0, op);
  }

  /** The same for several tensors of one type at once. */
  public void allReduceCoalesced(Tensor[] tensors) {
    allReduceCoalesced(tensors, ReduceOp.SUM);
  }

  /** Puts the elements of one process's tensor into the tensors of all. */
  public void broadcast(Tensor tensor, int source) {
    broadcastAsync(tensor, source).await();
  }

  /** Begins {@link #broadcast}. */
  public Work broadcastAsync(Tensor tensor, int source) {
    return start(Groups.BROADCAST, one(tensor), null, source, ReduceOp.SUM);
  }

  /**
   * Puts the sum, or what {@code op} says, over all processes into the tensor of one; others stay.
   */
  public void reduce(Tensor tensor, int destination, ReduceOp op) {
    reduceAsync(tensor, destination, op).await();
  }

  /** Begins {@link #reduce}. */
  public Work reduceAsync(Tensor tensor, int destination, ReduceOp op) {
    return start(Groups.REDUCE, one(tensor), null, destination, op);
  }

  /** Puts the sum over all processes into the tensor of one; others stay. */
  public void reduce(Tensor tensor, int destination) {
    reduce(tensor, destination, ReduceOp.SUM);
  }

  /** Puts the tensors of all processes into an array of tensors, by rank. */
  public void allGather(Tensor[] outputs, Tensor tensor) {
    allGatherAsync(outputs, tensor).await();
  }

  /** Begins {@link #allGather}. */
  public Work allGatherAsync(Tensor[] outputs, Tensor tensor) {
    return start(Groups.ALL_GATHER, outputs, one(tensor), 0, ReduceOp.SUM);
  }

  /** Puts the tensors of all processes into one, one after the other. */
  public void allGatherIntoTensor(Tensor output, Tensor tensor) {
    allGatherIntoTensorAsync(output, tensor).await();
  }

  /** Begins {@link #allGatherIntoTensor}. */
  public Work allGatherIntoTensorAsync(Tensor output, Tensor tensor) {
    return start(Groups.ALL_GATHER_INTO, one(output), one(tensor), 0, ReduceOp.SUM);
  }

  /** Puts the tensors of all processes into an array at one of them; elsewhere it is null. */
  public void gather(Tensor[] outputs, Tensor tensor, int destination) {
    gatherAsync(outputs, tensor, destination).await();
  }

  /** Begins {@link #gather}. */
  public Work gatherAsync(Tensor[] outputs, Tensor tensor, int destination) {
    return start(Groups.GATHER, orNone(outputs), one(tensor), destination, ReduceOp.SUM);
  }

  /**
   * Puts each tensor of an array at one process into the tensor of the rank; elsewhere it is null.
   */
  public void scatter(Tensor output, Tensor[] inputs, int source) {
    scatterAsync(output, inputs, source).await();
  }

  /** Begins {@link #scatter}. */
  public Work scatterAsync(Tensor output, Tensor[] inputs, int source) {
    return start(Groups.SCATTER, one(output), orNone(inputs), source, ReduceOp.SUM);
  }

  /** Sums arrays over all processes, and gives each rank the element with its number. */
  public void reduceScatter(Tensor output, Tensor[] inputs, ReduceOp op) {
    reduceScatterAsync(output, inputs, op).await();
  }

  /** Begins {@link #reduceScatter}. */
  public Work reduceScatterAsync(Tensor output, Tensor[] inputs, ReduceOp op) {
    return start(Groups.REDUCE_SCATTER, one(output), inputs, 0, op);
  }

  /** Sums arrays over all processes, and gives each rank the element with its number. */
  public void reduceScatter(Tensor output, Tensor[] inputs) {
    reduceScatter(output, inputs, ReduceOp.SUM);
  }

  /** Sums a tensor over all processes, and gives each rank its part. */
  public void reduceScatterTensor(Tensor output, Tensor input, ReduceOp op) {
    reduceScatterTensorAsync(output, input, op).await();
  }

  /** Begins {@link #reduceScatterTensor}. */
  public Work reduceScatterTensorAsync(Tensor output, Tensor input, ReduceOp op) {
    return start(Groups.REDUCE_SCATTER_INTO, one(output), one(input), 0, op);
  }

  /** Sums a tensor over all processes, and gives each rank its part. */
  public void reduceScatterTensor(Tensor output, Tensor input) {
    reduceScatterTensor(output, input, ReduceOp.SUM);
  }

  /**
   * Sends each rank a tensor of an array, and puts those that come into another. Sizes may differ.
   */
  public void allToAll(Tensor[] outputs, Tensor[] inputs) {
    allToAllAsync(outputs, inputs).await();
  }

  /** Begins {@link #allToAll}. */
  public Work allToAllAsync(Tensor[] outputs, Tensor[] inputs) {
    return start(Groups.ALL_TO_ALL, outputs, inputs, 0, ReduceOp.SUM);
  }

  /** Waits until all processes have come here, and their earlier operations are done. */
  public void barrier() {
    barrierAsync().await();
  }

  /** Begins {@link #barrier}. */
  public Work barrierAsync() {
    return start(Groups.BARRIER, null, null, 0, ReduceOp.SUM);
  }

  /** Puts the elements of one process's tensors, all of one type, into the tensors of all. */
  public Work broadcastCoalescedAsync(Tensor[] tensors, int source) {
    return start(Groups.BROADCAST_COALESCED, tensors, null, source, ReduceOp.SUM);
  }

  /** Sends each rank an equal part of dimension 0, and joins those that come. */
  public void allToAllSingle(Tensor output, Tensor input) {
    allToAllSingle(output, input, null, null);
  }

  /** The same with sizes in dimension 0 for each rank; null for equal ones. */
  public void allToAllSingle(Tensor output, Tensor input, long[] outputSplits, long[] inputSplits) {
    start(
            Groups.ALL_TO_ALL_SINGLE,
            one(output),
            one(input),
            0,
            ReduceOp.SUM,
            outputSplits,
            inputSplits,
            0)
        .await();
  }

  /** Sends a tensor to another process. */
  public void send(Tensor tensor, int destination) {
    sendAsync(tensor, destination, 0).await();
  }

  /** Begins to send a tensor to another process. Messages of one tag arrive in order. */
  public Work sendAsync(Tensor tensor, int destination, int tag) {
    return start(Groups.SEND, null, one(tensor), destination, ReduceOp.SUM, null, null, tag);
  }

  /** Receives a tensor of the same type and number of elements; returns the rank of the sender. */
  public int receive(Tensor tensor, int source) {
    Work work = receiveAsync(tensor, source, 0);
    work.await();
    return work.sourceRank();
  }

  /** Begins to receive a tensor; from any rank if {@code source} is -1. */
  public Work receiveAsync(Tensor tensor, int source, int tag) {
    return start(Groups.RECEIVE, one(tensor), null, source, ReduceOp.SUM, null, null, tag);
  }

  /**
   * A barrier at which rank 0 finds out who does not come, all of them with {@code waitAllRanks},
   * and says so in the exception that it throws; the others throw one, too. The group can still be
   * used after it.
   */
  public void monitoredBarrier(Duration timeout, boolean waitAllRanks) {
    Groups.monitoredBarrier(handle, timeout.toMillis(), waitAllRanks);
  }

  /** Ends the group; the group of all processes takes all others with it. Again: no effect. */
  @Override
  public void close() {
    try {
      Groups.destroy(handle);
    } catch (IllegalArgumentException e) {
      // It has ended before, or was closed.
      owned.clean();
      return;
    }
    owned.clean();
  }

  /** Are both the same group of this process? */
  @Override
  public boolean equals(Object other) {
    return other instanceof ProcessGroup
        && Groups.identity(handle) == Groups.identity(((ProcessGroup) other).handle);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(Groups.identity(handle));
  }

  @Override
  public String toString() {
    return "ProcessGroup " + name() + ", rank " + rank() + " of " + size();
  }
}
