import static org.onetape.global.torch.*;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.onetape.*;

/**
 * Small training steps; the same source runs with JavaCPP's PyTorch. Prints a case and its seconds
 * a line.
 */
public class Steps {
  interface Step {
    void run();
  }

  /**
   * The smallest of many short batches, so that some are undisturbed whatever else the machine
   * does.
   */
  static double best(Step step, int batches, int calls) {
    double best = Double.MAX_VALUE;
    for (int batch = 0; batch < batches; batch++) {
      long start = System.nanoTime();
      for (int i = 0; i < calls; i++) {
        try (PointerScope scope = new PointerScope()) {
          step.run();
        }
      }
      best = Math.min(best, (System.nanoTime() - start) * 1e-9 / calls);
    }
    return best;
  }

  static Tensor leaf(double value) {
    return tensor(value).set_requires_grad(true);
  }

  /** Steps a second of two threads with graphs of their own, over those of one thread. */
  static double twoThreads(int rounds, int calls) {
    double one = best(newStep(), rounds, calls);
    double two = Double.MAX_VALUE;
    CyclicBarrier barrier = new CyclicBarrier(3);
    long[] starts = new long[2];
    long[] ends = new long[2];
    for (int i = 0; i < 2; i++) {
      int self = i;
      Thread thread =
          new Thread(
              () -> {
                Step step = newStep();
                for (int round = 0; round < rounds; round++) {
                  meet(barrier);
                  starts[self] = System.nanoTime();
                  best(step, 1, calls);
                  ends[self] = System.nanoTime();
                  meet(barrier);
                }
              });
      thread.setDaemon(true);
      thread.start();
    }
    for (int round = 0; round < rounds; round++) {
      meet(barrier);
      meet(barrier);
      long time = Math.max(ends[0], ends[1]) - Math.min(starts[0], starts[1]);
      two = Math.min(two, time * 1e-9 / calls);
    }
    return 2 * one / two;
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A step on leaves of its own. */
  static Step newStep() {
    Tensor x = leaf(2.0);
    Tensor w = leaf(3.0);
    Tensor b = leaf(1.0);
    return () -> {
      Tensor y = w.mul(x).add(b);
      y.mul(y).backward();
    };
  }

  public static void main(String[] args) {
    System.out.println("seed " + best(newStep(), 1000, 250));

    Tensor x = leaf(2.0);
    Tensor factor = tensor(1.0001);
    double chain =
        best(
            () -> {
              Tensor y = x;
              for (int i = 0; i < 1000; i++) {
                y = y.mul(factor);
              }
              y.backward();
            },
            300,
            2);
    System.out.println("chain " + chain);
    System.out.println("two_threads " + twoThreads(200, 5000));
  }
}
