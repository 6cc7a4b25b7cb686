package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.Test;

/** Custom functions and the graph: cycles, passes inside passes, threads. */
public class FunctionGraphTest {
  /** Doubles, and can reach what it made. */
  static class Doubling extends Function {
    Object held;

    @Override
    public Tensor forward(Tensor input) {
      return input.mul(2);
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      return gradOutput.mul(2);
    }
  }

  private static Tensor leaf() {
    return tensor(new double[] {1, 2}, requires_grad(true));
  }

  private static void assertCollected(Supplier<WeakReference<?>> make) throws Exception {
    WeakReference<?> reference = make.get();
    for (int i = 0; i < 50 && reference.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertNull(reference.get());
  }

  @Test
  public void anAnonymousFunctionHasANamedNode() {
    Function same =
        new Function() {
          @Override
          public Tensor forward(Tensor x) {
            return x.mul(1);
          }
        };
    assertEquals("FunctionGraphTest$1Backward", same.apply(leaf()).grad_fn().name());
  }

  @Test
  public void functionThatHoldsItsResultIsCollected() throws Exception {
    assertCollected(
        () -> {
          Doubling f = new Doubling();
          f.held = f.apply(leaf());
          return new WeakReference<>(f);
        });
  }

  @Test
  public void functionThatHoldsALaterResultIsCollected() throws Exception {
    assertCollected(
        () -> {
          Doubling f = new Doubling();
          Tensor y = f.apply(leaf());
          for (int i = 0; i < 100; i++) {
            y = y.mul(y).add(tensor(1.0)).sigmoid();
          }
          f.held = y.sum();
          return new WeakReference<>(f);
        });
  }

  @Test
  public void functionsThatHoldEachOthersResultsAreCollected() throws Exception {
    assertCollected(
        () -> {
          Doubling f = new Doubling();
          Doubling g = new Doubling();
          Tensor y = f.apply(leaf());
          Tensor z = g.apply(y);
          f.held = z.mul(y);
          g.held = y;
          return new WeakReference<>(f);
        });
  }

  @Test
  public void contextThatHoldsAResultIsCollected() throws Exception {
    assertCollected(
        () -> {
          List<Object> box = new ArrayList<>();
          Function f =
              new Function() {
                @Override
                public Tensor[] forward(Context ctx, Object... args) {
                  ctx.put("box", box);
                  ctx.saveForBackward((Tensor) args[0]);
                  return new Tensor[] {((Tensor) args[0]).exp(), ((Tensor) args[0]).mul(3)};
                }

                @Override
                public Tensor[] backward(Context ctx, Tensor... gradOutputs) {
                  return new Tensor[] {gradOutputs[0]};
                }
              };
          Tensor[] results = f.applyAll(leaf());
          box.add(results[0].add(results[1]));
          box.add(results);
          return new WeakReference<>(box);
        });
  }

  @Test
  public void functionIsCollectedAfterBackward() throws Exception {
    assertCollected(
        () -> {
          Doubling f = new Doubling();
          Tensor y = f.apply(leaf());
          f.held = y;
          y.sum().backward(null, true, false);
          y.sum().backward();
          return new WeakReference<>(f);
        });
  }

  @Test
  public void whatTheGraphNeedsStays() throws Exception {
    WeakReference<?>[] function = new WeakReference<?>[1];
    Tensor x = leaf();
    Tensor y =
        ((Supplier<Tensor>)
                () -> {
                  Doubling f = new Doubling();
                  function[0] = new WeakReference<>(f);
                  return f.apply(x).mul(3).add(x).view(2, 1).transpose(0, 1).exp();
                })
            .get();
    for (int i = 0; i < 3; i++) {
      System.gc();
      Thread.sleep(20);
    }
    assertNotNull(function[0].get());
    y.sum().backward();
    assertArrayEquals(
        new double[] {7 * Math.exp(7), 7 * Math.exp(14)}, x.grad().toDoubleArray(), 1e-6);
  }

  @Test
  public void whatChangesInPlaceOrGradientsNeedStays() throws Exception {
    Tensor x = leaf();
    Tensor plain = tensor(new double[] {1, 1});
    plain.mul_(new Doubling().apply(x));
    Tensor base = tensor(new double[] {1, 1, 1});
    Tensor view = base.narrow(0, 0, 2);
    view.mul_(new Doubling().apply(x));
    Tensor holder = leaf();
    holder.set_grad(new Doubling().apply(x));
    new Doubling().apply(x).pow(new Scalar(3)).sum().backward(null, true, true);
    for (int i = 0; i < 3; i++) {
      System.gc();
      Thread.sleep(20);
    }
    Tensor gradient = x.grad();
    x.set_grad(new Tensor());
    plain.sum().backward();
    base.sum().backward();
    holder.grad().sum().backward();
    assertArrayEquals(new double[] {6, 6}, x.grad().toDoubleArray(), 1e-12);
    assertArrayEquals(
        new double[] {48, 96}, Autograd.grad(gradient.sum(), x)[0].toDoubleArray(), 1e-9);
  }

  /** Whose backward runs the backward of the next one. */
  static class Deep extends Function {
    final int left;
    final RuntimeException atTheBottom;

    Deep(int left, RuntimeException atTheBottom) {
      this.left = left;
      this.atTheBottom = atTheBottom;
    }

    @Override
    public Tensor forward(Tensor input) {
      return input.mul(1);
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      if (left == 0) {
        if (atTheBottom != null) {
          throw atTheBottom;
        }
        return gradOutput;
      }
      try (EnableGradGuard guard = new EnableGradGuard()) {
        Tensor inner = tensor(new double[] {1}, requires_grad(true));
        new Deep(left - 1, atTheBottom).apply(inner).sum().backward();
        return gradOutput.mul(inner.grad());
      }
    }
  }

  @Test
  public void passesInsidePasses() {
    Tensor x = tensor(new double[] {1}, requires_grad(true));
    new Deep(10_000, null).apply(x).sum().backward();
    assertEquals(1, x.grad().item().toDouble(), 0);
    RuntimeException error = new IllegalStateException("at the bottom");
    assertSame(
        error,
        assertThrows(
            IllegalStateException.class, () -> new Deep(200, error).apply(x).sum().backward()));
  }

  @Test
  public void passesInsidePassesOnASmallStack() throws Exception {
    Throwable[] failure = new Throwable[1];
    Thread thread = new Thread(null, this::passesInsidePasses, "small", 512 << 10);
    thread.setUncaughtExceptionHandler((t, e) -> failure[0] = e);
    thread.start();
    thread.join();
    assertNull(failure[0]);
  }

  @Test
  public void oneObjectInsideItsOwnBackward() {
    Tensor x = leaf();
    Function f =
        new Doubling() {
          private boolean inside;

          @Override
          public Tensor backward(Tensor gradOutput) {
            if (!inside) {
              inside = true;
              try (EnableGradGuard guard = new EnableGradGuard()) {
                apply(x.detach().set_requires_grad(true)).sum().backward();
              }
            }
            assertNotNull(input);
            return gradOutput.mul(2);
          }
        };
    f.apply(x).sum().backward();
    assertArrayEquals(new double[] {2, 2}, x.grad().toDoubleArray(), 0);
  }

  @Test
  public void noLockIsHeldWhileAFunctionRuns() throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Thread main = Thread.currentThread();
    Function f =
        new Doubling() {
          @Override
          public Tensor forward(Tensor input) {
            if (Thread.currentThread() != main) {
              reached.countDown();
              try {
                goOn.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            }
            return super.forward(input);
          }
        };
    Thread slow = new Thread(() -> f.apply(leaf()).sum().backward());
    slow.start();
    reached.await();
    Tensor x = leaf();
    f.apply(x).sum().backward();
    assertArrayEquals(new double[] {2, 2}, x.grad().toDoubleArray(), 0);
    goOn.countDown();
    slow.join();
  }
}
