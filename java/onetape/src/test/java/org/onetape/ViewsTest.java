package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.junit.function.ThrowingRunnable;
import org.onetape.global.torch;

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
  public void tensorsGetAnotherShapeInPlace() {
    Tensor y = x.mul(2);
    assertEquals(y, y.unsqueeze_(0));
    y.t_();
    assertArrayEquals(new long[] {4, 1}, y.shape());
    assertEquals(2, y._version());
    y.transpose_(0, 1).squeeze_().mul(y).sum().backward();
    assertElements(x.grad(), 8, 16, 24, 32);
    assertRefused("a leaf Variable that requires grad is being used", () -> x.unsqueeze_(0));
    assertRefused("cannot resize variables that require grad", () -> x.resize_(2));
    assertRefused("t_() expects a tensor with <= 2 dimensions", () -> y.view(2, 2, 1).t_());
    assertElements(
        tensor(new double[] {1, 2, 3, 4}).as_strided_(new long[] {2}, new long[] {2}), 1, 3);
    assertElements(tensor(new double[] {1, 2, 3, 4}).cumsum_(0), 1, 3, 6, 10);
    assertElements(tensor(new double[] {1, 2, 3, 4}).cumprod_(0), 1, 2, 6, 24);
  }

  @Test
  public void tensorsGetOtherMemory() {
    Tensor y = tensor(new double[] {1, 2, 3, 4});
    assertElements(y.resize_(2, 1), 1, 2);
    assertElements(y.resize_(3), 1, 2, 3);
    assertEquals(2, y._version());
    assertArrayEquals(new long[] {20}, y.resize_(20).shape());
    Tensor source = tensor(new double[] {5, 6, 7});
    assertElements(y.set_(source, 1, new long[] {2}), 6, 7);
    source.mul_(tensor(2.0));
    assertElements(y, 12, 14);
    assertElements(y.set_(), new double[0]);
    assertElements(y.resize_as_(tensor(new double[0])), new double[0]);
    assertRefused("Could not set tensor of type", () -> y.set_(tensor(1L)));
    Tensor z = x.mul(1);
    z.set_(source);
    assertRefused("derivative for set_ is not implemented", () -> z.sum().backward());
    assertEquals(8, tensor(2L).bitwise_left_shift(tensor(2L)).item_long());
    assertEquals(-1, tensor(-2L).bitwise_right_shift_(tensor(7L)).item_long());
  }

  @Test
  public void buffersKeepTheMemoryThatTheyShow() {
    Tensor y = torch.ones(1000);
    FloatBuffer memory = y.createBuffer();
    y.set_();
    y.resize_(5000);
    System.gc();
    torch.zeros(1000);
    assertEquals(1f, memory.get(999), 0);
  }

  /** Eight threads change a tensor's shape and memory while others compute with it. */
  @Test
  public void shapesChangeWhileOthersCompute() throws InterruptedException {
    Tensor shared = torch.ones(100, 100);
    Tensor other = torch.ones(100, 100);
    Tensor weight = torch.ones(100, 100).requires_grad_(true);
    Runnable[] actions = {
      () -> shared.resize_(2, 2),
      () -> shared.resize_(100, 100),
      shared::t_,
      () -> shared.set_(other),
      () -> shared.set_data(torch.ones(7)),
      () -> shared.add(other).sum(),
      () -> shared.matmul(shared),
      () -> weight.mul(shared).exp().sum().backward(),
    };
    List<Throwable> faults = Collections.synchronizedList(new ArrayList<>());
    long end = System.nanoTime() + 500_000_000L;
    Thread[] threads = new Thread[actions.length];
    for (int i = 0; i < threads.length; i++) {
      Runnable action = actions[i];
      threads[i] =
          new Thread(
              () -> {
                while (System.nanoTime() < end) {
                  try (MemoryScope own = new MemoryScope()) {
                    action.run();
                  } catch (TorchException e) {
                    continue; // shapes that do not fit any more
                  } catch (Throwable e) {
                    faults.add(e);
                    return;
                  }
                }
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join(60_000);
      assertFalse(thread.isAlive());
    }
    assertEquals(Collections.emptyList(), faults);
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
