package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.global.torch;

public class ForwardADTest {
  private MemoryScope scope;
  private Tensor x;
  private Tensor v;

  @Before
  public void open() {
    scope = new MemoryScope();
    x = tensor(1.0, 2.0);
    v = tensor(1.0, -3.0);
  }

  @After
  public void close() {
    scope.close();
    assertFalse(ForwardAD.isOpen());
  }

  private static void assertElements(Tensor tensor, double... expected) {
    assertArrayEquals(expected, tensor.toDoubleArray(), 1e-12);
  }

  private static Tensor tangent(Tensor t) {
    return ForwardAD.unpackDual(t).tangent();
  }

  @Test
  public void tangents() {
    Tensor d;
    try (ForwardAD level = new ForwardAD()) {
      assertTrue(ForwardAD.isOpen());
      d = ForwardAD.makeDual(x, v);
      ForwardAD.Dual square = ForwardAD.unpackDual(d.mul(d));
      assertElements(square.primal(), 1, 4);
      assertElements(square.tangent(), 2, -12);
      assertFalse(square.primal().requires_grad());
      assertElements(tangent(d.exp().sum()), Math.exp(1) - 3 * Math.exp(2));
      assertFalse(tangent(d.detach()).defined());
      assertFalse(tangent(x).defined());
      try (NoGradGuard guard = new NoGradGuard()) {
        assertElements(tangent(d.mul(3)), 3, -9);
      }
      assertEquals(
          "tensor([1., 2.], dtype=torch.float64,\n"
              + "       tangent=tensor([ 1., -3.], dtype=torch.float64))",
          d.repr());
    }
    assertFalse(tangent(d.mul(2)).defined());
  }

  @Test
  public void changesInPlaceAndViews() {
    try (ForwardAD level = new ForwardAD()) {
      Tensor d = ForwardAD.makeDual(x, v);
      Tensor base = torch.zeros(new long[] {4}).to(x.scalar_type());
      Tensor left = base.narrow(0, 0, 2);
      Tensor middle = base.narrow(0, 1, 2);
      left.add_(d);
      assertElements(tangent(base), 1, -3, 0, 0);
      assertElements(tangent(middle), -3, 0);
      base.mul_(2);
      assertElements(tangent(left), 2, -6);
      d.zero_();
      assertElements(tangent(d), 0, 0);
    }
  }

  @Test
  public void secondDerivatives() {
    Tensor leaf = tensor(new double[] {1, 2}, requires_grad(true));
    try (ForwardAD level = new ForwardAD()) {
      Tensor y = ForwardAD.makeDual(leaf, v).pow(3).sum();
      Tensor gradient = Autograd.grad(y, leaf)[0];
      assertElements(tangent(gradient), 6, -36);
      Tensor again = ForwardAD.makeDual(leaf, v).pow(3).sum();
      assertElements(Autograd.grad(tangent(again), leaf)[0], 6, -36);
    }
  }

  @Test
  public void errors() {
    assertEquals(
        "Trying to create a dual Tensor for forward AD but no level exists, make sure to"
            + " enter_dual_level() first.",
        assertThrows(TorchException.class, () -> ForwardAD.makeDual(x, v)).getMessage());
    try (ForwardAD level = new ForwardAD()) {
      assertEquals(
          "Nested forward mode AD is not supported at the moment",
          assertThrows(TorchException.class, ForwardAD::new).getMessage());
      assertThrows(IllegalArgumentException.class, () -> ForwardAD.makeDual(torch.tensor(1L), v));
      assertThrows(TorchException.class, () -> ForwardAD.makeDual(x, tensor(1.0)));
      Tensor d = ForwardAD.makeDual(x, v);
      assertThrows(TorchException.class, () -> ForwardAD.makeDual(d, v));
      assertThrows(TorchException.class, () -> ForwardAD.makeDual(x, d));
    }
  }

