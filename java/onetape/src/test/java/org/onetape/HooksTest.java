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
import java.util.concurrent.CountDownLatch;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Hooks on tensors, nodes and saved tensors; the values are those of the Python cases. */
public class HooksTest {
  private MemoryScope scope;
  private Tensor x;
  private final List<String> order = new ArrayList<>();

  @Before
  public void open() {
    scope = new MemoryScope();
    x = tensor(new double[] {1, 2}, requires_grad(true));
  }

  @After
  public void close() {
    scope.close();
  }

  private static void assertElements(Tensor tensor, double... expected) {
    assertArrayEquals(expected, tensor.toDoubleArray(), 1e-12);
  }

  private Tensor note(String name, Tensor gradient) {
    order.add(name + " " + gradient.toDoubleArray()[0]);
    return null;
  }

  @Test
  public void orderOfFiring() {
    Tensor y = x.mul(tensor(3.0));
    x.register_hook(
        g -> {
          note("x1", g);
          return g.add(1);
        });
    x.register_hook(g -> note("x2", g));
    y.register_hook(
        g -> {
          note("y1", g);
          return g.mul(10);
        });
    y.retain_grad();
    y.register_hook(
        g -> {
          note("y2", g);
          return g.mul(2);
        });
    y.grad_fn()
        .register_prehook(
            gradOutputs -> {
              note("pre", gradOutputs[0]);
              return null;
            });
    y.grad_fn()
        .register_hook(
            (gradInputs, gradOutputs) -> {
              note("post", gradInputs[0]);
              return null;
            });
    x.register_post_accumulate_grad_hook(leaf -> note("after", leaf.grad()));
    y.sum().backward();
    assertEquals(
        List.of("y1 1.0", "y2 10.0", "pre 20.0", "post 60.0", "x1 60.0", "x2 61.0", "after 61.0"),
        order);
    assertElements(x.grad(), 61, 61);
    assertElements(y.grad(), 20, 20);
  }

  @Test
  public void nodeHooksReplaceGradients() {
    Tensor w = tensor(new double[] {3, 4}, requires_grad(true));
    Tensor y = x.mul(w);
    Node node = y.grad_fn();
    node.register_hook(
        (gradInputs, gradOutputs) -> new Tensor[] {gradInputs[0].mul(2), gradInputs[1].mul(2)});
    node.register_prehook(gradOutputs -> new Tensor[] {gradOutputs[0].mul(10)});
    y.sum().backward();
    assertElements(x.grad(), 60, 80);
    assertElements(w.grad(), 20, 40);
  }

  @Test
  public void removal() {
    Tensor y = x.mul(2);
    HookHandle handle = y.register_hook(g -> g.mul(10));
    try (HookHandle node =
        y.grad_fn().register_hook((in, out) -> new Tensor[] {in[0].mul(3), null})) {
      y.sum().backward(null, true, false);
      assertElements(x.grad(), 60, 60);
    }
    handle.remove();
    handle.remove();
    y.sum().backward(null, true, false);
    assertElements(x.grad(), 62, 62);
    int number =
        y.register_hook(
            new TensorTensorHook() {
              @Override
              public Tensor call(Tensor gradient) {
                return gradient.mul(5);
              }
            });
    y.register_hook(
        new VoidTensorHook() {
          @Override
          public void call(Tensor gradient) {
            note("void", gradient);
          }
        });
    y.sum().backward(null, true, false);
    assertElements(x.grad(), 72, 72);
    y.remove_hook(number);
    y.remove_hook(number);
    y.sum().backward();
    assertElements(x.grad(), 74, 74);
    assertEquals(List.of("void 5.0", "void 1.0"), order);
  }

  @Test
  public void whatHooksMayNotReturn() {
    Tensor y = x.mul(2);
    HookHandle handle = y.register_hook(g -> tensor(new double[] {1, 2, 3}));
    RuntimeException size =
        assertThrows(TorchException.class, () -> y.sum().backward(null, true, false));
    assertEquals("hook has changed the size of value", size.getMessage());
    handle.remove();
    handle = y.register_hook(g -> tensor(new float[] {1, 2}));
    RuntimeException type =
        assertThrows(TorchException.class, () -> y.sum().backward(null, true, false));
    assertEquals(
        "hook has changed the type of value (was torch.DoubleTensor got torch.FloatTensor)",
        type.getMessage());
    handle.remove();
    y.grad_fn().register_hook((in, out) -> new Tensor[0]);
    RuntimeException count = assertThrows(TorchException.class, () -> y.sum().backward());
    assertEquals(
        "hook has returned an incorrect number of values (got 0, but expected 2)",
        count.getMessage());
    assertFalse(x.grad().defined());
  }

  @Test
  public void whereHooksMayNotBe() {
    Tensor plain = tensor(new double[] {1});
    assertThrows(TorchException.class, () -> plain.register_hook(g -> g));
    assertThrows(TorchException.class, () -> plain.register_post_accumulate_grad_hook(t -> {}));
    assertThrows(TorchException.class, () -> x.mul(2).register_post_accumulate_grad_hook(t -> {}));
    assertThrows(NullPointerException.class, () -> x.register_hook((TensorHook) null));
  }

