package org.onetape.distributed;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.nn.BatchNorm1dImpl;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.Module;
import org.onetape.nn.ReLUImpl;
import org.onetape.optim.Adam;
import org.onetape.optim.AdamOptions;
import org.onetape.optim.OptimizerState;
import org.onetape.optim.SGD;
import org.onetape.optim.SGDOptions;

/** What a process trains together with others, against what one does alone. */
final class TrainingProgram {
  private TrainingProgram() {}

  /** Three layers. */
  static final class Net extends Module {
    final LinearImpl first = new LinearImpl(6, 50);
    final LinearImpl second = new LinearImpl(50, 40);
    final LinearImpl third = new LinearImpl(40, 3);

    @Override
    public Tensor forward(Tensor x) {
      return third.forward(second.forward(first.forward(x).tanh()).relu());
    }
  }

  /** Uses one branch or the other. */
  static final class Branches extends Module {
    final LinearImpl first = new LinearImpl(6, 3);
    final LinearImpl second = new LinearImpl(6, 3);
    boolean takesSecond;

    @Override
    public Tensor forward(Tensor x) {
      return takesSecond ? second.forward(x) : first.forward(x);
    }
  }

  /** Remembers what it has seen. */
  static final class Norm extends Module {
    final BatchNorm1dImpl norm = new BatchNorm1dImpl(6);
    final LinearImpl last = new LinearImpl(6, 3);

    @Override
    public Tensor forward(Tensor x) {
      return last.forward(norm.forward(x));
    }
  }

  static void run(String what, int rank, ProcessGroup group) {
    switch (what) {
      case "trains":
        for (boolean views : new boolean[] {false, true}) {
          for (boolean unused : new boolean[] {false, true}) {
            trains(
                rank,
                group,
                new DistributedDataParallelOptions()
                    .gradientAsBucketView(views)
                    .findUnusedParameters(unused)
                    .bucketCapMb(views ? 25 : 0.002));
          }
        }
        break;
      case "accumulates":
        accumulates(rank, group);
        break;
      case "hooks":
        hooks(rank, group);
        break;
      case "uneven":
        uneven(rank, group, true);
        uneven(rank, group, false);
        break;
      default:
        shares(rank, group);
    }
  }

  private static void expect(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }

  private static Tensor batch(int step) {
    torch.manual_seed(step);
    return torch.randn(12, 6);
  }

  private static Tensor part(Tensor x, int rank, ProcessGroup group) {
    long size = x.size(0) / group.size();
    return x.narrow(0, rank * size, size);
  }

  private static Net net(int seed) {
    torch.manual_seed(seed);
    return new Net();
  }

  /** To the last bit. */
  private static boolean sameEverywhere(Iterable<Tensor> tensors, ProcessGroup group) {
    boolean same = true;
    for (Tensor tensor : tensors) {
      Tensor first = tensor.detach().clone();
      group.broadcast(first, 0);
      Tensor equal = Tensor.create(new long[] {first.equal(tensor.detach()) ? 1 : 0});
      group.allReduce(equal, ReduceOp.MIN);
      same &= equal.item_long() == 1;
    }
    return same;
  }

  private static List<Tensor> gradients(Module module) {
    List<Tensor> all = new ArrayList<>();
    for (Tensor parameter : module.parameters()) {
      all.add(parameter.grad());
    }
    return all;
  }

  private static boolean close(Module one, Module other, double error) {
    boolean close = true;
    for (long i = 0; i < one.parameters().size(); i++) {
      Tensor a = one.parameters().get(i).grad();
      Tensor b = other.parameters().get(i).grad();
      close &= a.defined() == b.defined();
      close &= !a.defined() || a.sub(b).abs().max().item_double() < error;
    }
    return close;
  }

  private static void trains(int rank, ProcessGroup group, DistributedDataParallelOptions options) {
    Net alone = net(0);
    try (DistributedDataParallel model = new DistributedDataParallel(net(rank), group, options);
        SGD optimizer = new SGD(model.parameters(), new SGDOptions(0.1).momentum(0.9));
        SGD single = new SGD(alone.parameters(), new SGDOptions(0.1).momentum(0.9))) {
      for (int step = 0; step < 4; step++) {
        try (MemoryScope scope = new MemoryScope()) {
          Tensor x = batch(step);
          optimizer.zero_grad();
          single.zero_grad();
          model.forward(part(x, rank, group)).pow(2).mean().backward();
          alone.forward(x).pow(2).mean().backward();
          expect(sameEverywhere(gradients(model), group), "gradients differ");
          expect(close(model, alone, 1e-5), "other gradients than alone");
          optimizer.step();
          single.step();
        }
      }
      expect(sameEverywhere(model.parameters(), group), "parameters differ");
    }
  }

