package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.Test;

public class FunctionTest extends ScopedTest {
  /** The simple form. */
  static class Cube extends Function {
    @Override
    public Tensor forward(Tensor input) {
      return input.mul(input).mul(input);
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      return gradOutput.mul(input).mul(input).mul(3);
    }
  }

  /** Two tensors and a number go in, two tensors come out. */
  static class SumAndScaled extends Function {
    @Override
    public Tensor[] forward(Context ctx, Object... args) {
      Tensor a = (Tensor) args[0];
      Tensor b = (Tensor) args[1];
      double factor = (Double) args[2];
      ctx.put("factor", factor);
      ctx.saveForBackward(a, b);
      return new Tensor[] {a.add(b), a.mul(b).mul(factor)};
    }

    @Override
    public Tensor[] backward(Context ctx, Tensor... gradOutputs) {
      Tensor a = ctx.savedTensors()[0];
      Tensor b = ctx.savedTensors()[1];
      double factor = (Double) ctx.get("factor");
      Tensor scaled = gradOutputs[1].mul(factor);
      Tensor gradA = ctx.needsInputGrad(0) ? gradOutputs[0].add(scaled.mul(b)) : null;
      Tensor gradB = ctx.needsInputGrad(1) ? gradOutputs[0].add(scaled.mul(a)) : null;
      return new Tensor[] {gradA, gradB, null};
    }
  }

  @Test
  public void simpleForm() {
    Tensor y = new Cube().apply(x);
    assertElements(y, 1, 8, 27);
    assertEquals("CubeBackward", y.grad_fn().name());
    y.sum().backward();
    assertElements(x.grad(), 3, 12, 27);
  }

  @Test
  public void oneObjectManyTimes() {
    Cube cube = new Cube();
    Tensor other = tensor(new double[] {2}, requires_grad(true));
    Tensor y = cube.apply(cube.apply(x)).sum().add(cube.apply(other).sum());
    y.backward();
    assertElements(x.grad(), 9, 9 * 256, 9 * 6561);
    assertElements(other.grad(), 12);
  }

  @Test
  public void gradientsAreRight() {
    Cube cube = new Cube();
    assertTrue(Autograd.gradcheck(inputs -> cube.apply(inputs[0]), x));
    assertTrue(Autograd.gradgradcheck(inputs -> cube.apply(inputs[0]), x));
    SumAndScaled pair = new SumAndScaled();
    Tensor w = tensor(new double[] {4, 5, 6}, requires_grad(true));
    for (int i = 0; i < 2; i++) {
      int which = i;
      assertTrue(Autograd.gradcheck(in -> pair.applyAll(in[0], in[1], 2.0)[which], x, w));
    }
  }

  @Test
  public void wrongGradientsAreFound() {
    Function wrong =
        new Function() {
          @Override
          public Tensor forward(Tensor input) {
            return input.mul(input);
          }

          @Override
          public Tensor backward(Tensor gradOutput) {
            return gradOutput.mul(input);
          }
        };
    TorchException error =
        assertThrows(TorchException.class, () -> Autograd.gradcheck(in -> wrong.apply(in[0]), x));
    assertTrue(
        error.getMessage().startsWith("Jacobian mismatch for output 0 with respect to input 0"));
  }

  @Test
  public void severalInputsAndResults() {
    Tensor w = tensor(new double[] {4, 5, 6});
    Tensor[] results = new SumAndScaled().applyAll(x, w, 2.0);
    results[1].sum().backward();
    assertElements(x.grad(), 8, 10, 12);
    assertFalse(w.grad().defined());
  }

  @Test
  public void withoutRecordingThereIsNoNode() {
    try (NoGradGuard guard = new NoGradGuard()) {
      assertFalse(new Cube().apply(x).requires_grad());
    }
    assertFalse(new Cube().apply(tensor(1.0)).requires_grad());
  }

