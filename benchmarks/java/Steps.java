import static org.onetape.global.torch.*;

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

  public static void main(String[] args) {
    Tensor x = leaf(2.0);
    Tensor w = leaf(3.0);
    Tensor b = leaf(1.0);
    double seed =
        best(
            () -> {
              Tensor y = w.mul(x).add(b);
              y.mul(y).backward();
            },
            1000,
            250);
    System.out.println("seed " + seed);

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
  }
}
