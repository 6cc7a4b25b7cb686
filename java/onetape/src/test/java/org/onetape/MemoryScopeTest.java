package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.Before;
import org.junit.Test;

public class MemoryScopeTest {
  /** What other tests left ends now, and not while a test counts. */
  @Before
  public void collect() throws InterruptedException {
    long seen = -1;
    for (int quiet = 0, rounds = 0; quiet < 3 && rounds < 100; rounds++) {
      System.gc();
      Thread.sleep(5);
      long now = NativeMemory.liveTensors();
      quiet = now == seen ? quiet + 1 : 0;
      seen = now;
    }
  }

  private static Tensor fresh() {
    return tensor(1.0, 2.0);
  }

  @Test
  public void scopeFreesWhatWasMadeInside() {
    long before = NativeMemory.liveTensors();
    Tensor inside;
    try (MemoryScope scope = new MemoryScope()) {
      inside = fresh();
      inside.add(1);
      assertEquals(before + 2, NativeMemory.liveTensors());
    }
    assertEquals(before, NativeMemory.liveTensors());
    assertFalse(inside.defined());
    assertTrue(inside.isNull());
  }

  @Test
  public void scopeFreesAnyNumber() {
    long before = NativeMemory.liveTensors();
    for (int count : new int[] {0, 1, 2, 3, 4, 5, 255, 256, 257, 600}) {
      try (MemoryScope scope = new MemoryScope()) {
        for (int i = 0; i < count; i++) {
          fresh();
        }
        assertEquals(before + count, NativeMemory.liveTensors());
      }
      assertEquals(before, NativeMemory.liveTensors());
    }
  }

  @Test
  public void useAfterCloseSaysHowToKeep() {
    Tensor gone = fresh();
    gone.close();
    gone.close();
    IllegalStateException error = assertThrows(IllegalStateException.class, () -> gone.add(1));
    assertTrue(error.getMessage(), error.getMessage().contains("keep()"));
    assertThrows(IllegalStateException.class, gone::dim);
    assertThrows(IllegalStateException.class, gone::keep);
    assertThrows(IllegalStateException.class, () -> fresh().add(gone));
    assertThrows(IllegalStateException.class, gone::backward);
    assertThrows(IllegalStateException.class, gone::device);
  }

  @Test
  public void keptTensorBelongsToTheScopeAround() {
    try (MemoryScope outer = new MemoryScope()) {
      Tensor kept;
      Tensor byScope;
      Tensor lost;
      try (MemoryScope inner = new MemoryScope()) {
        kept = fresh().keep();
        byScope = inner.keep(fresh());
        lost = fresh();
      }
      assertTrue(kept.defined());
      assertTrue(byScope.defined());
      assertFalse(lost.defined());
      outer.close();
      assertFalse(kept.defined());
    }
  }

  @Test
  public void keepReachesThroughInnerScopes() {
    try (MemoryScope outer = new MemoryScope()) {
      Tensor deep;
      try (MemoryScope middle = new MemoryScope();
          MemoryScope inner = new MemoryScope()) {
        deep = middle.keep(fresh());
      }
      assertTrue(deep.defined());
      assertSame(deep, outer.keep(deep));
      outer.close();
      assertTrue(deep.defined());
      deep.close();
    }
  }

  @Test
  public void attachAndDetachMove() {
    Tensor attached = fresh();
    Tensor detached;
    try (MemoryScope scope = new MemoryScope()) {
      scope.attach(attached);
      detached = scope.detach(fresh());
    }
    assertFalse(attached.defined());
    assertTrue(detached.defined());
    detached.close();
    MemoryScope closed = new MemoryScope();
    closed.close();
    assertThrows(IllegalStateException.class, () -> closed.attach(fresh()));
  }

  @Test
  public void longScopeForgetsWhatLeftIt() {
    long before = NativeMemory.liveTensors();
    List<Tensor> held = new ArrayList<>();
    Tensor kept = null;
    try (MemoryScope outer = new MemoryScope()) {
      try (MemoryScope scope = new MemoryScope()) {
        for (int i = 0; i < 20_000; i++) {
          Tensor t = fresh();
          if (i % 5 == 0) {
            held.add(t);
          } else if (i % 5 == 1) {
            scope.attach(scope.detach(t)); // out and in again: closed once
          } else {
            t.close();
          }
        }
        kept = held.get(100).keep();
        assertEquals(before + 8000, NativeMemory.liveTensors());
        held.forEach(t -> assertTrue(t.defined()));
      }
      assertEquals(before + 1, NativeMemory.liveTensors());
      assertEquals(2.0, kept.select(0, 1).item_double(), 0);
    }
    assertFalse(kept.defined());
    assertEquals(before, NativeMemory.liveTensors());
  }

  @Test
  public void otherThreadsMoveIntoAndOutOfAScope() throws Exception {
    long before = NativeMemory.liveTensors();
    List<Tensor> out = new ArrayList<>();
    try (MemoryScope scope = new MemoryScope()) {
      Tensor mine = fresh();
      Thread other =
          new Thread(
              () -> {
                for (int i = 0; i < 10_000; i++) {
                  scope.attach(fresh()).close();
                }
                scope.attach(fresh());
                out.add(scope.detach(mine));
              });
      other.start();
      for (int i = 0; i < 10_000; i++) {
        fresh().close();
      }
      other.join();
      assertEquals(before + 2, NativeMemory.liveTensors());
    }
    assertEquals(before + 1, NativeMemory.liveTensors());
    assertEquals(2, out.get(0).numel());
    out.get(0).close();
    assertEquals(before, NativeMemory.liveTensors());
  }

