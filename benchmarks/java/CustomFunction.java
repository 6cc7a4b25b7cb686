import static org.onetape.global.torch.*;

import java.util.function.UnaryOperator;
import org.onetape.*;

/**
 * What a custom function costs a call, forward and backward, beyond the operators that it calls.
 */
public class CustomFunction {
  static final int CALLS = 200;
  static final int ROUNDS = 3000;

  /** A multiplication, its gradient by hand. */
  static final class Times extends Function {
    final Tensor factor;

    Times(Tensor factor) {
      this.factor = factor;
    }

    @Override
    public Tensor forward(Tensor x) {
      return x.mul(factor);
    }

    @Override
    public Tensor backward(Tensor grad) {
      return grad.mul(factor);
    }
  }

  static double seconds(Tensor x, UnaryOperator<Tensor> call) {
    double best = Double.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      try (PointerScope scope = new PointerScope()) {
        Tensor y = x;
        for (int i = 0; i < CALLS; i++) {
          y = call.apply(y);
        }
        y.backward();
      }
      best = Math.min(best, (System.nanoTime() - start) * 1e-9);
    }
    return best;
  }

  public static void main(String[] args) {
    Tensor x = tensor(1.0).set_requires_grad(true);
    Tensor factor = tensor(1.0001);
    Times times = new Times(factor);
    double custom = seconds(x, times::apply);
    double plain = seconds(x, y -> y.mul(factor));
    System.out.println("custom_function " + (custom - plain) / CALLS);
  }
}
