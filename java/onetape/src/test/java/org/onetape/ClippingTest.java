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
import org.onetape.global.torch;

public class ClippingTest {
  private MemoryScope scope;
  private Tensor a;
  private Tensor b;
  private Tensor unused;

  @Before
  public void open() {
    scope = new MemoryScope();
    a = tensor(new double[] {1, 2}, requires_grad(true));
    b = tensor(new double[] {1}, requires_grad(true));
    unused = tensor(new double[] {1}, requires_grad(true));
    a.mul(tensor(3.0, 4.0)).sum().add(b.mul(new Scalar(12)).sum()).backward();
  }

  @After
  public void close() {
    scope.close();
  }

  @Test
  public void normOfAllTogether() {
    assertEquals(13, torch.clip_grad_norm_(new TensorVector(a, b, unused), 1.3), 1e-12);
    assertArrayEquals(new double[] {0.3, 0.4}, a.grad().toDoubleArray(), 1e-6);
    assertArrayEquals(new double[] {1.2}, b.grad().toDoubleArray(), 1e-6);
    assertFalse(unused.grad().defined());
  }

  @Test
  public void smallGradientsStay() {
    assertEquals(13, torch.clip_grad_norm_(new TensorVector(a, b), 100), 1e-12);
    assertArrayEquals(new double[] {3, 4}, a.grad().toDoubleArray(), 0);
    assertEquals(0, torch.clip_grad_norm_(unused, 1), 0);
    assertEquals(5, torch.clip_grad_norm_(a, 1), 1e-12);
  }

  @Test
  public void otherNormsAndBadOnes() {
    double most = torch.clip_grad_norm_(new TensorVector(a, b), 6, Double.POSITIVE_INFINITY, true);
    assertEquals(12, most, 0);
    assertArrayEquals(new double[] {6}, b.grad().toDoubleArray(), 1e-5);
    b.grad().fill_(new Scalar(Double.NaN));
    TorchException error =
        assertThrows(TorchException.class, () -> torch.clip_grad_norm_(b, 1, 2, true));
    String start = "The total norm of order 2.0 for gradients from `parameters` is non-finite";
    assertTrue(error.getMessage(), error.getMessage().startsWith(start));
  }

  @Test
  public void values() {
    torch.clip_grad_value_(new TensorVector(a, b, unused), 3.5);
    assertArrayEquals(new double[] {3, 3.5}, a.grad().toDoubleArray(), 0);
    torch.clip_grad_value_(b, 1);
    assertArrayEquals(new double[] {1}, b.grad().toDoubleArray(), 0);
  }

  @Test
  public void functionsUnderJavaCppsNames() {
    Tensor x = tensor(new double[] {-2, 3});
    assertArrayEquals(
        new double[] {-1, 3}, torch.leaky_relu(x, new Scalar(0.5)).toDoubleArray(), 0);
    assertArrayEquals(
        x.sigmoid().log().toDoubleArray(), torch.log_sigmoid(x).toDoubleArray(), 1e-12);
    Tensor scores = tensor(new double[][] {{1, 2}, {3, 4}});
    Tensor classes = tensor(0L, 1L);
    assertEquals(
        torch.cross_entropy(scores, classes).item_double(),
        torch.cross_entropy_loss(scores, classes).item_double(),
        0);
  }
}
