package org.onetape.fuzz;

import static org.onetape.global.torch.rand;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.onetape.Function;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.TensorHook;

/**
 * A process that ends in one of many ways, whatever its threads, tensors, cleaners and shutdown
 * hooks are doing.
 *
 * <p>{@code Ending SEED 1 PROGRESS}: the file PROGRESS says -1 once the end has begun.
 */
@SuppressWarnings("try") // scopes only free what is made inside
public final class Ending {
  private static final List<Object> KEPT = new ArrayList<>();

  private Ending() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Random random = new Random(Long.parseLong(args[0]) * 0x9E3779B97F4A7C15L);
    Tensor kept = leaf(10);
    KEPT.add(kept);
    for (int i = random.nextInt(4); i > 0; i--) {
      int size = random.nextInt(3) == 0 ? 200_000 : 100;
      boolean churns = random.nextBoolean();
      Thread thread = new Thread(() -> work(churns, size));
      thread.setDaemon(true);
      thread.start();
    }
    if (random.nextBoolean()) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> kept.mul(kept).sum().backward()));
    }
    if (random.nextBoolean()) {
      KEPT.add(new MemoryScope()); // never closed
    }
    leave(kept, random.nextInt(4000));
    if (random.nextBoolean()) {
      System.gc(); // cleaners have work now
    }
    Thread.sleep(random.nextInt(40));
    if (!args[2].equals("-")) {
      try (RandomAccessFile progress = new RandomAccessFile(args[2], "rw")) {
        progress.write(String.format("%20d", -1).getBytes(StandardCharsets.US_ASCII));
      }
    }
    int way = random.nextInt(3);
    if (way == 0) {
      System.exit(0);
    } else if (way == 1) {
      Runtime.getRuntime().halt(0);
    }
  }

  private static Tensor leaf(long size) {
    return rand(new long[] {size}).set_requires_grad(true);
  }

  /** Leaves results, graphs, cycles and nodes to the collector. */
  private static void leave(Tensor kept, int count) {
    for (int i = 0; i < count; i++) {
      Tensor result = kept.mul(kept);
      if (i % 7 == 0) {
        TensorHook hook = gradient -> gradient.mul(result); // a cycle
        result.register_hook(hook);
      } else if (i % 11 == 0) {
        new Double().apply(result).grad_fn().next_functions();
      }
    }
  }

  private static final class Double extends Function {
    @Override
    public Tensor forward(Tensor x) {
      return x.mul(2);
    }

    @Override
    public Tensor backward(Tensor gradient) {
      return gradient.mul(2);
    }
  }

  private static void work(boolean churns, int size) {
    Tensor x = leaf(size);
    while (true) {
      if (churns) {
        leave(x, 100);
        continue;
      }
      try (MemoryScope scope = new MemoryScope()) {
        Tensor y = new Double().apply(x).mul(x);
        TensorHook hook = gradient -> gradient;
        y.register_hook(hook);
        y.sum().backward();
      }
    }
  }
}
