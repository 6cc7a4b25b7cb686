package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class AutogradTest extends ScopedTest {
  @Test
  public void gradientsAddUp() {
    x.mul(x).sum().backward();
    assertElements(x.grad(), 2, 4, 6);
    x.mul(3).sum().backward();
    assertElements(x.grad(), 5, 7, 9);
    x.set_grad(null);
    assertFalse(x.grad().defined());
  }

  @Test
  public void severalElementsNeedAGradient() {
    Tensor y = x.mul(2);
    TorchException error = assertThrows(TorchException.class, y::backward);
    assertEquals("grad can be implicitly created only for scalar outputs", error.getMessage());
    y.backward(tensor(1.0, 10.0, 100.0));
    assertElements(x.grad(), 2, 20, 200);
    assertThrows(TorchException.class, () -> x.mul(2).backward(tensor(1.0)));
  }

  @Test
  public void graphIsFreedUnlessRetained() {
    Tensor y = x.mul(x).sum();
    y.backward(null, true, false);
    y.backward();
    assertElements(x.grad(), 4, 8, 12);
    TorchException error = assertThrows(TorchException.class, y::backward);
    assertTrue(error.getMessage().startsWith("Trying to backward through the graph a second time"));
    assertThrows(TorchException.class, () -> tensor(1.0).backward());
  }

  @Test
  public void secondDerivatives() {
    Tensor y = x.mul(x).mul(x).sum();
    y.backward(new Tensor(), new BoolOptional(), true, new TensorArrayRefOptional());
    Tensor first = x.grad();
    assertElements(first, 3, 12, 27);
    Tensor[] second = Autograd.grad(first.sum(), x);
    assertElements(second[0], 6, 12, 18);
  }

  @Test
  public void gradLeavesTheLeavesAlone() {
    Tensor w = tensor(new double[] {5}, requires_grad(true));
    Tensor[] grads = Autograd.grad(x.mul(w).sum(), x, w);
    assertElements(grads[0], 5, 5, 5);
    assertElements(grads[1], 6);
    assertFalse(x.grad().defined());
    Tensor y = x.sum();
    assertThrows(TorchException.class, () -> Autograd.grad(y, w));
    Tensor[] unused =
        Autograd.grad(new Tensor[] {x.sum()}, new Tensor[] {w}, null, false, false, true);
    assertFalse(unused[0].defined());
  }

  @Test
  public void onlyInputsThatWereAskedFor() {
    Tensor w = tensor(new double[] {5}, requires_grad(true));
    x.mul(w)
        .sum()
        .backward(null, new BoolOptional(), false, new TensorArrayRefOptional(new TensorVector(w)));
    assertFalse(x.grad().defined());
    assertElements(w.grad(), 6);
  }

  @Test
  public void nodesTellTheirNamesAndEdges() {
    Tensor y = x.mul(2).add(1);
    assertEquals("AddBackward0", y.grad_fn().name());
    assertTrue(y.grad_fn().toString().matches("<AddBackward0 object at 0x[0-9a-f]+>"));
    assertEquals(y.grad_fn(), y.grad_fn());
    List<Node.Edge> edges = y.grad_fn().next_functions();
    assertEquals("MulBackward0", edges.get(0).function().name());
    Node accumulate = edges.get(0).function().next_functions().get(0).function();
    assertEquals("AccumulateGrad", accumulate.name());
    assertEquals("None", x.grad_fn().name());
    assertTrue(x.grad_fn().isNull());
    assertTrue(x.grad_fn().next_functions().isEmpty());
  }

  @Test
  public void guardsNest() {
    try (NoGradGuard none = new NoGradGuard()) {
      assertFalse(x.mul(2).requires_grad());
      try (EnableGradGuard some = Torch.enableGrad()) {
        assertTrue(x.mul(2).requires_grad());
      }
      assertFalse(x.mul(2).requires_grad());
      none.close();
      none.close();
    }
    assertTrue(x.mul(2).requires_grad());
  }

  @Test
  public void leavesCannotChangeWhileRecording() {
    TorchException error = assertThrows(TorchException.class, () -> x.add_(1));
    assertEquals(
        "a leaf Variable that requires grad is being used in an in-place operation.",
        error.getMessage());
    try (NoGradGuard guard = Torch.noGrad()) {
      assertSame(x, x.add_(1));
    }
    assertElements(x, 2, 3, 4);
  }

  @Test
  public void savedTensorsMustNotChange() {
    Tensor y = x.mul(1);
    Tensor z = y.mul(y).sum();
    y.add_(1);
    TorchException error = assertThrows(TorchException.class, z::backward);
    assertTrue(error.getMessage(), error.getMessage().contains("modified by an inplace operation"));
  }

  @Test
  public void retainedGradients() {
    Tensor y = x.mul(2);
    y.retain_grad();
    y.mul(y).sum().backward();
    assertElements(y.grad(), 4, 8, 12);
    assertTrue(y.retains_grad());
  }

  @Test
  public void detachedTensorsHaveNoHistory() {
    Tensor y = x.mul(2);
    Tensor free = y.detach();
    assertFalse(free.requires_grad());
    free.mul_(0);
    assertElements(y, 0, 0, 0);
    assertSame(y, y.detach_());
    assertTrue(y.is_leaf());
    assertThrows(TorchException.class, () -> x.mul(2).view(3).detach_());
  }

  @Test
  public void dataHasNoHistory() {
    Tensor data = x.mul(2).data();
    assertFalse(data.requires_grad());
    assertTrue(data.is_leaf());
    x.data().mul_(0);
    assertElements(x, 0, 0, 0);
  }

  @Test
  public void hooksSeeAndReplaceGradients() {
    List<String> seen = new ArrayList<>();
    Tensor y = x.mul(2);
    HookHandle onResult = y.register_hook(g -> g.mul(10));
    HookHandle onLeaf =
        x.register_hook(
            g -> {
              seen.add(g.toString());
              return null;
            });
    System.gc();
    y.sum().backward(null, true, false);
    assertElements(x.grad(), 20, 20, 20);
    assertEquals(List.of("tensor([20., 20., 20.])"), seen);
    onResult.remove();
    onResult.remove();
    y.sum().backward(null, true, false);
    assertElements(x.grad(), 22, 22, 22);
    onLeaf.close();
    y.sum().backward();
    assertEquals(2, seen.size());
  }

  @Test
  public void hooksThrowThroughBackward() {
    Exception mine = new IllegalThreadStateException("mine");
    x.register_hook(
        g -> {
          throw (RuntimeException) mine;
        });
    Tensor y = x.sum();
    assertSame(mine, assertThrows(IllegalThreadStateException.class, y::backward));
    assertFalse(x.grad().defined());
  }

  @Test
  public void longChains() {
    Tensor y = x;
    try (MemoryScope inner = new MemoryScope()) {
      for (int i = 0; i < 100_000; i++) {
        y = y.add(0);
      }
      y.sum().backward();
    }
    assertElements(x.grad(), 1, 1, 1);
  }

  @Test
  public void nullsAndUndefinedTensorsAreNamed() {
    NullPointerException none =
        assertThrows(NullPointerException.class, () -> x.add((Tensor) null));
    assertTrue(none.getMessage(), none.getMessage().contains("'other'"));
    assertThrows(TorchException.class, () -> x.add(new Tensor()));
    assertThrows(TorchException.class, () -> new Tensor().dim());
    assertThrows(NullPointerException.class, () -> x.view((long[]) null));
    NullPointerException number =
        assertThrows(NullPointerException.class, () -> x.add((Scalar) null));
    assertEquals("an argument of type Scalar is null", number.getMessage());
    NullPointerException index =
        assertThrows(
            NullPointerException.class, () -> x.index(new TensorIndex(0), (TensorIndex) null));
    assertEquals("argument 'indices[1]' is null", index.getMessage());
    assertElements(x, 1, 2, 3);
  }

  @Test
  public void wrongShapesAndIndices() {
    TorchException shapes = assertThrows(TorchException.class, () -> x.add(tensor(1.0, 2.0)));
    assertEquals(
        "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0",
        shapes.getMessage());
    IndexOutOfBoundsException dim = assertThrows(IndexOutOfBoundsException.class, () -> x.size(1));
    assertEquals(
        "Dimension out of range (expected to be in range of [-1, 0], but got 1)", dim.getMessage());
    assertThrows(TorchException.class, () -> x.view(2, 2));
  }
}