  @Test
  public void levelsBelongToThreadsAndScopes() throws InterruptedException {
    AtomicBoolean other = new AtomicBoolean(true);
    try (ForwardAD level = new ForwardAD()) {
      Thread thread = new Thread(() -> other.set(ForwardAD.isOpen()));
      thread.start();
      thread.join();
      assertFalse(other.get());
      level.close();
      level.close();
      assertFalse(ForwardAD.isOpen());
    }
    ForwardAD forgotten;
    try (MemoryScope inner = new MemoryScope()) {
      forgotten = new ForwardAD();
      assertTrue(ForwardAD.isOpen());
    }
    assertFalse(ForwardAD.isOpen());
    forgotten.close();
  }

  // ---- functions ----

  private static class Square extends Function {
    @Override
    public Tensor forward(Tensor in) {
      return in.mul(in);
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      return gradOutput.mul(input).mul(2);
    }
  }

  private static final class WithTangent extends Square {
    @Override
    public Tensor jvp(Tensor tangent) {
      return tangent.mul(input).mul(2);
    }
  }

  private static final class Several extends Function {
    @Override
    public Tensor[] forward(Context ctx, Object... args) {
      Tensor a = (Tensor) args[0];
      Tensor b = (Tensor) args[2];
      ctx.saveForForward(a, b);
      return new Tensor[] {a.mul(b).mul((Double) args[1]), torch.tensor(3L)};
    }

    @Override
    public Tensor[] jvp(Context ctx, Tensor... tangents) {
      Tensor[] saved = ctx.savedTensors();
      assertEquals(3, tangents.length);
      assertEquals(null, tangents[1]);
      Tensor product = tangents[0].mul(saved[1]).add(saved[0].mul(tangents[2]));
      return new Tensor[] {product.mul(2), null};
    }
  }

  @Test
  public void functionsOfTheirOwn() {
    try (ForwardAD level = new ForwardAD()) {
      Tensor d = ForwardAD.makeDual(x, v);
      assertElements(tangent(new WithTangent().apply(d)), 2, -12);
      Tensor[] results = new Several().applyAll(d, 2.0, tensor(3.0, 5.0));
      assertElements(tangent(results[0]), 6, -30);
      assertFalse(tangent(results[1]).defined());
      assertEquals(
          "You must implement the jvp function for custom autograd.Function to use it with forward"
              + " mode AD.",
          assertThrows(UnsupportedOperationException.class, () -> new Square().apply(d))
              .getMessage());
      assertElements(new Square().apply(x), 1, 4);
    }
  }

  @Test
  public void gradientsOfFunctionsHaveTangents() {
    Tensor leaf = tensor(new double[] {1, 2}, requires_grad(true));
    try (ForwardAD level = new ForwardAD()) {
      Tensor y = new WithTangent().apply(ForwardAD.makeDual(leaf, v));
      assertElements(tangent(Autograd.grad(y.sum(), leaf)[0]), 2, -6);
    }
  }

  private static Function returning(Tensor... tangents) {
    return new Function() {
      @Override
      public Tensor forward(Tensor in) {
        return in.mul(2);
      }

      @Override
      public Tensor[] jvp(Context ctx, Tensor... given) {
        return tangents;
      }
    };
  }

  @Test
  public void tangentsThatDoNotFit() {
    try (ForwardAD level = new ForwardAD()) {
      Tensor d = ForwardAD.makeDual(x, v);
      assertEquals(
          "Function's jvp returned an invalid number of forward gradients (expected 1 but got 2)",
          assertThrows(TorchException.class, () -> returning(v, v).apply(d)).getMessage());
      assertTrue(
          assertThrows(TorchException.class, () -> returning(tensor(1.0)).apply(d))
              .getMessage()
              .startsWith("Trying to set a forward gradient that has a different size"));
      assertFalse(tangent(returning((Tensor) null).apply(d)).defined());
    }
  }
}
