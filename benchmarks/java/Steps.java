import static org.onetape.global.torch.*;

import org.onetape.*;

/** Small training steps; the same source runs with JavaCPP's PyTorch. Prints a case and its seconds a line. */
public class Steps {
  interface Step {
    void run();
  }

  static double best(Step step, int calls) {
    double best = Double.MAX_VALUE;
    for (int batch = 0; batch < 12; batch++) {
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
            20000);
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
            50);
    System.out.println("chain " + chain);
  }
}
