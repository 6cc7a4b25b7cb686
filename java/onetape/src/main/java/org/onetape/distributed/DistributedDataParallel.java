package org.onetape.distributed;

import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;
import org.onetape.internal.Groups;
import org.onetape.nn.Module;

/**
 * Trains a module on several processes, each with its own part of the data: after backward, the
 * gradients of all processes are the mean of theirs, the same to the last bit.
 *
 * <pre>{@code
 * DistributedDataParallel model = new DistributedDataParallel(new Net());
 * model.forward(ownPartOfTheBatch).sum().backward();
 * optimizer.step();
 * }</pre>
 */
public final class DistributedDataParallel extends Module {
  private static final long FIRST_BUCKET_BYTES = 1 << 20;

  private final Module module;
  private final ProcessGroup group;
  private final DistributedDataParallelOptions options;
  private final long reducer;
  private final Cleaner.Cleanable owned;
  private boolean sync = true;
  private boolean buffersAreNew = true;
  private Joining joining;

  /** With all processes. */
  public DistributedDataParallel(Module module) {
    this(module, Distributed.world(), new DistributedDataParallelOptions());
  }

  /**
   * Every process makes the module alike; it gets the parameters and buffers of rank 0.
   *
   * @throws TorchException if the module has no parameter that requires a gradient, or the ranks'
   *     modules differ; then on all of them
   */
  public DistributedDataParallel(
      Module module, ProcessGroup group, DistributedDataParallelOptions options) {
    super("DistributedDataParallel");
    this.module = module;
    this.group = group;
    this.options = options;
    try (MemoryScope scope = new MemoryScope()) {
      List<Tensor> parameters = new ArrayList<>();
      for (Tensor parameter : module.parameters()) {
        if (parameter.requires_grad()) {
          parameters.add(parameter);
        }
      }
      if (parameters.isEmpty()) {
        throw new TorchException(
            "DistributedDataParallel is not needed when a module doesn't have any parameters that"
                + " require a gradient.");
      }
      Tensor[] all = parameters.toArray(new Tensor[0]);
      Groups.verifyParameters(group.handle(), all);
      send(module.parameters(), 0);
      send(module.buffers(), 0);
      long bytes = options.bucketBytes();
      reducer =
          Groups.newReducer(
              group.handle(),
              all,
              bytes,
              Math.min(bytes, FIRST_BUCKET_BYTES),
              options.findUnusedParameters(),
              options.gradientAsBucketView());
    }
    owned = Groups.ownedReducer(this, reducer);
  }

  /** The module that is trained. */
  public Module module() {
    return module;
  }

  private void send(TensorVector tensors, int source) {
    Map<ScalarType, List<Tensor>> byType = new EnumMap<>(ScalarType.class);
    for (Tensor tensor : tensors) {
      byType.computeIfAbsent(tensor.scalar_type(), type -> new ArrayList<>()).add(tensor.detach());
    }
    List<Work> works = new ArrayList<>();
    for (List<Tensor> one : byType.values()) {
      works.add(group.broadcastCoalescedAsync(one.toArray(new Tensor[0]), source));
    }
    works.forEach(Work::await);
  }

  /** What is the same before every forward pass. */
  private boolean begin() {
    boolean reduces = torch.is_grad_enabled() && sync;
    try (MemoryScope scope = new MemoryScope()) {
      TensorVector buffers =
          options.broadcastBuffers() && buffersAreNew ? module.buffers() : new TensorVector();
      int source = 0;
      if (joining != null) {
        source = joining.begin(reduces, !buffers.empty());
      }
      send(buffers, source);
    }
    return reduces;
  }

  private Tensor end(boolean reduces, Tensor result) {
    if (reduces) {
      Groups.prepareReducer(reducer, new Tensor[] {result});
    } else {
      Groups.skipReducer(reducer);
    }
    buffersAreNew = reduces || !torch.is_grad_enabled();
    return result;
  }

  @Override
  public Tensor forward(Tensor input) {
    boolean reduces = begin();
    return end(reduces, module.forward(input));
  }

