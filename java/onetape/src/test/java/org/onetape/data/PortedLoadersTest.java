package org.onetape.data;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.manual_seed;
import static org.onetape.global.torch.tensor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.MemoryScope;
import org.onetape.NativeMemory;
import org.onetape.PointerScope;
import org.onetape.SizeTOptional;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Programs written for JavaCPP's loaders, in their shape. */
public class PortedLoadersTest {
  private MemoryScope scope;

  @Before
  public void open() {
    scope = new MemoryScope();
  }

  @After
  public void close() {
    scope.close();
  }

  private static final class Numbers extends JavaDataset {
    @Override
    public Example get(long index) {
      return new Example(tensor((float) index), tensor((float) -index));
    }

    @Override
    public SizeTOptional size() {
      return new SizeTOptional(7);
    }
  }

  private static List<Integer> data(ExampleVector batch) {
    List<Integer> numbers = new ArrayList<>();
    for (long i = 0; i < batch.size(); i++) {
      int number = (int) batch.get(i).data().item_float();
      assertEquals(-number, batch.get(i).target().item_float(), 0);
      numbers.add(number);
    }
    return numbers;
  }

  @Test
  public void randomOrderIsTheCppLibrarys() {
    // JavaCPP's PyTorch 2.10 with this seed
    List<List<Integer>> expected =
        List.of(
            List.of(2, 6, 3),
            List.of(1, 5, 0),
            List.of(4),
            List.of(0, 6, 3),
            List.of(4, 2, 5),
            List.of(1));
    for (int workers = 0; workers < 3; workers++) {
      manual_seed(3);
      Numbers numbers = new Numbers();
      RandomSampler sampler = new RandomSampler(numbers.size().get());
      DataLoaderOptions options = new DataLoaderOptions(3);
      options.workers().put(workers);
      JavaRandomDataLoader loader = new JavaRandomDataLoader(numbers, sampler, options);
      List<List<Integer>> got = new ArrayList<>();
      for (int epoch = 0; epoch < 2; epoch++) {
        for (ExampleVectorIterator it = loader.begin();
            !it.equals(loader.end());
            it = it.increment()) {
          got.add(data(it.access()));
        }
      }
      assertEquals(expected, got);
      assertSame(options, loader.options());
      loader.join();
    }
  }

  @Test
  @SuppressWarnings({"rawtypes", "unchecked"})
  public void programsWithoutTypeParameters() {
    Dataset dataset =
        new Dataset() {
          @Override
          public Example get(long index) {
            return new Numbers().get(index);
          }

          @Override
          public SizeTOptional size() {
            return new SizeTOptional(5);
          }
        };
    SequentialDataLoader loader =
        new SequentialDataLoader(
            dataset,
            new SequentialSampler(dataset.size().get()),
            new DataLoaderOptions(2).drop_last(true));
    List<List<Integer>> got = new ArrayList<>();
    ExampleVectorIterator it = loader.begin();
    while (it.notEquals(loader.end())) {
      got.add(data(it.multiply()));
      it.increment();
    }
    assertEquals(List.of(List.of(0, 1), List.of(2, 3)), got);
    assertThrows(NoSuchElementException.class, it::access);
    RandomDataLoader random =
        new RandomDataLoader(dataset, new RandomSampler(5), new DataLoaderOptions(5));
    List<Integer> all = data(random.begin().access());
    Collections.sort(all);
    assertEquals(List.of(0, 1, 2, 3, 4), all);
  }

  @Test
  public void samplesWithoutTargets() {
    JavaTensorDataset dataset =
        new JavaTensorDataset() {
          @Override
          public TensorExample get(long index) {
            return new TensorExample(tensor((float) index));
          }

          @Override
          public SizeTOptional size() {
            return new SizeTOptional(3);
          }
        };
    SequentialTensorDataLoader loader =
        new SequentialTensorDataLoader(
            dataset, new SequentialSampler(3), new DataLoaderOptions(2).workers(1));
    int count = 0;
    for (TensorExampleVectorIterator it = loader.begin();
        !it.equals(loader.end());
        it.increment()) {
      TensorExampleVector batch = it.access();
      Tensor stacked = new TensorExampleStack().apply_batch(batch).data();
      assertEquals(count, stacked.min().item_int());
      count += (int) batch.size();
    }
    assertEquals(3, count);
    for (Object other :
        List.of(
            new JavaRandomTensorDataLoader(dataset, new RandomSampler(3), new DataLoaderOptions()),
            new RandomTensorDataLoader(dataset, new RandomSampler(3), new DataLoaderOptions()))) {
      assertEquals(1, ((RandomTensorDataLoaderBase) other).begin().access().size());
    }
    assertEquals(2, dataset.get_batch(0, 2).size());
  }

