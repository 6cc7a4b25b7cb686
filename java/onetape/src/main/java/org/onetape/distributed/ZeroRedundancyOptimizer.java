package org.onetape.distributed;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.TensorVector;
import org.onetape.global.torch;
import org.onetape.internal.Access;
import org.onetape.internal.Args;
import org.onetape.optim.Optimizer;
import org.onetape.optim.OptimizerState;

/**
 * An optimizer whose state is spread over the processes (ZeRO, stage 1): each remembers what the
 * optimizer needs for its share of the parameters only, changes those, and sends them to the
 * others.
 *
 * <pre>{@code
 * new ZeroRedundancyOptimizer(
 *     model.parameters(), share -> new Adam(share, new AdamOptions(0.01)), Distributed.world());
 * }</pre>
 */
public final class ZeroRedundancyOptimizer implements AutoCloseable {
  private final ProcessGroup group;
  private final List<Tensor> parameters = new ArrayList<>();
  private final int[] owners;
  private final List<Integer> own = new ArrayList<>();
  private final Optimizer optimizer;

  /**
   * All processes give the same parameters.
   *
   * @param make makes the optimizer of this process's share
   * @throws IllegalArgumentException if there are fewer parameters than processes
   */
  public ZeroRedundancyOptimizer(
      TensorVector params, Function<TensorVector, ? extends Optimizer> make, ProcessGroup group) {
    this.group = group;
    for (Tensor parameter : params) {
      parameters.add(Access.unscoped(parameter));
    }
    if (parameters.size() < group.size()) {
      throw new IllegalArgumentException(
          "there are " + group.size() + " processes for " + parameters.size() + " parameters");
    }
    owners = shares();
    TensorVector share = new TensorVector();
    for (int i = 0; i < owners.length; i++) {
      if (owners[i] == group.rank()) {
        own.add(i);
        share.push_back(parameters.get(i));
      }
    }
    optimizer = make.apply(share);
  }

  /** The largest parameters first, each to the rank with the fewest elements so far. */
  private int[] shares() {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < parameters.size(); i++) {
      order.add(i);
    }
    order.sort(Comparator.comparingLong((Integer i) -> parameters.get(i).numel()).reversed());
    long[] loads = new long[group.size()];
    int[] found = new int[parameters.size()];
    for (int i : order) {
      int least = 0;
      for (int rank = 1; rank < loads.length; rank++) {
        least = loads[rank] < loads[least] ? rank : least;
      }
      found[i] = least;
      loads[least] += parameters.get(i).numel();
    }
    return found;
  }

  /** The optimizer of this process's share, whose options may be changed. */
  public Optimizer local() {
    return optimizer;
  }

  /** Changes this rank's share, and takes those of the others. */
  public void step() {
    optimizer.step();
    try (MemoryScope scope = new MemoryScope()) {
      List<Work> works = new ArrayList<>();
      for (int i = 0; i < owners.length; i++) {
        works.add(group.broadcastAsync(parameters.get(i).detach(), owners[i]));
      }
      works.forEach(Work::await);
    }
  }

  /** Takes the gradients of all parameters away. */
  public void zeroGrad() {
    for (Tensor parameter : parameters) {
      parameter.set_grad(null);
    }
  }

  /**
   * Brings the state of all shares to one rank, as the optimizer of all parameters would have it.
   * All ranks make the call.
   *
   * @return null on the other ranks
   */
  public OptimizerState consolidateStateDict(int to) {
    OptimizerState mine = optimizer.state_dict();
    ArrayList<Entry> entries = new ArrayList<>();
    mine.state()
        .forEach(
            (place, tensors) ->
                tensors.forEach(
                    (name, tensor) -> entries.add(new Entry(own.get(place), name, tensor))));
    List<ArrayList<Entry>> all = ObjectCollectives.allGather(entries, group);
    Map<Integer, Map<String, Tensor>> whole = new TreeMap<>();
    for (int rank = 0; rank < all.size(); rank++) {
      for (Entry entry : all.get(rank)) {
        exchange(mine, rank, entry, to, whole);
      }
    }
    if (group.rank() != to) {
      return null;
    }
    Map<String, Object> options = new LinkedHashMap<>(mine.param_groups().get(0));
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < owners.length; i++) {
      numbers.add(i);
    }
    options.put("params", numbers);
    return new OptimizerState(whole, List.of(options));
  }

  private void exchange(
      OptimizerState mine, int rank, Entry entry, int to, Map<Integer, Map<String, Tensor>> whole) {
    Tensor tensor = null;
    if (rank == group.rank()) {
      tensor = mine.state().get(own.indexOf(entry.number)).get(entry.name);
      if (rank != to) {
        group.send(tensor, to);
      }
    } else if (group.rank() == to) {
      tensor = torch.empty(entry.sizes, new TensorOptions(Args.scalarType(entry.type)));
      group.receive(tensor, rank);
    }
    if (group.rank() == to) {
      whole.computeIfAbsent(entry.number, number -> new LinkedHashMap<>()).put(entry.name, tensor);
    }
  }

  /** Takes this rank's share of a state of all parameters. */
  public void loadStateDict(OptimizerState saved) {
    Map<Integer, Map<String, Tensor>> share = new HashMap<>();
    List<Integer> places = new ArrayList<>();
    for (int place = 0; place < own.size(); place++) {
      places.add(place);
      Map<String, Tensor> state = saved.state().get(own.get(place));
      if (state != null) {
        share.put(place, state);
      }
    }
    List<?> given = (List<?>) saved.param_groups().get(0).get("params");
    if (saved.param_groups().size() != 1 || given.size() != owners.length) {
      throw new IllegalArgumentException(
          "loaded state dict contains a parameter group that doesn't match the size of"
              + " optimizer's group");
    }
    Map<String, Object> options = new LinkedHashMap<>(saved.param_groups().get(0));
    options.put("params", places);
    optimizer.load_state_dict(new OptimizerState(share, List.of(options)));
  }

  /** Lets go of the parameters and of what was remembered of them. */
  @Override
  public void close() {
    optimizer.close();
    parameters.forEach(Tensor::close);
  }

  /** A tensor that a rank remembers of a parameter. */
  private static final class Entry implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    final int number;
    final String name;
    final int type;
    final long[] sizes;

    Entry(int number, String name, Tensor tensor) {
      this.number = number;
      this.name = name;
      this.type = tensor.scalar_type().value;
      this.sizes = tensor.sizes().vec().get();
    }
  }
}
