package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.util.List;
import java.util.function.Consumer;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.global.torch;

/** Gradients and saved tensors whose sizes a program changes; the cases are Python's. */
public class MovingShapesTest {
  private MemoryScope scope;
  private Tensor x;

  @Before
  public void open() {
    scope = new MemoryScope();
    x = tensor(new double[] {0, 1, 2, 3, 4, 5}, requires_grad(true)).view(2, 3).detach();
    x.requires_grad_(true);
  }

  @After
  public void close() {
    scope.close();
  }

  private static void assertRefused(String part, Tensor root) {
    String message = assertThrows(TorchException.class, root::backward).getMessage();
    assertTrue(message, message.contains(part));
  }

  @Test
  public void aHookMayNotChangeSizes() {
    List<Consumer<Tensor>> changes =
        List.of(
            g -> g.t_(),
            g -> g.resize_(7),
            g -> g.set_data(torch.ones(3).to(torch.ScalarType.Double)));
    for (Consumer<Tensor> change : changes) {
      Tensor y = x.mul(2);
      y.register_hook(
          g -> {
            change.accept(g);
            return null;
          });
      assertRefused("has changed the size of value", y.sum());
      assertFalse(x.grad().defined());
    }
  }

  @Test
  public void aHookChangesNoOtherGradient() {
    Tensor square = torch.ones(2, 2).requires_grad_(true);
    Tensor other = torch.ones(2, 2).requires_grad_(true);
    Tensor weight = tensor(new float[] {1, 2, 3, 4}).view(2, 2);
    square.register_hook(
        g -> {
          g.t_();
          return null;
        });
    square.add(other).mul(weight).sum().backward();
    assertArrayEquals(new float[] {1, 3, 2, 4}, square.grad().contiguous().toFloatArray(), 0);
    assertArrayEquals(new float[] {1, 2, 3, 4}, other.grad().toFloatArray(), 0);
  }

  @Test
  public void aGradientThatOthersKnowIsUsedAsItWas() {
    Tensor given = torch.ones_like(x);
    Tensor y = x.mul(3);
    y.register_hook(
        g -> {
          given.resize_(1);
          return null;
        });
    y.backward(given);
    assertEquals(1, given.numel());
    assertArrayEquals(new double[] {3, 3, 3, 3, 3, 3}, x.grad().toDoubleArray(), 0);

    Tensor[] kept = new Tensor[1];
    var keeping =
        new Function() {
          @Override
          public Tensor forward(Tensor input) {
            return input.mul(1);
          }

          @Override
          public Tensor backward(Tensor gradient) {
            kept[0] = scope.attach(gradient.mul(1));
            return kept[0];
          }
        };
    Tensor z = x.mul(5);
    z.register_hook(
        g -> {
          kept[0].resize_(1);
          return null;
        });
    x.set_grad(null);
    keeping.apply(z).sum().backward();
    assertArrayEquals(new double[] {5, 5, 5, 5, 5, 5}, x.grad().toDoubleArray(), 0);
  }

  @Test
  public void otherDataOfWhatWasRecorded() {
    Tensor y = x.exp();
    y.set_data(torch.ones(4));
    assertRefused("returned an invalid gradient at index 0 - got [4] but expected", y.sum());

    Tensor w = torch.ones_like(x);
    Tensor product = x.mul(w).sum();
    w.set_data(torch.ones(5));
    assertRefused("was given other sizes or another dtype", product);
  }

  @Test
  public void anUnpackHookGivesTheShapeThatWasPacked() {
    Tensor y;
    try (var hooks = new SavedTensorsHooks(t -> t, t -> ((Tensor) t).select(0, 0))) {
      y = x.square().sum();
    }
    assertRefused("Output of saved tensor unpack_hook has shape", y);
  }
}
