package org.onetape.fuzz;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.onetape.Autograd;
import org.onetape.Checkpoint;
import org.onetape.Function;
import org.onetape.HookHandle;
import org.onetape.InferenceMode;
import org.onetape.LeafHook;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Node;
import org.onetape.NodeHook;
import org.onetape.SavedTensorsHooks;
import org.onetape.Tensor;
import org.onetape.TensorHook;
import org.onetape.global.torch;

/**
 * Eight threads use, differentiate, change, hook, close and drop the same tensors and scopes, one
 * seed a case; with hooks and custom functions that throw, return something else or close what they
 * were given.
 *
 * <p>{@code ThreadFuzz FIRST COUNT PROGRESS} runs cases as {@link FaceFuzz} does.
 */
@SuppressWarnings("try") // guards are only there
public final class ThreadFuzz {
  private static final int THREADS = 8;
  private static final int TURNS = 60;

  private final AtomicReferenceArray<Tensor> pool = new AtomicReferenceArray<>(16);
  private final AtomicReferenceArray<MemoryScope> scopes = new AtomicReferenceArray<>(4);

  /** A fault of the library, not an exception that a program may meet. */
  private volatile Throwable fault;

  public static void main(String[] args) throws IOException, InterruptedException {
    int first = Integer.parseInt(args[0]);
    int count = Integer.parseInt(args[1]);
    try (RandomAccessFile progress = new RandomAccessFile(args[2], "rw")) {
      for (int seed = first; seed < first + count; seed++) {
        write(progress, seed);
        new ThreadFuzz().run(seed);
      }
      write(progress, -1);
    }
  }

  private static void write(RandomAccessFile progress, int seed) throws IOException {
    progress.seek(0);
    progress.write(String.format("%20d", seed).getBytes(StandardCharsets.US_ASCII));
  }

