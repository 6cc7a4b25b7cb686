package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.global.torch;

public class RandomTest {
  private MemoryScope scope;

  @Before
  public void open() {
    scope = new MemoryScope();
    torch.manual_seed(0);
  }

  @After
  public void close() {
    scope.close();
  }

  @Test
  public void seedsGivePyTorchsNumbers() {
    // PyTorch 2: torch.manual_seed(0), then torch.randn(3) and torch.rand(2)
    assertEquals("tensor([ 1.5410, -0.2934, -2.1788])", torch.randn(3).toString());
    Torch.manualSeed(0);
    assertEquals("tensor([0.4963, 0.7682])", torch.rand(2).toString());
  }

  @Test
  public void generatorsAreApart() {
    Generator own = new Generator(0);
    Tensor first = torch.randn(new long[] {3}, new GeneratorOptional(own), new TensorOptions());
    assertEquals("tensor([ 1.5410, -0.2934, -2.1788])", first.toString());
    assertEquals(0, own.current_seed());
    assertEquals("tensor([ 1.5410, -0.2934, -2.1788])", torch.randn(3).toString());
    own.manual_seed(0);
    assertArrayEquals(first.toFloatArray(), torch.empty(3).normal_(0, 1, own).toFloatArray(), 0);
    own.close();
    assertThrows(IllegalStateException.class, own::current_seed);
  }

  @Test
  public void randomTensorsInJavasSpelling() {
    TorchTensor inside = TorchTensor.randn(new long[] {2, 3}, scope);
    assertArrayEquals(new long[] {2, 3}, inside.shape());
    scope.close();
    assertTrue(inside.isNull());
    scope = new MemoryScope();
    assertArrayEquals(new long[] {0, 1, 2}, TorchTensor.arange(3).toLongArray());
    assertEquals(4, TorchTensor.rand(2, 2).numel());
    assertEquals(2, TorchTensor.ones(2).sum().itemFloat(), 0);
  }

  @Test
  public void firstValuesOfParameters() {
    Tensor weight = torch.empty(200, 100);
    double bound = Math.sqrt(6.0 / 300);
    torch.xavier_uniform_(weight);
    for (float value : weight.toFloatArray()) {
      assertTrue(Math.abs(value) <= bound);
    }
    torch.kaiming_uniform_(weight, Math.sqrt(5));
    for (float value : weight.toFloatArray()) {
      assertTrue(Math.abs(value) <= 0.1);
    }
    torch.constant_(weight, new Scalar(2));
    assertEquals(2, weight.get(0).get(0).item_float(), 0);
    weight.requires_grad_(true);
    torch.zeros_(weight);
    assertTrue(weight.is_leaf());
    assertThrows(TorchException.class, () -> torch.xavier_uniform_(torch.empty(3)));
  }
}
