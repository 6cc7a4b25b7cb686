package org.onetape.utils;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.tensor;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.global.torch;

public class MetricsTest {
  private MemoryScope scope;

  @Before
  public void open() {
    scope = new MemoryScope();
  }

  @After
  public void close() {
    scope.close();
  }

  private static Tensor scores() {
    return tensor(
        new double[][] {{0.1, 0.7, 0.2}, {0.5, 0.3, 0.2}, {0.2, 0.3, 0.5}, {0, 0.4, 0.6}});
  }

  @Test
  public void accuracy() {
    Tensor target = tensor(1L, 0L, 2L, 1L);
    assertEquals(0.75, Metrics.accuracy(scores(), target), 0);
    assertEquals(0.5, Metrics.accuracy(tensor(1L, 2L), tensor(1L, 1L)), 0);
    assertEquals(1, Metrics.accuracy(scores(), target, 2), 0);
    assertEquals(0.75, Metrics.accuracy(scores(), target, 1), 0);
    Exception error =
        assertThrows(
            IllegalArgumentException.class, () -> Metrics.accuracy(scores(), tensor(1L, 2L)));
    assertTrue(error.getMessage(), error.getMessage().contains("do not fit"));
    assertThrows(
        IllegalArgumentException.class, () -> Metrics.accuracy(torch.empty(0), torch.empty(0)));
    assertThrows(IllegalArgumentException.class, () -> Metrics.accuracy(target, target, 2));
  }

  @Test
  public void confusionMatrix() {
    Tensor target = tensor(1L, 0L, 2L, 1L);
    Tensor matrix = Metrics.confusionMatrix(scores(), target);
    assertArrayEquals(new long[] {3, 3}, matrix.shape());
    assertArrayEquals(new long[] {1, 0, 0, 0, 1, 1, 0, 0, 1}, matrix.reshape(-1).toLongArray());
    assertArrayEquals(new long[] {4, 4}, Metrics.confusionMatrix(target, target, 4).shape());
    Exception error =
        assertThrows(
            IllegalArgumentException.class, () -> Metrics.confusionMatrix(target, target, 2));
    assertEquals("confusionMatrix: classes go from 0 to 2, but there are 2", error.getMessage());
    assertThrows(
        IllegalArgumentException.class,
        () -> Metrics.confusionMatrix(target, target, Long.MAX_VALUE));
  }

  @Test
  public void areaUnderTheCurve() {
    // scikit-learn's roc_auc_score
    Tensor target = tensor(0L, 0L, 1L, 1L);
    assertEquals(0.75, Metrics.auroc(tensor(0.1, 0.4, 0.35, 0.8), target), 1e-15);
    assertEquals(0.875, Metrics.auroc(tensor(0.1, 0.4, 0.4, 0.8), target), 1e-15);
    assertEquals(0.5, Metrics.auroc(torch.zeros(4), target), 1e-15);
    assertEquals(0.5, Metrics.auroc(tensor(-0.0, 0.0, 0.0, -0.0), target), 1e-15);
    assertThrows(
        IllegalArgumentException.class, () -> Metrics.auroc(torch.zeros(4), torch.ones(4)));
    assertThrows(
        IllegalArgumentException.class, () -> Metrics.auroc(torch.zeros(3), torch.ones(4)));
    assertThrows(
        IllegalArgumentException.class, () -> Metrics.auroc(tensor(Double.NaN, 0, 0, 0), target));
  }
}
