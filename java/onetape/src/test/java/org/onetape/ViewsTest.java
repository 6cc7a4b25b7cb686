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
import org.junit.function.ThrowingRunnable;

/** Views and changes in place; the values are those of the Python cases. */
public class ViewsTest {
  private MemoryScope scope;
  private Tensor x;

  @Before
  public void open() {
    scope = new MemoryScope();
    x = tensor(new double[] {1, 2, 3, 4}, requires_grad(true));
  }

  @After
  public void close() {
    scope.close();
  }

  private static void assertElements(Tensor tensor, double... expected) {
    assertArrayEquals(expected, tensor.toDoubleArray(), 1e-12);
  }

  private static void assertRefused(String start, ThrowingRunnable action) {
    String message = assertThrows(TorchException.class, action).getMessage();
    assertTrue(message, message.startsWith(start));
  }

  @Test
  public void leavesAndTheirViews() {
    assertRefused(
        "a leaf Variable that requires grad is being used in an in-place operation.",
        () -> x.add_(tensor(1.0)));
    assertRefused(
        "a view of a leaf Variable that requires grad is being used in an in-place operation.",
        () -> x.view(2, 2).add_(tensor(1.0)));
    try (NoGradGuard guard = new NoGradGuard()) {
      x.mul_(tensor(2.0));
    }
    assertElements(x, 2, 4, 6, 8);
    assertEquals(1, x._version());
  }

  @Test
  public void viewOfAResult() {
    Tensor y = x.mul(2);
    Tensor view = y.narrow(0, 0, 2);
    view.mul_(tensor(3.0));
    assertEquals("CopySlices", y.grad_fn().name());
    assertEquals("AsStridedBackward0", view.grad_fn().name());
    assertEquals(1, y._version());
    assertEquals(1, view._version());
    y.sum().backward();
    assertElements(x.grad(), 6, 6, 2, 2);
  }

  @Test
  public void viewsOfViews() {
    Tensor y = x.mul(1);
    Tensor rows = y.view(2, 2);
    Tensor row = rows.select(0, 1);
    row.narrow(0, 0, 1).mul_(tensor(10.0));
    assertEquals(y, row._base());
    rows.mul(rows).sum().backward();
    assertElements(x.grad(), 2, 4, 600, 8);
  }

  @Test
  public void multiOutputViews() {
    Tensor y = x.mul(2);
    Tensor part = y.split(2).get(0);
    assertRefused(
        "Output 0 of Split is a view and is being modified inplace. This view is the output of a"
            + " function that returns multiple views.",
        () -> part.mul_(tensor(2.0)));
    assertElements(y, 2, 4, 6, 8);
    y.mul_(tensor(3.0));
    assertRefused(
        "Output 0 of Split is a view and its base or another view of its base has been modified"
            + " inplace.",
        () -> part.grad_fn());
  }

  @Test
  public void viewsMadeWhileNothingWasRecorded() {
    Tensor y = x.mul(2);
    Tensor view;
    try (NoGradGuard guard = new NoGradGuard()) {
      view = y.narrow(0, 0, 2);
    }
    assertTrue(view.requires_grad());
    assertRefused(
        "A view was created in no_grad mode and is being modified inplace with grad mode enabled.",
        () -> view.mul_(tensor(2.0)));
    assertElements(y, 2, 4, 6, 8);
  }

  @Test
  public void detachedAndData() {
    Tensor y = x.mul(2);
    Tensor square = y.mul(y).sum();
    y.detach().mul_(tensor(2.0));
    assertEquals(1, y._version());
    assertRefused("one of the variables needed for gradient computation", square::backward);
    Tensor z = x.mul(2);
    Tensor other = z.mul(z).sum();
    z.data().mul_(tensor(3.0));
    assertEquals(0, z._version());
    assertFalse(z.data().requires_grad());
    other.backward();
    assertElements(x.grad(), 24, 48, 72, 96);
  }
}
