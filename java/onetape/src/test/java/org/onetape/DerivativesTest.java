package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.Autograd.Product;
import org.onetape.Autograd.TensorsFunction;
import org.onetape.Autograd.ValueAndGrad;
import org.onetape.global.torch;

/** Autograd's functions of functions: products, Jacobians, gradients. Values by closed forms. */
public class DerivativesTest {
  private MemoryScope scope;
  private Tensor x;
  private Tensor y;
  private Tensor v;

  @Before
  public void open() {
    scope = new MemoryScope();
    x = tensor(new double[] {1, 2}, requires_grad(true));
    y = tensor(3.0, 5.0);
    v = tensor(1.0, -3.0);
  }

  @After
  public void close() {
    scope.close();
    assertTrue(AutoGradMode.is_enabled());
    assertFalse(ForwardAD.isOpen());
  }

  private static void assertElements(Tensor tensor, double... expected) {
    assertArrayEquals(expected, tensor.toDoubleArray(), 1e-12);
  }

  private static String failure(Class<? extends Throwable> kind, Runnable action) {
    return assertThrows(kind, action::run).getMessage();
  }

  private static Tensor[] both(Tensor... in) {
    return new Tensor[] {in[0].mul(in[1]), in[1].sum()};
  }

  // ---- products ----

  @Test
  public void vectorTimesJacobian() {
    Product p = Autograd.vjp(in -> in[0].pow(3), new Tensor[] {x}, v);
    assertElements(p.output(), 1, 8);
    assertElements(p.product(), 3, -36);
    assertFalse(p.output().requires_grad());
    assertFalse(p.product().requires_grad());
    assertElements(Autograd.vjp(in -> in[0].pow(3).sum(), new Tensor[] {x}, null).product(), 3, 12);
  }

  @Test
  public void vectorTimesJacobianOfSeveral() {
    Tensor[] vectors = {v, tensor(10.0)};
    Tensor[] inputs = {x, y};
    Product p = Autograd.vjp(DerivativesTest::both, inputs, vectors, true, false);
    assertElements(p.outputs()[0], 3, 10);
    assertElements(p.outputs()[1], 8);
    assertElements(p.products()[0], 3, -15);
    assertElements(p.products()[1], 11, 4);
    assertTrue(p.products()[1].requires_grad());
    p.products()[1].sum().backward();
    assertElements(x.grad(), 1, -3);
  }

  @Test
  public void jacobianTimesVector() {
    assertElements(Autograd.jvp(in -> in[0].pow(3), new Tensor[] {x}, v).product(), 3, -36);
    Tensor w = tensor(2.0, 7.0);
    Product p = Autograd.jvp(in -> in[0].mul(in[1]), new Tensor[] {x, y}, v, w);
    assertElements(p.product(), 3 * 1 + 2, 5 * -3 + 2 * 7);
    Product two =
        Autograd.jvp(DerivativesTest::both, new Tensor[] {x, y}, new Tensor[] {v, w}, false, false);
    assertElements(two.products()[1], 9);
    assertElements(Autograd.jvp(in -> tensor(1.0, 1.0), new Tensor[] {x}, v).product(), 0, 0);
  }

  @Test
  public void productsWithHessian() {
    assertElements(Autograd.vhp(in -> in[0].pow(3).sum(), new Tensor[] {x}, v).product(), 6, -36);
    assertElements(Autograd.hvp(in -> in[0].pow(3).sum(), new Tensor[] {x}, v).product(), 6, -36);
    Tensor[] inputs = {x, y};
    Product p = Autograd.hvp(in -> in[0].mul(in[1]).sum(), inputs, v, tensor(0.0, 1.0));
    assertElements(p.products()[0], 0, 1);
    assertElements(p.products()[1], 1, -3);
    assertElements(p.output(), 13);
    assertElements(Autograd.vhp(in -> in[0].sum(), new Tensor[] {x}, v).product(), 0, 0);
  }

  @Test
  public void productsThatDoNotFit() {
    Tensor[] inputs = {x};
    assertEquals(
        "The vector v can only be None if the user-provided function returns a single Tensor with a"
            + " single element.",
        failure(TorchException.class, () -> Autograd.vjp(in -> in[0], inputs, null)));
    assertEquals(
        "v has invalid size: should be torch.Size([2]) but got torch.Size([3]).",
        failure(
            TorchException.class, () -> Autograd.vjp(in -> in[0], inputs, tensor(1.0, 2.0, 3.0))));
    assertEquals(
        "The given v should contain a single Tensor.",
        failure(TorchException.class, () -> Autograd.jvp(in -> in[0], inputs, v, v)));
    assertEquals(
        "The Tensor returned by the function given to hvp should contain a single element",
        failure(TorchException.class, () -> Autograd.hvp(in -> in[0], inputs, v)));
    assertThrows(TypeException.class, () -> Autograd.vjp(in -> in[0], new Tensor[] {null}, v));
    assertThrows(TypeException.class, () -> Autograd.vjp(in -> null, inputs, v));
    assertThrows(TypeException.class, () -> Autograd.vjp(in -> in[0], new Tensor[0], v));
  }

  @Test
  public void strict() {
    Tensor[] one = {x};
    Tensor[] vector = {v};
    assertEquals(
        "Output 0 of the user-provided function does not require gradients. The outputs must be"
            + " computed in a differentiable manner from the input when running in strict mode.",
        failure(
            TorchException.class,
            () -> Autograd.vjp(in -> new Tensor[] {in[0].detach()}, one, vector, false, true)));
    Tensor[] two = {x, y};
    TensorsFunction first = in -> new Tensor[] {in[0].mul(2)};
    assertEquals(
        "The output of the user-provided function is independent of input 1. This is not allowed in"
            + " strict mode.",
        failure(TorchException.class, () -> Autograd.vjp(first, two, vector, false, true)));
    assertEquals(
        "The jacobian of the user-provided function is independent of input 0. This is not allowed"
            + " in strict mode when create_graph=True.",
        failure(TorchException.class, () -> Autograd.vjp(first, one, vector, true, true)));
    assertEquals(
        "Output 0 of the user-provided function is independent of input 1. This is not allowed in"
            + " strict mode.",
        failure(TorchException.class, () -> Autograd.jacobian(first, two, false, true)));
  }