  @Test
  public void exceptionsComeOutAsTheyAre() {
    RuntimeException mine = new IllegalCallerException("mine");
    Function failing =
        new Function() {
          @Override
          public Tensor forward(Tensor input) {
            return input.mul(2);
          }

          @Override
          public Tensor backward(Tensor gradOutput) {
            throw mine;
          }
        };
    Tensor y = failing.apply(x).sum();
    assertSame(mine, assertThrows(IllegalCallerException.class, y::backward));
    Function failsAtOnce =
        new Function() {
          @Override
          public Tensor forward(Tensor input) {
            throw mine;
          }
        };
    assertSame(mine, assertThrows(RuntimeException.class, () -> failsAtOnce.apply(x)));
    assertTrue(AutoGradMode.is_enabled());
  }

  @Test
  public void wrongCountsAndShapesAreErrors() {
    Function tooMany =
        new Function() {
          @Override
          public Tensor[] forward(Context ctx, Object... args) {
            return new Tensor[] {((Tensor) args[0]).mul(2)};
          }

          @Override
          public Tensor[] backward(Context ctx, Tensor... gradOutputs) {
            return new Tensor[] {gradOutputs[0], gradOutputs[0]};
          }
        };
    Tensor y = tooMany.apply(x).sum();
    TorchException count = assertThrows(TorchException.class, y::backward);
    assertTrue(count.getMessage(), count.getMessage().endsWith("(expected 1, got 2)"));
    Function wrongShape =
        new Function() {
          @Override
          public Tensor forward(Tensor input) {
            return input.sum();
          }

          @Override
          public Tensor backward(Tensor gradOutput) {
            return tensor(1.0, 2.0);
          }
        };
    Tensor z = wrongShape.apply(x);
    TorchException shape = assertThrows(TorchException.class, z::backward);
    assertTrue(
        shape.getMessage(),
        shape.getMessage().contains("got [2] but expected shape compatible with [3]"));
  }

  @Test
  public void noGradientIsAllowed() {
    Function none =
        new Function() {
          @Override
          public Tensor forward(Tensor input) {
            return input.mul(2);
          }

          @Override
          public Tensor backward(Tensor gradOutput) {
            return null;
          }
        };
    none.apply(x).sum().backward();
    assertFalse(x.grad().defined());
  }

  @Test
  public void missingGradientsAreZerosOrNull() {
    AtomicReference<Tensor> seen = new AtomicReference<>();
    class Two extends Function {
      private final boolean zeros;

      Two(boolean zeros) {
        this.zeros = zeros;
      }

      @Override
      public Tensor[] forward(Context ctx, Object... args) {
        ctx.setMaterializeGrads(zeros);
        return new Tensor[] {((Tensor) args[0]).mul(2), ((Tensor) args[0]).mul(3)};
      }

      @Override
      public Tensor[] backward(Context ctx, Tensor... gradOutputs) {
        seen.set(gradOutputs[1]);
        return new Tensor[] {gradOutputs[0].mul(2)};
      }
    }

    new Two(true).applyAll(x)[0].sum().backward();
    assertElements(seen.get(), 0, 0, 0);
    new Two(false).applyAll(x)[0].sum().backward();
    assertNull(seen.get());
  }

  @Test
  public void resultThatIsTheInputBecomesAnother() {
    Function identity =
        new Function() {
          @Override
          public Tensor forward(Tensor input) {
            return input;
          }

          @Override
          public Tensor backward(Tensor gradOutput) {
            return gradOutput.mul(7);
          }
        };
    Tensor y = identity.apply(x);
    assertNotSame(x, y);
    assertTrue(x.is_leaf());
    y.sum().backward();
    assertElements(x.grad(), 7, 7, 7);
  }