  private static void accumulates(int rank, ProcessGroup group) {
    Net alone = net(0);
    DistributedDataParallel model = new DistributedDataParallel(net(0));
    try (DistributedDataParallel.Scope scope = model.noSync()) {
      model.forward(part(batch(0), rank, group)).mean().backward();
    }
    expect(!sameEverywhere(gradients(model), group), "gradients were reduced");
    model.forward(part(batch(1), rank, group)).mean().backward();
    alone.forward(batch(0)).mean().backward();
    alone.forward(batch(1)).mean().backward();
    expect(close(model, alone, 1e-5), "other gradients than alone");

    torch.manual_seed(0);
    Branches branches = new Branches();
    DistributedDataParallel both =
        new DistributedDataParallel(
            branches, group, new DistributedDataParallelOptions().findUnusedParameters(true));
    branches.takesSecond = rank == 1;
    both.forward(batch(0)).sum().backward();
    expect(sameEverywhere(gradients(branches), group), "gradients differ");
    DistributedDataParallel strict = new DistributedDataParallel(branches);
    strict.forward(batch(0)).sum().backward();
    try {
      strict.forward(batch(0));
      throw new AssertionError("no error");
    } catch (TorchException e) {
      expect(e.getMessage().startsWith("Expected to have finished reduction"), e.getMessage());
    }
    try {
      new DistributedDataParallel(new LinearImpl(3, 4 + rank));
      throw new AssertionError("no error");
    } catch (TorchException e) {
      expect(e.getMessage().contains("appears not to match that of rank 1"), e.getMessage());
    }
    try {
      new DistributedDataParallel(new ReLUImpl());
      throw new AssertionError("no error");
    } catch (TorchException e) {
      expect(e.getMessage().contains("is not needed"), e.getMessage());
    }
  }

  private static void hooks(int rank, ProcessGroup group) {
    DistributedDataParallel plain = new DistributedDataParallel(net(0));
    plain.forward(part(batch(0), rank, group)).pow(2).mean().backward();
    for (BuiltinCommHook hook : BuiltinCommHook.values()) {
      DistributedDataParallel model = new DistributedDataParallel(net(0));
      model.registerCommHook(hook);
      model.forward(part(batch(0), rank, group)).pow(2).mean().backward();
      expect(close(model, plain, hook == BuiltinCommHook.ALL_REDUCE ? 1e-7 : 1e-2), "" + hook);
      expect(sameEverywhere(gradients(model), group), "gradients differ");
    }
    List<Integer> seen = new ArrayList<>();
    DistributedDataParallel model =
        new DistributedDataParallel(
            net(0), group, new DistributedDataParallelOptions().bucketCapMb(0.002));
    model.registerCommHook(
        bucket -> {
          seen.add(bucket.index());
          expect(bucket.gradients().length == bucket.parameters().length, "other lengths");
          Tensor buffer = bucket.buffer();
          return group.allReduceAsync(buffer, ReduceOp.AVG).future().thenApply(work -> buffer);
        });
    model.forward(part(batch(0), rank, group)).pow(2).mean().backward();
    expect(close(model, plain, 1e-6), "other gradients");
    expect(seen.size() > 1 && seen.get(0) == 0, "buckets " + seen);
    model.registerCommHook(
        bucket -> CompletableFuture.failedFuture(new IllegalStateException("the hook's own")));
    try {
      model.forward(batch(0)).sum().backward();
      throw new AssertionError("no error");
    } catch (IllegalStateException e) {
      expect(e.getMessage().equals("the hook's own"), e.getMessage());
    }
  }

  private static void uneven(int rank, ProcessGroup group, boolean byWorld) {
    torch.manual_seed(0);
    DistributedDataParallel model = new DistributedDataParallel(new Norm());
    try (DistributedDataParallel.Scope scope = model.join(byWorld)) {
      for (int step = 0; step < 1 + 2 * rank; step++) {
        model.zero_grad();
        model.forward(part(batch(step), rank, group)).pow(2).mean().backward();
        try (NoGradGuard guard = new NoGradGuard()) {
          for (Tensor parameter : model.parameters()) {
            parameter.sub_(parameter.grad());
          }
        }
      }
    }
    expect(sameEverywhere(model.parameters(), group), "parameters differ");
    expect(sameEverywhere(model.buffers(), group), "buffers differ");
    group.barrier();
  }

  private static void shares(int rank, ProcessGroup group) {
    Net alone = net(0);
    Net together = net(0);
    Adam plain = new Adam(alone.parameters(), new AdamOptions(0.01));
    try (ZeroRedundancyOptimizer zero =
        new ZeroRedundancyOptimizer(
            together.parameters(), share -> new Adam(share, new AdamOptions(0.01)), group)) {
      for (int step = 0; step < 3; step++) {
        plain.zero_grad();
        zero.zeroGrad();
        alone.forward(batch(step)).pow(2).mean().backward();
        together.forward(batch(step)).pow(2).mean().backward();
        plain.step();
        zero.step();
      }
      for (long i = 0; i < alone.parameters().size(); i++) {
        expect(alone.parameters().get(i).equal(together.parameters().get(i)), "parameter " + i);
      }
      expect(zero.local().parameters().size() < alone.parameters().size(), "no share");
      OptimizerState whole = zero.consolidateStateDict(1);
      expect((whole != null) == (rank == 1), "the state is elsewhere");
      if (whole != null) {
        plain
            .state_dict()
            .state()
            .forEach(
                (number, state) ->
                    state.forEach(
                        (name, tensor) ->
                            expect(
                                tensor.equal(whole.state().get(number).get(name)),
                                number + " " + name)));
      }
      zero.loadStateDict(plain.state_dict());
      zero.step();
    }
  }
}