  // ---- matrices ----

  @Test
  public void jacobian() {
    Tensor j = Autograd.jacobian(in -> in[0].pow(2), x)[0];
    assertArrayEquals(new long[] {2, 2}, j.shape());
    assertElements(j, 2, 0, 0, 4);
    Tensor[][] all = Autograd.jacobian(DerivativesTest::both, new Tensor[] {x, y}, false, false);
    assertElements(all[0][0], 3, 0, 0, 5);
    assertElements(all[0][1], 1, 0, 0, 2);
    assertElements(all[1][0], 0, 0);
    assertElements(all[1][1], 1, 1);
    Tensor[][] forward = Autograd.jacobianForward(DerivativesTest::both, x, y);
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 2; k++) {
        assertArrayEquals(all[i][k].shape(), forward[i][k].shape());
        assertElements(forward[i][k], all[i][k].toDoubleArray());
      }
    }
  }

  @Test
  public void hessian() {
    assertElements(Autograd.hessian(in -> in[0].pow(3).sum(), x)[0][0], 6, 0, 0, 12);
    Tensor[][] h = Autograd.hessian(in -> in[0].mul(in[1]).sum(), x, y);
    assertElements(h[0][0], 0, 0, 0, 0);
    assertElements(h[0][1], 1, 0, 0, 1);
    assertElements(h[1][0], 1, 0, 0, 1);
    assertEquals(
        "The Tensor returned by the function given to hessian should contain a single element",
        failure(TorchException.class, () -> Autograd.hessian(in -> in[0], x)));
  }

  @Test
  public void batches() {
    Tensor square = x.mul(x);
    Tensor rows = tensor(new double[][] {{1, 0}, {0, 1}, {2, 2}});
    Tensor z = tensor(1.0, requires_grad(true));
    Tensor[] found =
        Autograd.gradBatched(
            new Tensor[] {square}, new Tensor[] {x, z}, new Tensor[] {rows}, true, false, true);
    assertElements(found[0], 2, 0, 0, 4, 4, 8);
    assertFalse(found[1].defined());
    Tensor[] none = {torch.zeros(0, 2)};
    Tensor[] empty =
        Autograd.gradBatched(new Tensor[] {square}, new Tensor[] {x}, none, true, false, false);
    assertArrayEquals(new long[] {0, 2}, empty[0].shape());
    assertTrue(
        failure(
                TorchException.class,
                () ->
                    Autograd.gradBatched(
                        new Tensor[] {square},
                        new Tensor[] {x},
                        new Tensor[] {v},
                        true,
                        false,
                        false))
            .startsWith("If `is_grads_batched=True`, we interpret"));
  }

  // ---- functions of functions ----

  @Test
  public void gradient() {
    Tensor plain = tensor(1.0, 2.0);
    Tensor[] g = Autograd.grad(in -> in[0].mul(in[1]).sum(), 1, 0).apply(plain, y);
    assertElements(g[0], 1, 2);
    assertElements(g[1], 3, 5);
    assertFalse(g[0].requires_grad());
    assertElements(Autograd.grad(in -> in[0].pow(2).sum(), -1).apply(plain)[0], 2, 4);
    ValueAndGrad both = Autograd.valueAndGrad(in -> in[0].pow(2).sum()).apply(plain);
    assertElements(both.value(), 5);
    assertElements(both.grad(), 2, 4);
    assertEquals(1, both.grads().length);
    assertElements(Autograd.grad(in -> tensor(1.0)).apply(plain)[0], 0, 0);
  }

  @Test
  public void gradientsKeepWhatLeadsElsewhere() {
    Tensor plain = tensor(1.0, 2.0);
    Tensor g = Autograd.grad(in -> in[0].mul(x).sum()).apply(plain)[0];
    assertTrue(g.requires_grad());
    g.sum().backward();
    assertElements(x.grad(), 1, 1);
    Tensor of = Autograd.grad(in -> in[0].pow(3).sum()).apply(x)[0];
    assertTrue(of.requires_grad());
    try (NoGradGuard guard = new NoGradGuard()) {
      assertFalse(Autograd.grad(in -> in[0].pow(3).sum()).apply(x)[0].requires_grad());
    }
  }

  @Test
  public void gradientsNest() {
    TensorsFunction slope = Autograd.grad(in -> in[0].pow(4));
    Tensor second = Autograd.grad(in -> slope.apply(in)[0]).apply(tensor(2.0))[0];
    assertElements(second, 48);
    assertFalse(second.requires_grad());
    Tensor[][] h = Autograd.jacobianForward(Autograd.grad(in -> in[0].pow(3).sum()), y);
    assertElements(h[0][0], 18, 0, 0, 30);
  }

  @Test
  public void gradientsThatCannotBe() {
    assertEquals(
        "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with 1"
            + " dims. Maybe you wanted to use the vjp or jacrev APIs instead?",
        failure(TorchException.class, () -> Autograd.grad(in -> in[0]).apply(x)));
    assertEquals(
        "Got argnum=1, but only 1 positional inputs",
        failure(TorchException.class, () -> Autograd.grad(in -> in[0].sum(), 1).apply(x)));
    assertThrows(TorchException.class, () -> Autograd.grad(in -> in[0].sum(), 0, 0).apply(x));
  }
}
