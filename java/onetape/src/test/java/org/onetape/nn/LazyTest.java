package org.onetape.nn;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;
import org.onetape.optim.SGD;

/** Modules whose sizes follow from their first input. */
public class LazyTest {
  private MemoryScope scope;

  @Before
  public void open() {
    scope = new MemoryScope();
  }

  @After
  public void close() {
    scope.close();
  }

  @Test
  public void optimizersMayHaveTheParametersBefore() {
    LazyLinearImpl layer = new LazyLinearImpl(2);
    assertEquals("LazyLinear(in_features=0, out_features=2, bias=True)", layer.toString());
    SGD optimizer = new SGD(layer.parameters(), 0.5);
    layer.forward(torch.ones(4, 3)).sum().backward();
    float[] before = layer.bias().toFloatArray();
    optimizer.step();
    assertArrayEquals(
        new float[] {before[0] - 2, before[1] - 2}, layer.bias().toFloatArray(), 1e-6f);
    assertEquals("Linear(in_features=3, out_features=2, bias=True)", layer.toString());
    assertEquals(
        "torch.float32",
        "torch." + layer.weight().scalar_type().name().replace("Float", "float32"));
  }

  @Test
  public void statesGiveShapes() {
    LinearImpl trained = new LinearImpl(3, 2);
    SequentialImpl model = new SequentialImpl(new LazyLinearImpl(2));
    assertTrue(model.get(0).has_uninitialized_params());
    model.load_state_dict(new SequentialImpl(trained).state_dict());
    assertFalse(model.get(0).has_uninitialized_params());
    Tensor x = torch.ones(1, 3);
    assertArrayEquals(trained.forward(x).toFloatArray(), model.forward(x).toFloatArray(), 0);
    SequentialImpl other = new SequentialImpl(new LazyLinearImpl(2));
    other.load_state_dict(new SequentialImpl(trained).state_dict());
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> other.forward(torch.ones(1, 5)));
    assertEquals(
        "The in_features inferred from input: 5 is not equal to in_features from self.weight: 3",
        refused.getMessage());
  }

  @Test
  public void conversionsBeforeTheFirstInput() {
    LazyBatchNorm1dImpl norm = new LazyBatchNorm1dImpl();
    norm.to(ScalarType.Double, false);
    norm.forward(torch.ones(new long[] {2, 3}).to(ScalarType.Double));
    assertEquals(ScalarType.Double, norm.weight().scalar_type());
    assertEquals(ScalarType.Double, norm.running_mean().scalar_type());
  }

  @Test
  public void inputsThatDoNotFit() {
    LazyConv2dImpl layer = new LazyConv2dImpl(new Conv2dOptions(0, 4, 3).groups(2));
    assertEquals(
        "Expected 3D (unbatched) or 4D (batched) input to LazyConv2d, but got input of size:"
            + " torch.Size([3, 5])",
        assertThrows(TorchException.class, () -> layer.forward(torch.ones(3, 5))).getMessage());
    assertEquals(
        "in_channels must be divisible by groups",
        assertThrows(IllegalArgumentException.class, () -> layer.forward(torch.ones(1, 3, 5, 5)))
            .getMessage());
    assertTrue(layer.has_uninitialized_params());
    assertArrayEquals(new long[] {1, 4, 3, 3}, layer.forward(torch.ones(1, 2, 5, 5)).shape());
  }

  @Test
  public void layersWithoutFirstValues() {
    torch.manual_seed(3);
    float[] next = torch.rand(2).toFloatArray();
    torch.manual_seed(3);
    LinearImpl layer = torch.skip_init(() -> new LinearImpl(3, 4));
    assertArrayEquals(next, torch.rand(2).toFloatArray(), 0);
    assertArrayEquals(new long[] {4, 3}, layer.weight().shape());
  }

  /** A module of a program that waits for its first input. */
  private static final class Scale extends Module {
    Scale() {
      register_uninitialized_parameter("scale");
    }

    @Override
    public Tensor forward(Tensor input) {
      materialize("scale", input.size(-1));
      return input.mul(registered("scale").fill_(2));
    }
  }

  @Test
  public void modulesOfOnesOwn() {
    Scale scale = new Scale();
    try (var guard = new org.onetape.NoGradGuard()) {
      assertArrayEquals(new float[] {2, 2}, scale.forward(torch.ones(2)).toFloatArray(), 0);
    }
    assertFalse(scale.has_uninitialized_params());
  }
}
