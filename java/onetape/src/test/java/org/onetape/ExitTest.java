package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.onetape.global.torch.rand;

import java.util.Random;
import org.junit.Test;

/** A process may end whatever its threads, tensors and shutdown hooks are doing. */
public class ExitTest {
  /** Ends in one of many ways, by the seed. */
  public static final class Ending {
    private static Tensor kept;

    public static void main(String[] args) throws Exception {
      Random random = new Random(Long.getLong("seed"));
      kept = leaf(10);
      for (int i = random.nextInt(4); i > 0; i--) {
        int size = random.nextInt(3) == 0 ? 200_000 : 100;
        Thread thread = new Thread(() -> train(size));
        thread.setDaemon(true);
        thread.start();
      }
      if (random.nextBoolean()) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> kept.mul(kept).sum().backward()));
      }
      for (int i = random.nextInt(2000); i > 0; i--) {
        kept.mul(kept);
      }
      if (random.nextBoolean()) {
        System.gc();
      }
      Thread.sleep(random.nextInt(40));
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

    private static void train(long size) {
      Tensor x = leaf(size);
      while (true) {
        try (MemoryScope scope = new MemoryScope()) {
          Tensor y = x.mul(x);
          y.register_hook(grad -> grad);
          y.sum().backward();
        }
      }
    }
  }

  @Test
  public void processEndsWithThreadsInTheEngine() throws Exception {
    for (int seed = 0; seed < 8; seed++) {
      ChildJvm child = ChildJvm.run(Ending.class, "-Xmx128m", "-Dseed=" + seed);
      assertEquals("seed " + seed + "\n" + child.output, 0, child.status);
    }
  }
}