  @Test
  public void batchesOutliveTheScopeOfTheirLoopOnlyIfAskedFor() {
    long before = NativeMemory.liveTensors();
    try (PointerScope outer = new PointerScope()) {
      JavaSequentialDataLoader loader =
          new JavaSequentialDataLoader(
              new Numbers(), new SequentialSampler(7), new DataLoaderOptions(1).workers(2));
      Tensor last = null;
      for (ExampleVectorIterator it = loader.begin();
          !it.equals(loader.end());
          it = it.increment()) {
        try (PointerScope inner = new PointerScope()) {
          last = it.access().get(0).data();
        }
        assertFalse(last.defined());
      }
      loader.close();
    }
    assertTrue(NativeMemory.liveTensors() <= before); // some may have been left by other tests
  }

  @Test
  public void examples() {
    Tensor data = torch.ones(2);
    Example example = new Example(data, torch.zeros(1));
    data.close();
    example.data().close();
    assertEquals("tensor([1., 1.])", example.data().toString());
    example.target(tensor(5.0)).data(tensor(4.0));
    assertEquals("[4.0, 5.0]", example.toString());
    assertFalse(new Example().data().defined());
    assertThrows(IndexOutOfBoundsException.class, () -> new TensorExample(torch.ones(1)).target());

    ExampleVector vector = new ExampleVector(example, new Numbers().get(3));
    assertEquals(2, vector.size());
    assertEquals(3, vector.back().data().item_int());
    vector.push_back(new Numbers().get(4)).put(0, new Numbers().get(9));
    assertEquals(9, vector.front().data().item_int());
    assertEquals(3, vector.get().length);
    ExampleVector places = new ExampleVector(2);
    places.put(0, example).put(1, example);
    ExampleVector.Iterator it = places.begin();
    assertFalse(it.equals(places.end()));
    assertTrue(it.increment().increment().equals(places.end()));
    Example stacked = new ExampleStack().apply_batch(places);
    assertArrayEquals(new double[] {4, 4}, stacked.data().toDoubleArray(), 0);
    vector.clear();
    assertTrue(vector.empty());
    assertThrows(IllegalArgumentException.class, () -> new ExampleVector(-1));
  }

  /** Ten chunks of i + 1 examples, all numbered. */
  private static final class Chunks extends ChunkDataReader {
    int resets;

    @Override
    public ExampleVector read_chunk(long chunk) {
      ExampleVector examples = new ExampleVector();
      for (long i = 0; i <= chunk; i++) {
        long number = chunk * (chunk + 1) / 2 + i;
        examples.push_back(new Example(tensor((double) number), tensor((double) chunk)));
      }
      return examples;
    }

    @Override
    public long chunk_count() {
      return 10;
    }

    @Override
    public void reset() {
      resets++;
    }
  }

  @Test
  public void chunks() {
    long before = NativeMemory.liveTensors();
    try (PointerScope outer = new PointerScope()) {
      for (int preloaders = 0; preloaders < 2; preloaders++) {
        Chunks reader = new Chunks();
        ChunkDataset chunks =
            new ChunkDataset(
                reader,
                new RandomSampler(0),
                new RandomSampler(0),
                new ChunkDatasetOptions(preloaders, 8, 100, 3));
        ChunkMapDataset dataset = new ChunkSharedBatchDataset(chunks).map(new ExampleStack());
        ChunkRandomDataLoader loader = new ChunkRandomDataLoader(dataset, new DataLoaderOptions(8));
        List<List<Integer>> passes = new ArrayList<>();
        for (int epoch = 0; epoch < 2; epoch++) {
          List<Integer> numbers = new ArrayList<>();
          for (ExampleIterator it = loader.begin(); !it.equals(loader.end()); it = it.increment()) {
            Example batch = it.access();
            assertArrayEquals(batch.data().shape(), batch.target().shape());
            for (double number : batch.data().toDoubleArray()) {
              numbers.add((int) number);
            }
          }
          passes.add(numbers);
        }
        assertFalse(passes.get(0).equals(passes.get(1)));
        assertEquals(2, reader.resets);
        for (List<Integer> numbers : passes) {
          Collections.sort(numbers);
          assertEquals(55, numbers.size());
          assertEquals(Integer.valueOf(54), numbers.get(54));
        }
        loader.begin(); // and left
        loader.close();
        chunks.close();
      }
    }
    assertTrue(NativeMemory.liveTensors() <= before); // some may have been left by other tests
  }

  @Test
  public void chunksWantToBeAskedRightly() {
    ChunkDataset chunks =
        new ChunkDataset(
            new Chunks(),
            new SequentialSampler(0),
            new SequentialSampler(0),
            new ChunkDatasetOptions(0, 50));
    Exception error = assertThrows(IllegalStateException.class, chunks::get_batch);
    assertEquals("Dataset needs to call reset() before calling get_batch().", error.getMessage());
    chunks.reset();
    error = assertThrows(IllegalArgumentException.class, () -> chunks.get_batch(3));
    assertTrue(error.getMessage().startsWith("The requested batch size does not match"));
    assertEquals(50, chunks.get_batch().get().size());
    assertEquals(5, chunks.get_batch(50).get().size());
    assertFalse(chunks.get_batch().has_value());
    assertFalse(chunks.size().has_value());
    assertThrows(IllegalArgumentException.class, () -> new ChunkDatasetOptions(0, 0));
  }
}
