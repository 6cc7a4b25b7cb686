package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import org.junit.After;
import org.junit.Before;

/** Tests that run in a scope of their own and have a leaf to differentiate. */
abstract class ScopedTest {
  protected MemoryScope scope;
  protected Tensor x;

  @Before
  public void open() {
    scope = new MemoryScope();
    x = tensor(new double[] {1, 2, 3}, requires_grad(true));
  }

  @After
  public void close() {
    scope.close();
    assertTrue(AutoGradMode.is_enabled());
  }

  protected static void assertElements(Tensor tensor, double... expected) {
    assertArrayEquals(expected, tensor.toDoubleArray(), 1e-12);
  }
}
