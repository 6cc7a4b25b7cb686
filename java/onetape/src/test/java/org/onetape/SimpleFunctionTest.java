package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.Test;

/** Functions of one tensor, which are called without a context. */
public class SimpleFunctionTest extends ScopedTest {
  /** Two parts as lambdas, which are also given the object. */
  private static final class Parts extends Function {
    final BiFunction<Parts, Tensor, Tensor> there;
    final BiFunction<Parts, Tensor, Tensor> back;

    Parts(BiFunction<Parts, Tensor, Tensor> there, BiFunction<Parts, Tensor, Tensor> back) {
      this.there = there;
      this.back = back;
    }

    @Override
    public Tensor forward(Tensor input) {
      return there.apply(this, input);
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      return back.apply(this, gradOutput);
    }

    Tensor[] all() {
      return inputs();
    }
  }

  /** The same, told by the general methods of a class between. */
  private static class General extends Function {
    @Override
    public Tensor[] forward(Context ctx, Object... args) {
      ctx.saveForBackward((Tensor) args[0]);
      return new Tensor[] {((Tensor) args[0]).mul(2)};
    }

    @Override
    public Tensor[] backward(Context ctx, Tensor... gradOutputs) {
      return new Tensor[] {gradOutputs[0].mul(ctx.savedTensors()[0])};
    }
  }

  private static final class BelowGeneral extends General {}

  @Test
  public void generalMethodsOfASuperclassAreCalled() {
    new BelowGeneral().apply(x).sum().backward();
    assertElements(x.grad(), 1, 2, 3);
  }

  @Test
  public void theTensorIsTheOnlyInput() {
    List<Tensor[]> seen = new ArrayList<>();
    Parts parts =
        new Parts(
            (self, in) -> {
              seen.add(self.all());
              assertSame(in, self.input);
              return in.mul(2);
            },
            (self, grad) -> {
              seen.add(self.all());
              assertEquals(x, self.input);
              return grad.mul(self.input);
            });
    Tensor y = parts.apply(x);
    assertEquals(0, parts.all().length);
    y.sum().backward();
    assertEquals(0, parts.all().length);
    assertElements(x.grad(), 1, 2, 3);
    assertEquals(2, seen.size());
    for (Tensor[] inputs : seen) {
      assertEquals(1, inputs.length);
      assertEquals(x, inputs[0]);
    }
  }

  @Test
  public void callsInsideCallsOfTheSameObject() {
    Parts parts =
        new Parts(
            (self, in) -> {
              if (in.dim() == 1) { // the general way and this one, inside each other
                assertElements(self.apply((Object) in.sum()), 12);
                assertElements(self.apply(in.sum()), 12);
              }
              assertSame(in, self.input);
              return in.mul(2);
            },
            (self, grad) -> grad.mul(2));
    parts.apply(x).sum().backward();
    parts.apply((Object) x).sum().backward();
    assertElements(x.grad(), 4, 4, 4);
  }

  @Test
  public void theGradModeIsThatOfTheCaller() {
    Parts parts =
        new Parts(
            (self, in) -> {
              assertFalse(AutoGradMode.is_enabled());
              return in.mul(2);
            },
            (self, grad) -> grad.mul(2));
    assertTrue(parts.apply(x).requires_grad());
    try (NoGradGuard guard = new NoGradGuard()) {
      assertFalse(parts.apply(x).requires_grad());
      assertFalse(AutoGradMode.is_enabled());
    }
    assertFalse(parts.apply(x.detach()).requires_grad());
  }

  @Test
  public void badResultsAreErrors() {
    BiFunction<Parts, Tensor, Tensor> none = (self, grad) -> null;
    Parts nothing = new Parts((self, in) -> null, none);
    Exception error = assertThrows(NullPointerException.class, () -> nothing.apply(x));
    assertEquals("argument 'result[0]' is null", error.getMessage());
    Parts undefined = new Parts((self, in) -> new Tensor(), none);
    error = assertThrows(TorchException.class, () -> undefined.apply(x));
    assertEquals("argument 'result[0]' is an undefined tensor", error.getMessage());
    Parts closing =
        new Parts(
            (self, in) -> {
              Tensor result = in.mul(2);
              result.close();
              return result;
            },
            none);
    assertThrows(IllegalStateException.class, () -> closing.apply(x));
    Parts failing =
        new Parts(
            (self, in) -> {
              throw new ArithmeticException("forward");
            },
            none);
    assertThrows(ArithmeticException.class, () -> failing.apply(x));
    assertThrows(IllegalArgumentException.class, () -> failing.apply((Tensor) null));
    assertTrue(AutoGradMode.is_enabled());
  }

  @Test
  public void badGradientsAreErrors() {
    BiFunction<Parts, Tensor, Tensor> twice = (self, in) -> in.mul(2);
    Parts closing =
        new Parts(
            twice,
            (self, grad) -> {
              Tensor result = grad.mul(2);
              result.close();
              return result;
            });
    Tensor y = closing.apply(x).sum();
    assertThrows(IllegalStateException.class, y::backward);
    Tensor z = new Parts(twice, (self, grad) -> tensor(new double[] {1, 2})).apply(x).sum();
    assertThrows(TorchException.class, z::backward);
    Tensor w = new Parts(twice, (self, grad) -> new Tensor()).apply(x).sum();
    w.backward();
    assertFalse(x.grad().defined());
  }

  @Test
  public void theInputAsResultBecomesAnother() {
    Parts parts = new Parts((self, in) -> in, (self, grad) -> grad.mul(3));
    Tensor y = parts.apply(x);
    assertNotSame(x, y);
    assertFalse(y.is_leaf());
    y.sum().backward();
    assertElements(x.grad(), 3, 3, 3);
    Tensor plain = x.detach();
    assertEquals(plain, parts.apply(plain));
  }

  @Test
  public void aGradientMayOutliveThePass() {
    Tensor[] kept = new Tensor[1];
    Parts parts = new Parts((self, in) -> in.mul(2), (self, grad) -> kept[0] = grad.mul(2));
    parts.apply(x).sum().backward();
    kept[0].mul_(5);
    assertElements(kept[0], 10, 10, 10);
  }
}
