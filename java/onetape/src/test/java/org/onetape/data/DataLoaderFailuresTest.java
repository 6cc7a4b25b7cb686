package org.onetape.data;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.time.Duration;
import java.util.Iterator;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** What a loader does when a batch cannot be made. */
public class DataLoaderFailuresTest {
  private static final int[] WORKERS = {0, 1, 2, 3};
  private MemoryScope scope;

  @Before
  public void open() {
    scope = new MemoryScope();
  }

  @After
  public void close() {
    scope.close();
  }

  private static Dataset<Long> broken() {
    return Dataset.of(
        12,
        i -> {
          if (i == 7) {
            throw new IllegalStateException("seven");
          }
          return i;
        });
  }

  @Test
  public void errorsNameTheSample() {
    for (int workers : WORKERS) {
      DataLoaderOptions options = new DataLoaderOptions(2).workers(workers);
      Iterator<Batch> batches = new DataLoader<>(broken(), options).iterator();
      for (int i = 0; i < 3; i++) {
        batches.next();
      }
      DataLoaderException error = assertThrows(DataLoaderException.class, batches::next);
      String where = workers == 0 ? "DataLoader" : "DataLoader worker thread " + 3 % workers;
      assertEquals(
          "Caught IllegalStateException in " + where + " at sample 7: seven", error.getMessage());
      assertEquals("seven", error.getCause().getMessage());
      assertArrayEquals(new long[] {8, 9}, batches.next().data().toLongArray());
      assertArrayEquals(new long[] {10, 11}, batches.next().data().toLongArray());
      assertFalse(batches.hasNext());
    }
  }

  @Test
  public void errorsOfCollatingNameTheSamples() {
    Dataset<Tensor> uneven = Dataset.of(12, i -> torch.ones(i == 11 ? 3 : 2));
    Iterator<Batch> batches =
        new DataLoader<>(uneven, new DataLoaderOptions(12).workers(1)).iterator();
    Exception error = assertThrows(DataLoaderException.class, batches::next);
    assertTrue(
        error.getMessage(),
        error.getMessage().contains("at samples 0, 1, 2, 3, 4, 5, 6, 7, …: stack expects each"));
    assertFalse(batches.hasNext());
  }

  @Test
  public void whatEndsThreadsIsAnErrorToo() {
    Dataset<Long> overflowing = Dataset.of(2, DataLoaderFailuresTest::overflow);
    Iterator<Batch> batches =
        new DataLoader<>(overflowing, new DataLoaderOptions().workers(1)).iterator();
    Throwable error = assertThrows(DataLoaderException.class, batches::next).getCause();
    assertTrue(error instanceof StackOverflowError);
  }

  private static Long overflow(long i) {
    return i < 0 ? 0 : 1 + overflow(i + 1);
  }

  @Test
  public void timeouts() {
    DataLoaderOptions options = new DataLoaderOptions().workers(1).timeout(Duration.ofMillis(1500));
    try (DataLoader<Long> loader = new DataLoader<>(SlowDataset.of(3, 6000), options)) {
      Iterator<Batch> batches = loader.iterator();
      batches.next();
      Exception error = assertThrows(DataLoaderException.class, batches::next);
      assertEquals("DataLoader timed out after 1.5 seconds", error.getMessage());
    }
  }

  @Test
  public void interruptionsEndTheWaiting() {
    try (DataLoader<Long> loader =
        new DataLoader<>(SlowDataset.of(3, 500), new DataLoaderOptions().workers(1))) {
      Iterator<Batch> batches = loader.iterator();
      batches.next();
      Thread.currentThread().interrupt();
      assertThrows(DataLoaderException.class, batches::next);
      assertTrue(Thread.interrupted());
    }
  }
}