  @Override
  public Tensor forward(Tensor first, Tensor second) {
    boolean reduces = begin();
    return end(reduces, module.forward(first, second));
  }

  @Override
  public Tensor forward(Tensor first, Tensor second, Tensor third) {
    boolean reduces = begin();
    return end(reduces, module.forward(first, second, third));
  }

  /** A scope that ends without an exception of its own. */
  public interface Scope extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * While it is open, gradients stay on their rank and add up; the first backward pass after it, of
   * a forward pass after it, reduces all.
   */
  public Scope noSync() {
    boolean before = sync;
    sync = false;
    return () -> sync = before;
  }

  /** A scope for differing numbers of inputs; gradients are divided by the number of all ranks. */
  public Scope join() {
    return join(true);
  }

  /**
   * A scope for training with differing numbers of inputs: at its end a rank takes part in what the
   * others do until all have come to theirs, and has the same model then.
   *
   * @param divideByWorldSize gradients are divided by the number of all ranks, else of those with
   *     inputs
   */
  public Scope join(boolean divideByWorldSize) {
    joining = new Joining(divideByWorldSize);
    return joining;
  }

  /** What ranks do whose inputs have run out while others go on. */
  private final class Joining implements Scope {
    private final boolean byWorld;
    private long passes;

    Joining(boolean byWorld) {
      this.byWorld = byWorld;
    }

    /** Numbers of all ranks, as many each. */
    private long[] exchanged(long... own) {
      try (MemoryScope scope = new MemoryScope()) {
        Tensor all = Tensor.create(new long[own.length * group.size()]);
        group.allGatherIntoTensor(all, Tensor.create(own));
        long[] numbers = new long[own.length * group.size()];
        all.<java.nio.LongBuffer>createBuffer().get(numbers);
        return numbers;
      }
    }

    int begin(boolean reduces, boolean buffers) {
      passes++;
      long[] round = exchanged(1, reduces ? 1 : 0, buffers ? 1 : 0);
      setDivisor(round);
      return firstActive(round);
    }

    private void setDivisor(long[] round) {
      int active = 0;
      for (int i = 0; i < round.length; i += 3) {
        active += (int) round[i];
      }
      Groups.setDivisor(reducer, byWorld ? 0 : active);
    }

    private int firstActive(long[] round) {
      for (int i = 0; i < round.length; i += 3) {
        if (round[i] == 1) {
          return i / 3;
        }
      }
      return -1;
    }

    private boolean any(long[] round, int which) {
      for (int i = which; i < round.length; i += 3) {
        if (round[i] == 1) {
          return true;
        }
      }
      return false;
    }

    @Override
    public void close() {
      joining = null;
      for (long[] round = exchanged(0, 0, 0); firstActive(round) >= 0; round = exchanged(0, 0, 0)) {
        setDivisor(round);
        if (any(round, 2)) {
          send(module.buffers(), firstActive(round));
        }
        if (any(round, 1)) {
          Groups.shadowReducer(reducer);
        }
      }
      Groups.setDivisor(reducer, 0);
      long[] all = exchanged(passes);
      int newest = 0;
      for (int rank = 1; rank < all.length; rank++) {
        newest = all[rank] > all[newest] ? rank : newest;
      }
      send(module.parameters(), newest);
      send(module.buffers(), newest);
    }
  }

  /** Has a function reduce the gradients. */
  public void registerCommHook(CommHook hook) {
    java.util.Objects.requireNonNull(hook, "argument 'hook' is null");
    Groups.Hook adapter =
        (index, last, buffer, gradients, parameters) ->
            hook.reduce(new GradBucket(index, last, buffer, gradients, parameters));
    Groups.setHook(reducer, adapter);
  }

  /** Has gradients reduced in another way. */
  public void registerCommHook(BuiltinCommHook hook) {
    Groups.setBuiltinHook(reducer, hook.ordinal());
  }

  /** Lets go of the module, too. */
  @Override
  public void close() {
    owned.clean();
    super.close();
  }
}
