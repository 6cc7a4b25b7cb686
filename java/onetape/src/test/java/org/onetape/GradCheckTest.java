package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.Autograd.TensorsFunction;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

public class GradCheckTest {
  private MemoryScope scope;
  private Tensor x;
  private Tensor y;

  @Before
  public void open() {
    scope = new MemoryScope();
    x = tensor(new double[] {0.5, 2}, requires_grad(true));
    y = tensor(new double[] {1, -1}, requires_grad(true));
  }

  @After
  public void close() {
    scope.close();
  }

  private static GradCheckOptions[] modes() {
    return new GradCheckOptions[] {
      new GradCheckOptions(),
      new GradCheckOptions().fastMode(true),
      new GradCheckOptions().checkForwardAd(true),
      new GradCheckOptions().checkForwardAd(true).checkBackwardAd(false).fastMode(true)
    };
  }

  private static Tensor[] several(Tensor... in) {
    return new Tensor[] {in[0].mul(in[1].exp()), in[1].sum(), in[0].detach().floor()};
  }

  private static Tensor[] product(Tensor... in) {
    return new Tensor[] {in[0].mul(in[0]), in[0].abs()};
  }

  @Test
  public void good() {
    Tensor complex = complexPoint();
    for (GradCheckOptions mode : modes()) {
      assertTrue(Autograd.gradcheck(GradCheckTest::several, new Tensor[] {x, y}, mode));
      assertTrue(Autograd.gradcheck(GradCheckTest::several, new Tensor[] {x.detach(), y}, mode));
      assertTrue(Autograd.gradcheck(GradCheckTest::product, new Tensor[] {complex}, mode));
    }
    assertTrue(Autograd.gradcheck(in -> in[0].sin(), x));
    assertFalse(x.grad().defined());
  }

  @Test
  public void goodTwice() {
    Tensor complex = complexPoint();
    for (GradCheckOptions mode : modes()) {
      assertTrue(Autograd.gradgradcheck(GradCheckTest::several, new Tensor[] {x, y}, null, mode));
      assertTrue(
          Autograd.gradgradcheck(GradCheckTest::product, new Tensor[] {complex}, null, mode));
    }
    assertTrue(Autograd.gradgradcheck(in -> in[0].sin(), x));
  }

  private static Tensor complexPoint() {
    Tensor i = torch.tensor(-1.0).to(ScalarType.ComplexDouble).sqrt();
    return tensor(1.0, 0.5).add(tensor(2.0, -1.0).mul(i)).detach().requires_grad_(true);
  }

  private static final class Wrong extends Function {
    @Override
    public Tensor forward(Tensor in) {
      return in.mul(in);
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      return gradOutput.mul(input).mul(3);
    }

    @Override
    public Tensor jvp(Tensor tangent) {
      return tangent.mul(input).mul(4);
    }
  }

  private static final TensorsFunction WRONG =
      in -> new Tensor[] {in[0].mul(1), new Wrong().apply(in[1])};

  @Test
  public void mismatch() {
    Tensor[] inputs = {x, y};
    TorchException error =
        assertThrows(
            TorchException.class, () -> Autograd.gradcheck(WRONG, inputs, new GradCheckOptions()));
    String[] lines = error.getMessage().split("\n");
    assertEquals("Jacobian mismatch for output 1 with respect to input 1,", lines[0]);
    assertTrue(lines[1], lines[1].matches("numerical:\\[\\[(2|1\\.9+|2\\.0+).*"));
    assertEquals("analytical:[[3.0, 0.0], [0.0, -3.0]]", lines[2].replace("-0.0", "0.0"));
    assertFalse(Autograd.gradcheck(WRONG, inputs, new GradCheckOptions().raiseException(false)));
    assertTrue(Autograd.gradcheck(WRONG, inputs, new GradCheckOptions().rtol(1)));
    GradCheckOptions forward = new GradCheckOptions().checkForwardAd(true).checkBackwardAd(false);
    assertTrue(
        assertThrows(TorchException.class, () -> Autograd.gradcheck(WRONG, inputs, forward))
            .getMessage()
            .startsWith("Jacobian computed with forward mode mismatch for output 1 with respect"));
    for (GradCheckOptions mode : modes()) {
      assertThrows(TorchException.class, () -> Autograd.gradcheck(WRONG, inputs, mode));
    }
  }

  @Test
  public void notLinear() {
    Function shifted =
        new Function() {
          @Override
          public Tensor forward(Tensor in) {
            return in.mul(2);
          }

          @Override
          public Tensor backward(Tensor gradOutput) {
            return gradOutput.mul(2).add(gradOutput.eq(0).to(ScalarType.Double));
          }
        };
    Tensor one = tensor(new double[] {1}, requires_grad(true));
    assertEquals(
        "backward not multiplied by grad_output",
        assertThrows(
                TorchException.class, () -> Autograd.gradcheck(in -> shifted.apply(in[0]), one))
            .getMessage());
  }

  @Test
  public void changesWithoutGradient() {
    assertEquals(
        "Numerical gradient for function expected to be zero",
        assertThrows(TorchException.class, () -> Autograd.gradcheck(in -> in[0].detach().mul(2), x))
            .getMessage());
  }

  @Test
  public void inputs() {
    assertThrows(IllegalArgumentException.class, () -> Autograd.gradcheck(in -> in[0], x.detach()));
    Tensor single = x.detach().to(ScalarType.Float).requires_grad_(true);
    assertThrows(IllegalArgumentException.class, () -> Autograd.gradcheck(in -> in[0], single));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            Autograd.gradcheck(
                GradCheckTest::several,
                new Tensor[] {x, y},
                new GradCheckOptions().checkBackwardAd(false)));
  }
}