  @Test
  public void closingAnOuterScopeClosesInnerOnes() {
    MemoryScope outer = new MemoryScope();
    MemoryScope inner = new MemoryScope();
    Tensor t = fresh();
    outer.close();
    assertFalse(t.defined());
    assertFalse(inner.isOpen());
    inner.close();
    outer.close();
    assertNull(PointerScope.getInnerScope());
  }

  @Test
  public void onlyTheOpeningThreadCloses() throws Exception {
    MemoryScope scope = new MemoryScope();
    AtomicReference<Throwable> seen = new AtomicReference<>();
    Thread other =
        new Thread(
            () -> seen.set(assertThrows(IllegalStateException.class, scope::close)), "other");
    other.start();
    other.join();
    assertTrue(seen.get().getMessage().contains("must close it"));
    assertTrue(scope.isOpen());
    scope.close();
  }

  @Test
  public void scopesOfThreadsAreApart() throws Exception {
    try (MemoryScope scope = new MemoryScope()) {
      AtomicReference<Tensor> made = new AtomicReference<>();
      Thread other = new Thread(() -> made.set(fresh()));
      other.start();
      other.join();
      scope.close();
      assertTrue(made.get().defined());
      made.get().close();
    }
  }

  @Test
  public void attachedResourcesCloseInReverseAndAddUpFailures() {
    List<String> order = new ArrayList<>();
    MemoryScope scope = new MemoryScope();
    Tensor t = fresh();
    scope.attach((AutoCloseable) () -> order.add("first"));
    scope.attach(
        (AutoCloseable)
            () -> {
              throw new IllegalArgumentException("second");
            });
    scope.attach(
        (AutoCloseable)
            () -> {
              order.add("third");
              throw new IllegalArgumentException("third");
            });
    RuntimeException error = assertThrows(IllegalArgumentException.class, scope::close);
    assertEquals("third", error.getMessage());
    assertEquals("second", error.getSuppressed()[0].getMessage());
    assertEquals(List.of("third", "first"), order);
    assertFalse(t.defined());
    scope.close();
  }

  @Test
  public void pointerScopeIsAScope() {
    Tensor t;
    try (PointerScope scope = new PointerScope()) {
      assertSame(scope, PointerScope.getInnerScope());
      t = fresh();
    }
    assertFalse(t.defined());
  }

  @Test
  public void graphAndGradientsOutliveTheScope() {
    Tensor w = tensor(new double[] {1, 2}, requires_grad(true));
    Tensor loss;
    try (MemoryScope scope = new MemoryScope()) {
      loss = w.mul(w).mul(3).sum().keep();
    }
    try (MemoryScope scope = new MemoryScope()) {
      loss.backward();
    }
    assertEquals("tensor([ 6., 12.])", w.grad().toString());
  }

  @Test
  public void guardLeftOpenEndsWithTheScope() {
    try (MemoryScope scope = new MemoryScope()) {
      new NoGradGuard();
      assertFalse(AutoGradMode.is_enabled());
    }
    assertTrue(AutoGradMode.is_enabled());
  }

  @Test
  public void collectorFreesWhatNobodyHolds() throws Exception {
    System.gc();
    Thread.sleep(100);
    long before = NativeMemory.liveTensors();
    for (int i = 0; i < 1000; i++) {
      fresh();
    }
    long deadline = System.nanoTime() + 20_000_000_000L;
    while (NativeMemory.liveTensors() > before + 100 && System.nanoTime() < deadline) {
      System.gc();
      Thread.sleep(20);
    }
    assertTrue(NativeMemory.liveTensors() <= before + 100);
    assertTrue(NativeMemory.collectedTensors() > 0);
  }

  @Test
  public void closeRacesWithUse() throws Exception {
    for (int round = 0; round < 300; round++) {
      Tensor shared = tensor(new double[1000]);
      AtomicBoolean go = new AtomicBoolean();
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread user =
          new Thread(
              () -> {
                while (!go.get()) {
                  Thread.onSpinWait();
                }
                try (MemoryScope scope = new MemoryScope()) {
                  while (true) {
                    Tensor sum = shared.add(1).sum();
                    if (sum.item_double() != 1000) {
                      throw new AssertionError("corrupted: " + sum);
                    }
                  }
                } catch (IllegalStateException e) {
                  // closed, as it had to come
                } catch (Throwable e) {
                  failure.set(e);
                }
              });
      user.start();
      go.set(true);
      Thread.onSpinWait();
      shared.close();
      user.join();
      if (failure.get() != null) {
        throw new AssertionError(failure.get());
      }
    }
  }

  @Test
  public void manyHandlesComeAndGo() {
    long before = NativeMemory.liveTensors();
    try (MemoryScope outer = new MemoryScope()) {
      Tensor x = fresh();
      for (int i = 0; i < 20_000; i++) {
        try (MemoryScope scope = new MemoryScope()) {
          x.add(1).mul(2);
        }
      }
      // The collector may have freed tensors of other tests meanwhile.
      assertTrue(NativeMemory.liveTensors() <= before + 1);
    }
  }
}
