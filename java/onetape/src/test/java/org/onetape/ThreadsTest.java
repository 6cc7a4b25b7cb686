package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.Test;
import org.onetape.global.torch;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.MSELossImpl;
import org.onetape.nn.ReLUImpl;
import org.onetape.nn.SequentialImpl;
import org.onetape.optim.Adam;

public class ThreadsTest {
  private static final int THREADS = 16;

  /** Runs a task in many threads at once, and throws what one of them threw. */
  private static void inThreads(Runnable task) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        running.add(pool.submit(task));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      pool.shutdown();
    }
  }

  @Test
  public void sharedParametersGetEveryGradient() throws Exception {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor shared = tensor(new double[] {1, 2, 3}, requires_grad(true));
      Tensor table = tensor(new double[][] {{1, 1, 1}, {2, 2, 2}});
      int steps = 200;
      inThreads(
          () -> {
            for (int i = 0; i < steps; i++) {
              try (MemoryScope step = new MemoryScope()) {
                shared.mul(table.get(i % 2)).sum().backward();
              }
            }
          });
      double sum = THREADS * steps * 1.5;
      assertArrayEquals(new double[] {sum, sum, sum}, shared.grad().toDoubleArray(), 0);
    }
  }

  @Test
  public void eachThreadTrainsItsOwnModel() throws Exception {
    long before = NativeMemory.liveTensors();
    inThreads(
        () -> {
          try (MemoryScope scope = new MemoryScope();
              SequentialImpl model =
                  new SequentialImpl(new LinearImpl(4, 8), new ReLUImpl(), new LinearImpl(8, 1));
              Adam optimizer = new Adam(model.parameters(), 0.01)) {
            Tensor x = torch.randn(16, 4);
            Tensor y = x.sum(new long[] {1}, true);
            MSELossImpl loss = new MSELossImpl();
            double first = 0;
            double last = 0;
            for (int i = 0; i < 150; i++) {
              try (MemoryScope step = new MemoryScope()) {
                optimizer.zero_grad();
                Tensor value = loss.apply(model.forward(x), y);
                value.backward();
                optimizer.step();
                last = value.item_double();
                first = i == 0 ? last : first;
              }
            }
            if (!(last < first / 2)) {
              throw new AssertionError("loss went from " + first + " to " + last);
            }
          }
        });
    assertEquals(0, Math.max(0, NativeMemory.liveTensors() - before));
  }
}