  private void run(int seed) throws InterruptedException {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L);
    for (int i = 0; i < pool.length(); i++) {
      pool.set(i, fresh(random));
    }
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Random own = new Random(random.nextLong());
      threads.add(new Thread(() -> work(own)));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    if (fault != null) {
      fault.printStackTrace();
      System.exit(3);
    }
  }

  private void work(Random random) {
    for (int i = 0; i < TURNS; i++) {
      MemoryScope scope = random.nextInt(3) == 0 ? new MemoryScope() : null;
      try {
        turn(random, scope);
      } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
        continue; // a program may meet them
      } catch (Error e) {
        fault = e;
      } finally {
        if (scope != null) {
          scope.close();
        }
      }
    }
  }

  private static Tensor fresh(Random random) {
    long[] shape = new long[random.nextInt(3)];
    for (int i = 0; i < shape.length; i++) {
      shape[i] = 1L + random.nextInt(3);
    }
    Tensor tensor = torch.rand(random.nextInt(40) == 0 ? new long[] {200, 200} : shape);
    if (random.nextInt(3) > 0) {
      tensor.requires_grad_(true);
    }
    return random.nextInt(3) == 0 ? tensor.mul(1) : tensor;
  }

  private Tensor any(Random random) {
    return pool.get(random.nextInt(pool.length()));
  }

  private void turn(Random random, MemoryScope scope) {
    Tensor made = made(random, any(random), any(random));
    if (made != null) {
      if (scope != null && random.nextBoolean()) {
        scope.keep(made);
      }
      pool.set(random.nextInt(pool.length()), made);
    }
  }

  /** Does something with two tensors; null if nothing was made. */
  private Tensor made(Random random, Tensor x, Tensor y) {
    switch (random.nextInt(11)) {
      case 10:
        return reshaped(random, x, y);
      case 0:
      case 1:
      case 2:
        return computed(random, x, y);
      case 3:
        return viewed(random, x);
      case 4:
        return changed(random, x, y);
      case 5:
        return called(random, x, y);
      case 6:
        hook(random, x);
        return null;
      case 7:
        return differentiated(random, x, y);
      default:
        return managed(random, x, y);
    }
  }

  private static Tensor computed(Random random, Tensor x, Tensor y) {
    switch (random.nextInt(7)) {
      case 0:
        return x.add(y);
      case 1:
        return x.mul(y).tanh();
      case 2:
        return x.sum();
      case 3:
        return x.exp().div(y);
      case 4:
        return torch.cat(new Tensor[] {x.flatten(), y.flatten()}, 0);
      case 5:
        return x.matmul(y);
      default:
        return x.sigmoid().softmax(-1);
    }
  }

  private static Tensor viewed(Random random, Tensor x) {
    switch (random.nextInt(6)) {
      case 0:
        return x.unbind(0).get(0);
      case 1:
        return x.view(-1);
      case 2:
        return x.transpose(0, -1);
      case 3:
        return x.detach();
      case 4:
        return x.narrow(0, 0, 1);
      default:
        return x.expand(2, 3, 3);
    }
  }

  /** Another shape or other memory for a tensor that the other threads use, too. */
  private static Tensor reshaped(Random random, Tensor x, Tensor y) {
    long[] sizes = new long[1 + random.nextInt(6)];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = new long[] {0, 1, 2, 3, 9, 60}[random.nextInt(6)];
    }
    switch (random.nextInt(11)) {
      case 0:
        return x.t_();
      case 1:
        return x.transpose_(0, -1);
      case 2:
        return x.squeeze_();
      case 3:
        return x.unsqueeze_(0);
      case 4:
        return x.as_strided_(new long[] {2, 2}, new long[] {1, 1});
      case 5:
        return x.resize_(sizes);
      case 6:
        return x.detach().resize_(sizes);
      case 7:
        return x.set_();
      case 8:
        return x.set_(y.detach());
      case 9:
        return x.set_(y.detach(), 1, sizes);
      default:
        x.set_data(random.nextBoolean() ? y.detach() : torch.rand(sizes));
        return null;
    }
  }

  private static Tensor changed(Random random, Tensor x, Tensor y) {
    switch (random.nextInt(7)) {
      case 0:
        return x.mul_(y);
      case 1:
        return x.zero_();
      case 2:
        return x.select(0, 0).add_(1);
      case 3:
        return x.detach_();
      case 4:
        x.set_grad(random.nextBoolean() ? new Tensor() : y);
        return null;
      case 5:
        return x.requires_grad_(random.nextBoolean());
      default:
        return x.copy_(y);
    }
  }

  /** What a function of a program may return, or throw. */
  private static Tensor answer(Random random, Tensor given) {
    switch (random.nextInt(8)) {
      case 0:
        return given;
      case 1:
        return null;
      case 2:
        return torch.ones(7, 5);
      case 3:
        return given.to(torch.ScalarType.Double);
      case 4:
        given.close();
        return given;
      case 5:
        given.sum().backward();
        return given.mul(2);
      case 6:
        return new Tensor();
      default:
        throw new IllegalStateException("on purpose");
    }
  }

  private static Tensor called(Random random, Tensor x, Tensor y) {
    switch (random.nextInt(4)) {
      case 0:
        return Checkpoint.checkpoint(t -> answer(random, t), x);
      case 1:
        try (SavedTensorsHooks hooks =
            new SavedTensorsHooks(
                t -> random.nextBoolean() ? t.clone() : answer(random, t),
                packed -> (Tensor) packed)) {
          return x.mul(y).exp();
        }
      default:
        return new Anything(random).apply(x);
    }
  }

  /** A custom function whose parts do anything. */
  private static final class Anything extends Function {
    private final Random random;

    Anything(Random random) {
      this.random = random;
    }

    @Override
    public Tensor forward(Tensor x) {
      return random.nextBoolean() ? x.mul(2) : answer(random, x);
    }

    @Override
    public Tensor backward(Tensor gradient) {
      return random.nextBoolean() ? gradient.mul(input) : answer(random, gradient);
    }
  }

  private static void hook(Random random, Tensor x) {
    Node node = x.grad_fn();
    HookHandle handle = null;
    switch (random.nextInt(4)) {
      case 0:
        TensorHook hook = gradient -> answer(random, gradient);
        handle = x.register_hook(hook);
        break;
      case 1:
        LeafHook leafHook = leaf -> answer(random, leaf.grad());
        handle = x.register_post_accumulate_grad_hook(leafHook);
        break;
      case 2:
        NodeHook nodeHook =
            (inputs, outputs) ->
                random.nextBoolean() ? null : new Tensor[] {answer(random, outputs[0])};
        handle = node.register_hook(nodeHook);
        break;
      default:
        handle = node.register_prehook(outputs -> new Tensor[] {answer(random, outputs[0])});
    }
    if (random.nextBoolean()) {
      handle.remove();
    }
  }

  private static Tensor differentiated(Random random, Tensor x, Tensor y) {
    switch (random.nextInt(4)) {
      case 0:
        x.sum().backward();
        return x.grad();
      case 1:
        x.sum().backward(new Tensor(), true, random.nextBoolean());
        return null;
      case 2:
        return Autograd.grad(
            new Tensor[] {x.mul(y).sum()}, new Tensor[] {x}, null, true, true, true)[0];
      default:
        x.retain_grad();
        return null;
    }
  }

  /** Closes, keeps, attaches, collects. */
  private Tensor managed(Random random, Tensor x, Tensor y) {
    switch (random.nextInt(9)) {
      case 0:
        x.close();
        return fresh(random);
      case 1:
        MemoryScope old = scopes.getAndSet(random.nextInt(scopes.length()), new MemoryScope());
        if (old != null) {
          old.close(); // perhaps one of another thread
        }
        return null;
      case 2:
        MemoryScope scope = scopes.get(random.nextInt(scopes.length()));
        return scope == null ? null : random.nextBoolean() ? scope.attach(x) : scope.detach(x);
      case 3:
        if (random.nextInt(20) == 0) {
          System.gc();
        }
        return null;
      case 4:
        try (NoGradGuard guard = new NoGradGuard()) {
          return x.mul(y);
        }
      case 5:
        try (InferenceMode mode = new InferenceMode()) {
          return x.add(1);
        }
      case 6:
        return torch.tensor((double) x.toString().length() + x.toDoubleArray().length);
      case 7:
        x.grad_fn().next_functions().forEach(edge -> edge.function().name());
        return x.keep();
      default:
        return fresh(random);
    }
  }
}
