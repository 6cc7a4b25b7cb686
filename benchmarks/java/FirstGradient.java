import static org.onetape.global.torch.*;

import org.onetape.*;

/** The first gradient of a process; its whole time is measured from outside. */
public class FirstGradient {
  public static void main(String[] args) {
    Tensor x = tensor(2.0).set_requires_grad(true);
    x.mul(x).backward();
    if (x.grad().item_double() != 4.0) {
      throw new AssertionError(x.grad());
    }
  }
}