  @Test
  public void exceptionsComeOutAsTheyAre() {
    IllegalStateException error = new IllegalStateException("mine");
    Tensor y = x.exp();
    List<HookHandle> handles = new ArrayList<>();
    handles.add(
        y.register_hook(
            g -> {
              throw error;
            }));
    assertSame(
        error,
        assertThrows(IllegalStateException.class, () -> y.sum().backward(null, true, false)));
    handles.get(0).remove();
    y.grad_fn()
        .register_prehook(
            g -> {
              throw error;
            });
    assertSame(error, assertThrows(IllegalStateException.class, () -> y.sum().backward()));
    assertFalse(x.grad().defined());
  }

  @Test
  public void hooksRunInTheThreadOfThePass() throws Exception {
    Thread[] seen = new Thread[1];
    Tensor y = x.mul(2);
    y.register_hook(
        g -> {
          seen[0] = Thread.currentThread();
          return null;
        });
    Thread worker = new Thread(() -> y.sum().backward());
    worker.start();
    worker.join();
    assertSame(worker, seen[0]);
  }

  @Test
  public void noLockIsHeldWhileAHookRuns() throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Tensor y = x.mul(2);
    Thread slow =
        new Thread(
            () -> {
              try (MemoryScope own = new MemoryScope()) {
                y.sum().backward(null, true, false);
              }
            });
    x.register_post_accumulate_grad_hook(
        leaf -> {
          if (Thread.currentThread() == slow) {
            reached.countDown();
            try {
              goOn.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        });
    slow.start();
    reached.await();
    y.sum().backward(null, true, false);
    goOn.countDown();
    slow.join();
    assertElements(x.grad(), 4, 4);
  }

  @Test
  public void savedTensorsGoThroughHooks() {
    Tensor w = tensor(new double[] {3, 4}, requires_grad(true));
    Tensor y;
    try (SavedTensorsHooks hooks =
        new SavedTensorsHooks(
            t -> {
              note("pack", t);
              return new Object[] {t.detach().clone()};
            },
            packed -> ((Tensor) ((Object[]) packed)[0]).mul(2))) {
      y = x.mul(w);
    }
    assertEquals(2, order.size());
    y.sum().backward();
    assertElements(x.grad(), 6, 8);
    assertElements(w.grad(), 2, 4);
  }

  @Test
  public void savedTensorHooksAreNestedAndEnd() {
    try (SavedTensorsHooks outer = new SavedTensorsHooks(t -> t, p -> (Tensor) p)) {
      try (SavedTensorsHooks inner =
          new SavedTensorsHooks(
              t -> {
                order.add("inner");
                return t;
              },
              p -> (Tensor) p)) {
        x.exp();
      }
      x.exp();
      assertThrows(TorchException.class, () -> new DisableSavedTensorsHooks("not here"));
    }
    assertEquals(List.of("inner"), order);
    try (DisableSavedTensorsHooks none = new DisableSavedTensorsHooks("not here")) {
      RuntimeException error = assertThrows(TorchException.class, SaveOnCpu::new);
      assertEquals("not here", error.getMessage());
    }
    Tensor y;
    try (SaveOnCpu hooks = new SaveOnCpu()) {
      y = x.mul(x).exp();
    }
    y.sum().backward();
    assertElements(x.grad(), 2 * Math.exp(1), 4 * Math.exp(4));
  }

  @Test
  public void savedTensorHooksThatFail() {
    IllegalStateException error = new IllegalStateException("mine");
    try (SavedTensorsHooks hooks =
        new SavedTensorsHooks(
            t -> {
              throw error;
            },
            p -> null)) {
      assertSame(error, assertThrows(IllegalStateException.class, () -> x.exp()));
    }
    Tensor y;
    try (SavedTensorsHooks hooks = new SavedTensorsHooks(t -> "kept", p -> null)) {
      y = x.exp();
    }
    assertThrows(TypeException.class, () -> y.sum().backward());
    try (SavedTensorsHooks hooks =
        new SavedTensorsHooks(
            t -> {
              t.detach().mul_(tensor(2.0));
              return t;
            },
            p -> (Tensor) p)) {
      RuntimeException changed = assertThrows(TorchException.class, () -> x.exp());
      assertTrue(
          changed.getMessage().startsWith("A saved tensor pack hook is modifying its input"));
    }
  }

  @Test
  public void savedTensorsOfANode() {
    Tensor y = x.exp();
    assertElements(y.grad_fn().saved_tensors()[0], Math.exp(1), Math.exp(2));
    y.sum().backward();
    assertThrows(TorchException.class, () -> y.grad_fn().saved_tensors());
  }

  @Test
  public void hooksTakeGradientsAway() {
    x.register_post_accumulate_grad_hook(leaf -> leaf.set_grad(new Tensor()));
    x.mul(x).sum().backward(new Tensor(), true, true);
    assertFalse(x.grad().defined());
    Tensor leaf = tensor(new double[] {1, 2}, requires_grad(true));
    Tensor changed = leaf.mul(3);
    changed.narrow(0, 0, 1).mul_(tensor(2.0));
    changed.grad_fn().register_prehook(outputs -> new Tensor[] {new Tensor()});
    changed.sum().backward();
    assertFalse(leaf.grad().defined());
  }
}
