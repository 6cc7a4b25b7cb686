package org.onetape.data;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.Generator;
import org.onetape.MemoryScope;
import org.onetape.NativeMemory;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

public class DataLoaderTest {
  private static final int[] WORKERS = {0, 1, 2, 3};
  private MemoryScope scope;

  @Before
  public void open() {
    scope = new MemoryScope();
  }

  @After
  public void close() throws InterruptedException {
    scope.close();
    await(() -> workers() == 0);
  }

  private static long workers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("onetape-data-"))
        .count();
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    for (int i = 0; i < 1000 && !condition.getAsBoolean(); i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertTrue(condition.getAsBoolean());
  }

  private static List<List<Long>> all(Iterable<Batch> loader) {
    List<List<Long>> batches = new ArrayList<>();
    for (Batch batch : loader) {
      batches.add(boxed(batch.data().toLongArray()));
    }
    return batches;
  }

  private static List<Long> boxed(long... values) {
    return LongStream.of(values).boxed().collect(Collectors.toList());
  }

  private static Dataset<Long> numbers(long size) {
    return Dataset.of(size, i -> i);
  }

  @Test
  public void batchesInOrder() {
    for (int workers : WORKERS) {
      DataLoaderOptions options = new DataLoaderOptions(3).workers(workers);
      DataLoader<Long> loader = new DataLoader<>(numbers(7), options);
      assertEquals(List.of(boxed(0, 1, 2), boxed(3, 4, 5), boxed(6)), all(loader));
      assertEquals(3, loader.size());
      options.drop_last(true);
      assertEquals(List.of(boxed(0, 1, 2), boxed(3, 4, 5)), all(loader));
      assertEquals(2, loader.size());
    }
    assertEquals(List.of(boxed(0), boxed(1)), all(new DataLoader<>(numbers(2))));
  }

  @Test
  public void randomOrderIsPythons() throws IOException {
    JsonArray passes =
        DataGolden.answer("loading")
            .getAsJsonObject()
            .getAsJsonArray("shuffled")
            .get(0)
            .getAsJsonArray();
    for (int workers : WORKERS) {
      torch.manual_seed(11);
      DataLoaderOptions options = new DataLoaderOptions(4).shuffle(true).workers(workers);
      DataLoader<Long> loader = new DataLoader<>(numbers(10), options);
      // Python's samples draw a random number each, here as well where there are no workers.
      for (JsonElement pass : passes) {
        List<List<Long>> expected = new ArrayList<>();
        for (JsonElement batch : pass.getAsJsonArray()) {
          JsonElement data = batch.getAsJsonObject().getAsJsonObject("n").get("data");
          expected.add(boxed(DataGolden.longs(data)));
        }
        assertEquals(expected, all(loader));
        torch.rand(10);
      }
    }
  }

  @Test
  public void ownGeneratorsOrderIsPythons() throws IOException {
    JsonArray passes =
        DataGolden.answer("loading")
            .getAsJsonObject()
            .getAsJsonArray("own generator")
            .get(0)
            .getAsJsonArray();
    Generator generator = new Generator(7);
    DataLoaderOptions options = new DataLoaderOptions(4).shuffle(true).generator(generator);
    DataLoader<Long> loader = new DataLoader<>(numbers(10), options);
    for (JsonElement pass : passes) {
      JsonElement first = pass.getAsJsonArray().get(0).getAsJsonObject().get("n");
      long[] expected = DataGolden.longs(first.getAsJsonObject().get("data"));
      assertEquals(boxed(expected), all(loader).get(0));
    }
  }

  @Test
  public void tensorsInColumns() {
    Tensor x = torch.arange(12).reshape(6, 2);
    Tensor y = torch.arange(6).mul(new Scalar(10));
    TensorDataset data = new TensorDataset(x, y);
    scope.detach(x).close(); // the dataset has references of its own
    for (int workers : WORKERS) {
      DataLoaderOptions options = new DataLoaderOptions(4).workers(workers);
      Iterator<Batch> batches = new DataLoader<>(data, options).iterator();
      Batch first = batches.next();
      assertArrayEquals(new long[] {4, 2}, first.data().shape());
      assertArrayEquals(new long[] {0, 10, 20, 30}, first.target().toLongArray());
      Batch last = batches.next();
      assertArrayEquals(new long[] {8, 9, 10, 11}, last.data().toLongArray());
      assertEquals(2, last.size());
      assertFalse(batches.hasNext());
    }
    // One after the other gives the same as all at once.
    Batch stacked = Collation.standard(data.getBatch(1, 5));
    Batch gathered = Batch.of(data.gather(new long[] {1, 5}));
    assertTrue(torch.equal(stacked.data(), gathered.data()));
    assertTrue(torch.equal(stacked.target(), gathered.target()));
  }

  @Test
  public void otherSamples() {
    Dataset<Map<String, Object>> maps =
        Dataset.of(3, i -> Map.of("n", i, "x", i / 2.0, "t", "text " + i, "a", new float[] {i}));
    Batch batch = new DataLoader<>(maps, new DataLoaderOptions(3)).iterator().next();
    assertEquals(Set.of("n", "x", "t", "a"), new HashSet<>(batch.names()));
    assertArrayEquals(new long[] {0, 1, 2}, batch.get("n").toLongArray());
    assertEquals(ScalarType.Double, batch.get("x").scalar_type());
    assertArrayEquals(new long[] {3, 1}, batch.get("a").shape());
    assertEquals(List.of("text 0", "text 1", "text 2"), batch.values("t"));
    assertThrows(IllegalArgumentException.class, () -> batch.get("t"));
    assertThrows(IllegalArgumentException.class, () -> batch.values("n"));
    assertThrows(IllegalArgumentException.class, () -> batch.get("z"));

    Dataset<Object[]> rows = Dataset.of(2, i -> new Object[] {torch.ones(2), i == 0, "s"});
    Batch columns = new DataLoader<>(rows, new DataLoaderOptions(2)).iterator().next();
    assertArrayEquals(new long[] {2, 2}, columns.data().shape());
    assertEquals(ScalarType.Bool, columns.get(1).scalar_type());
    assertEquals(List.of("s", "s"), columns.values(2));
    assertThrows(IndexOutOfBoundsException.class, () -> columns.get(3));
  }

  @Test
  public void ownCollation() {
    DataLoader<Long> loader = new DataLoader<>(numbers(4), new DataLoaderOptions(2).workers(2));
    loader.collation(
        samples -> Batch.of(torch.tensor(samples.stream().mapToLong(n -> n * n).sum())));
    List<Long> sums = new ArrayList<>();
    loader.forEach(batch -> sums.add(batch.data().item_long()));
    assertEquals(List.of(1L, 13L), sums);
  }

  @Test
  public void datasetsOfDatasets() {
    Dataset<Long> squares = numbers(4).map(n -> n * n);
    Dataset<Long> some = squares.concat(numbers(2)).subset(5, 0, 3);
    assertEquals(boxed(1, 0, 9), some.stream().collect(Collectors.toList()));
    assertEquals(3, some.count());
    Dataset<Long> sums = some.zip(numbers(3), Long::sum);
    assertEquals(boxed(1, 1, 11), sums.stream().collect(Collectors.toList()));
    assertThrows(IllegalArgumentException.class, () -> some.zip(numbers(4), Long::sum));
    IterableDataset<Long> stream = numbers(2)::iterator;
    assertEquals(
        List.of(boxed(0, 1, 0), boxed(1)),
        all(new DataLoader<>(stream.concat(stream), new DataLoaderOptions(3))));
    assertThrows(IndexOutOfBoundsException.class, () -> some.get(3));
    assertThrows(IndexOutOfBoundsException.class, () -> numbers(2).get(-1));
    assertEquals(List.of("a", "b"), Dataset.of(List.of("a", "b")).getBatch(0, 1));
    TensorDataset tensors = new TensorDataset(torch.arange(5));
    Batch batch =
        new DataLoader<>(tensors.subset(4, 2), new DataLoaderOptions(2)).iterator().next();
    assertArrayEquals(new long[] {4, 2}, batch.data().toLongArray());
    assertEquals(1, batch.columns());
    Exception error =
        assertThrows(
            IllegalArgumentException.class, () -> new TensorDataset(torch.ones(2), torch.ones(3)));
    assertEquals("Size mismatch between tensors", error.getMessage());
  }

  @Test
  public void streamsAreShared() {
    IterableDataset<Long> stream =
        () -> {
          WorkerInfo info = WorkerInfo.current();
          int step = info == null ? 1 : info.numWorkers();
          int start = info == null ? 0 : info.id();
          return LongStream.range(0, 7).filter(i -> i % step == start).iterator();
        };
    assertEquals(
        List.of(boxed(0, 1, 2), boxed(3, 4, 5), boxed(6)),
        all(new DataLoader<>(stream, new DataLoaderOptions(3))));
    // PyTorch's answers for two workers
    DataLoaderOptions two = new DataLoaderOptions(2).workers(2);
    assertEquals(
        List.of(boxed(0, 2), boxed(1, 3), boxed(4, 6), boxed(5)),
        all(new DataLoader<>(stream, two)));
    two.drop_last(true);
    assertEquals(
        List.of(boxed(0, 2), boxed(1, 3), boxed(4, 6)), all(new DataLoader<>(stream, two)));
    assertThrows(UnsupportedOperationException.class, new DataLoader<>(stream, two)::size);
    assertThrows(
        IllegalArgumentException.class,
        () -> new DataLoader<>(stream, new DataLoaderOptions().shuffle(true)));
  }

  @Test
  public void threadsWorkAtTheSameTime() {
    CyclicBarrier allAreInside = new CyclicBarrier(4);
    Dataset<Long> meeting =
        Dataset.of(
            8,
            i -> {
              try {
                allAreInside.await(60, TimeUnit.SECONDS);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
              return i;
            });
    assertEquals(8, all(new DataLoader<>(meeting, new DataLoaderOptions().workers(4))).size());
  }

  @Test
  public void outOfOrder() {
    Dataset<Long> first =
        Dataset.of(
            8,
            i -> {
              SlowDataset.of(2, 2000).get(i == 0 ? 1 : 0);
              return i;
            });
    DataLoaderOptions options = new DataLoaderOptions().workers(2).enforce_ordering(false);
    List<Long> got = new ArrayList<>();
    all(new DataLoader<>(first, options)).forEach(got::addAll);
    assertNotEquals(Long.valueOf(0), got.get(0));
    Collections.sort(got);
    assertEquals(boxed(0, 1, 2, 3, 4, 5, 6, 7), got);
  }

  @Test
  public void closingEndsTheWorkers() throws InterruptedException {
    DataLoader<Long> loader =
        new DataLoader<>(SlowDataset.of(1000, 1), new DataLoaderOptions().workers(2));
    for (Batch batch : loader) {
      assertEquals(1, batch.size());
      break;
    }
    assertEquals(2, workers());
    loader.close();
    await(() -> workers() == 0);
    try (Stream<Batch> stream = loader.stream()) {
      assertEquals(3, stream.limit(3).count());
    }
    await(() -> workers() == 0);
    loader.close();
  }

  @Test
  public void theCollectorEndsForgottenWorkers() throws InterruptedException {
    DataLoaderOptions options = new DataLoaderOptions().workers(2);
    Iterator<Batch> batches = new DataLoader<>(SlowDataset.of(1000, 1), options).iterator();
    batches.next();
    WeakReference<Object> seen = new WeakReference<>(batches);
    batches = null;
    await(() -> seen.get() == null && workers() == 0);
    assertNull(batches);
  }

  @Test
  public void batchesBelongToTheConsumersScope() throws InterruptedException {
    long before = NativeMemory.liveTensors();
    for (int workers : WORKERS) {
      DataLoaderOptions options = new DataLoaderOptions(2).workers(workers);
      Dataset<Tensor> data = Dataset.of(20, i -> torch.ones(3).add(torch.ones(3)));
      try (DataLoader<Tensor> loader = new DataLoader<>(data, options)) {
        Iterator<Batch> batches = loader.iterator();
        Tensor kept;
        Tensor dropped;
        try (MemoryScope inner = new MemoryScope()) {
          kept = batches.next().data().keep();
          dropped = batches.next().data();
        }
        assertTrue(kept.defined());
        assertFalse(dropped.defined());
        kept.close();
        loader.forEach(batch -> assertTrue(batch.data().defined()));
      }
    }
    await(() -> workers() == 0 && NativeMemory.liveTensors() <= before);
  }

  @Test
  public void workersKnowWhoTheyAre() {
    Set<Long> numbers = Collections.synchronizedSet(new HashSet<>());
    List<List<Double>> passes = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      torch.manual_seed(3);
      Dataset<Double> random =
          Dataset.of(
              6,
              n -> {
                WorkerInfo info = WorkerInfo.current();
                numbers.add((long) info.id());
                assertEquals(2, info.numWorkers());
                try (Tensor drawn = torch.empty(1).normal_(0, 1, info.generator())) {
                  return info.random().nextDouble() + drawn.item_double();
                }
              });
      List<Double> drawn = new ArrayList<>();
      new DataLoader<>(random, new DataLoaderOptions().workers(2))
          .forEach(batch -> drawn.add(batch.data().item_double()));
      passes.add(drawn);
    }
    assertEquals(Set.of(0L, 1L), numbers);
    assertEquals(passes.get(0), passes.get(1));
    assertEquals(6, new HashSet<>(passes.get(0)).size());
    assertNull(WorkerInfo.current());
  }

  @Test
  public void impossibleOptions() {
    Dataset<Long> data = numbers(3);
    for (DataLoaderOptions options :
        Arrays.asList(
            new DataLoaderOptions(0),
            new DataLoaderOptions(-5),
            new DataLoaderOptions().workers(-1),
            new DataLoaderOptions().workers(1L << 40),
            new DataLoaderOptions().workers(1).max_jobs(0),
            new DataLoaderOptions().timeout(Duration.ofSeconds(-1)))) {
      Exception error =
          assertThrows(IllegalArgumentException.class, () -> new DataLoader<>(data, options));
      assertTrue(error.getMessage().startsWith("DataLoaderOptions: "));
    }
    Sampler sampler = new SequentialSampler(3);
    DataLoaderOptions shuffled = new DataLoaderOptions().shuffle(true);
    assertThrows(IllegalArgumentException.class, () -> new DataLoader<>(data, sampler, shuffled));
    assertSame(shuffled, shuffled.batch_size(2));
  }
}
