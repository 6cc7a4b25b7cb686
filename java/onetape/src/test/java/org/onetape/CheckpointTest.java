package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.util.ArrayList;
import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.global.torch;

public class CheckpointTest {
  private MemoryScope scope;
  private Tensor x;
  private int calls;

  @Before
  public void open() {
    scope = new MemoryScope();
    x = tensor(new double[] {1, 2}, requires_grad(true));
  }

  @After
  public void close() {
    scope.close();
    assertTrue(AutoGradMode.is_enabled());
  }

  private static void assertElements(Tensor tensor, double... expected) {
    assertArrayEquals(expected, tensor.toDoubleArray(), 1e-9);
  }

  private Tensor part(Tensor input) {
    calls++;
    return input.sin().mul(input.exp());
  }

  private static double slope(double at) {
    return Math.exp(at) * (Math.sin(at) + Math.cos(at));
  }

  @Test
  public void bothKinds() {
    for (boolean reentrant : new boolean[] {false, true}) {
      calls = 0;
      x.set_grad(new Tensor());
      Tensor y =
          Checkpoint.checkpoint(this::part, x, new Checkpoint.Options().useReentrant(reentrant));
      assertEquals(1, calls);
      y.sum().backward();
      assertEquals(2, calls);
      assertElements(x.grad(), slope(1), slope(2));
    }
  }

  @Test
  public void severalTensorsAndOtherValues() {
    Tensor w = tensor(new double[] {3, 4}, requires_grad(true));
    double factor = 2;
    Tensor[] out =
        Checkpoint.checkpoint(
            in -> new Tensor[] {in[0].mul(in[1]).mul(tensor(factor)), in[0].exp()},
            new Checkpoint.Options(),
            x,
            w);
    out[0].sum().add(out[1].sum()).backward();
    assertElements(x.grad(), 6 + Math.exp(1), 8 + Math.exp(2));
    assertElements(w.grad(), 2, 4);
  }

  @Test
  public void randomNumbersAreTheSame() {
    for (boolean reentrant : new boolean[] {false, true}) {
      x.set_grad(new Tensor());
      torch.manual_seed(3);
      Tensor y =
          Checkpoint.checkpoint(
              in -> in.mul(torch.rand(2)), x, new Checkpoint.Options().useReentrant(reentrant));
      double after = torch.rand(1).toDoubleArray()[0];
      torch.manual_seed(3);
      torch.rand(2);
      assertEquals(torch.rand(1).toDoubleArray()[0], after, 0);
      y.sum().backward();
      assertElements(x.grad().mul(x.detach()), y.detach().toDoubleArray());
    }
  }

  @Test
  public void earlyStop() {
    List<String> seen = new ArrayList<>();
    for (boolean early : new boolean[] {true, false}) {
      Tensor y =
          Checkpoint.checkpoint(
              in -> {
                Tensor first = in.exp();
                seen.add("first");
                Tensor second = first.sin();
                seen.add("second");
                return second;
              },
              x,
              new Checkpoint.Options().earlyStop(early));
      y.sum().backward();
    }
    assertEquals(List.of("first", "second", "first", "first", "second", "first", "second"), seen);
  }

  @Test
  public void nestedAndSecondDerivatives() {
    Tensor y =
        Checkpoint.checkpoint(
            in -> Checkpoint.checkpoint(a -> a.sin().mul(a), in.cos()).mul(in), x);
    y.sum().backward();
    double[] expected = new double[2];
    for (int i = 0; i < 2; i++) {
      double v = i + 1;
      double c = Math.cos(v);
      expected[i] = Math.sin(c) * c - v * Math.sin(v) * (Math.cos(c) * c + Math.sin(c));
    }
    assertElements(x.grad(), expected);
    Tensor cube = Checkpoint.checkpoint(in -> in.mul(in).mul(in), x);
    Tensor first =
        Autograd.grad(new Tensor[] {cube.sum()}, new Tensor[] {x}, null, true, true, false)[0];
    assertElements(Autograd.grad(first.sum(), x)[0], 6, 12);
  }

  @Test
  public void errors() {
    IllegalStateException mine = new IllegalStateException("again");
    Tensor y =
        Checkpoint.checkpoint(
            in -> {
              if (calls++ > 0) {
                throw mine;
              }
              return in.exp();
            },
            x);
    assertSame(mine, assertThrows(IllegalStateException.class, () -> y.sum().backward()));
    calls = 0;
    Tensor other = Checkpoint.checkpoint(in -> calls++ > 0 ? in.add(in) : in.exp().sin(), x);
    assertEquals(
        "torch.utils.checkpoint: A different number of tensors was saved during the original"
            + " forward and recomputation.",
        assertThrows(TorchException.class, () -> other.sum().backward())
            .getMessage()
            .lines()
            .findFirst()
            .get());
    Tensor reentrant =
        Checkpoint.checkpoint(in -> in.exp(), x, new Checkpoint.Options().useReentrant(true));
    assertThrows(TorchException.class, () -> Autograd.grad(reentrant.sum(), x));
    assertFalse(x.grad().defined());
  }

  @Test
  public void recordedOnlyWhereOperatorsAre() {
    try (NoGradGuard guard = new NoGradGuard()) {
      assertFalse(Checkpoint.checkpoint(this::part, x).requires_grad());
    }
  }

  /** What forward and backward of a chain take at most, in tensors of one layer. */
  private static double peak(int layers, int segments) {
    List<Checkpoint.Part> chain = new ArrayList<>();
    for (int i = 0; i < layers; i++) {
      chain.add(i % 2 == 0 ? Tensor::sigmoid : Tensor::tanh);
    }
    try (MemoryScope own = new MemoryScope()) {
      long elements = 65536;
      Tensor start = torch.linspace(new Scalar(-1), new Scalar(1), elements);
      start.set_requires_grad(true);
      long before = NativeMemory.allocatedBytes();
      NativeMemory.resetPeak();
      Checkpoint.checkpointSequential(chain, segments, start).sum().backward();
      return (NativeMemory.peakBytes() - before) / (elements * 4.0);
    }
  }

  /** Measures where no other test's garbage is collected meanwhile. */
  public static final class Peaks {
    public static void main(String[] args) {
      double whole = peak(1000, 1);
      assertTrue("whole chain: " + whole, whole > 1000);
      double parts = peak(1000, 32);
      assertTrue("in 32 segments: " + parts, parts < 100);
      double small = peak(250, 16);
      assertTrue("a quarter in 16 segments: " + small, small < 55);
    }
  }

  @Test
  public void memoryGrowsAsTheSquareRoot() throws Exception {
    ChildJvm child = ChildJvm.run(Peaks.class);
    assertEquals(child.output, 0, child.status);
  }
}