  @Test
  public void dirtyInputsAndNonDifferentiableResults() {
    class AddOne extends Function {
      @Override
      public Tensor[] forward(Context ctx, Object... args) {
        Tensor changed = ((Tensor) args[0]).add_(1);
        Tensor count = tensor(3.0);
        ctx.markDirty(changed);
        ctx.markNonDifferentiable(count);
        return new Tensor[] {changed, count};
      }

      @Override
      public Tensor[] backward(Context ctx, Tensor... gradOutputs) {
        return new Tensor[] {gradOutputs[0].mul(5)};
      }
    }

    Tensor y = x.mul(2);
    Tensor[] results = new AddOne().applyAll(y);
    assertEquals(y, results[0]);
    assertFalse(results[1].requires_grad());
    assertEquals("AddOneBackward", y.grad_fn().name());
    y.sum().backward();
    assertElements(x.grad(), 10, 10, 10);
  }

  @Test
  public void secondResultMayBeTheDirtyOne() {
    class Both extends Function {
      @Override
      public Tensor[] forward(Context ctx, Object... args) {
        Tensor changed = ((Tensor) args[0]).mul_(2);
        ctx.markDirty(changed);
        return new Tensor[] {tensor(1.0), changed};
      }

      @Override
      public Tensor[] backward(Context ctx, Tensor... gradOutputs) {
        assertEquals(0, gradOutputs[0].item_double(), 0);
        return new Tensor[] {gradOutputs[1].mul(2)};
      }
    }

    Tensor y = x.mul(1);
    new Both().applyAll(y)[1].sum().backward();
    assertElements(x.grad(), 2, 2, 2);
    Function forgets =
        new Function() {
          @Override
          public Tensor[] forward(Context ctx, Object... args) {
            ctx.markDirty((Tensor) args[0]);
            return new Tensor[] {tensor(1.0)};
          }
        };
    assertThrows(TorchException.class, () -> forgets.applyAll(x.mul(1)));
  }

  @Test
  public void savedNullsStayNull() {
    Function square =
        new Function() {
          @Override
          public Tensor[] forward(Context ctx, Object... args) {
            Tensor in = (Tensor) args[0];
            ctx.saveForBackward(null, in, null);
            return new Tensor[] {in.mul(in)};
          }

          @Override
          public Tensor[] backward(Context ctx, Tensor... gradOutputs) {
            Tensor[] saved = ctx.savedTensors();
            assertEquals(3, saved.length);
            assertNull(saved[0]);
            assertNull(saved[2]);
            return new Tensor[] {gradOutputs[0].mul(saved[1]).mul(2)};
          }
        };
    square.apply((Object) x).sum().backward();
    assertElements(x.grad(), 2, 4, 6);
  }

  @Test
  public void savedInputsMustNotChange() {
    Tensor y = x.mul(1);
    Tensor z = new Cube().apply(y).sum();
    y.add_(1);
    assertThrows(TorchException.class, z::backward);
  }

  @Test
  public void graphIsFreedAfterBackward() {
    Tensor z = new Cube().apply(x).sum();
    z.backward();
    TorchException error = assertThrows(TorchException.class, z::backward);
    assertTrue(error.getMessage().startsWith("Trying to backward through the graph a second time"));
  }

  @Test
  public void formsMustBeOverridden() {
    Function empty = new Function() {};
    assertThrows(UnsupportedOperationException.class, () -> empty.apply(x));
    assertThrows(IllegalArgumentException.class, () -> new Cube().apply(x, x));
  }

  @Test
  public void manyThreadsShareAnObject() throws Exception {
    Cube cube = new Cube();
    int count = 4;
    CountDownLatch done = new CountDownLatch(count);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (int t = 0; t < count; t++) {
      double value = t + 1;
      new Thread(
              () -> {
                try {
                  for (int i = 0; i < 300; i++) {
                    try (MemoryScope inner = new MemoryScope()) {
                      Tensor own = tensor(new double[] {value}, requires_grad(true));
                      cube.apply(own).sum().backward();
                      assertEquals(3 * value * value, own.grad().item_double(), 1e-9);
                    }
                  }
                } catch (Throwable e) {
                  failure.set(e);
                } finally {
                  done.countDown();
                }
              })
          .start();
    }
    done.await();
    if (failure.get() != null) {
      throw new AssertionError(failure.get());
    }
  }
}
