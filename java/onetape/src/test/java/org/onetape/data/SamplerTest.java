package org.onetape.data;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.Generator;
import org.onetape.MemoryScope;
import org.onetape.SizeTOptional;
import org.onetape.global.torch;

public class SamplerTest {
  private MemoryScope scope;
  private JsonObject expected;

  @Before
  public void open() {
    scope = new MemoryScope();
  }

  @After
  public void close() {
    scope.close();
  }

  private static Dataset<Long> numbers(long size) {
    return Dataset.of(size, i -> i);
  }

  private static long after(Generator generator) {
    return Draws.numbers(1L << 31, 1, generator)[0];
  }

  private void check(String name, Sampler sampler, Generator generator) {
    JsonArray answer = expected.getAsJsonArray(name);
    long[] got = Sampler.take(sampler.iterator(), Long.MAX_VALUE);
    assertArrayEquals(name, DataGolden.longs(answer.get(0)), got);
    assertEquals(name, answer.get(1).getAsLong(), sampler.size());
    assertEquals(name, answer.get(2).getAsLong(), after(generator));
  }

  @Test
  public void ordersArePyTorchs() throws IOException {
    expected = DataGolden.answer("samplers").getAsJsonObject();
    torch.manual_seed(5);
    Dataset<Long> ten = numbers(10);
    Dataset<Long> five = numbers(5);
    check("sequential", new SequentialSampler(4), null);
    check("random", new RandomSampler(ten), null);
    check("fewer", new RandomSampler(ten, false, 4, null), null);
    check("more", new RandomSampler(five, false, 13, null), null);
    check("twice", new RandomSampler(five, false, 10, null), null);
    check("replacement", new RandomSampler(ten, true, 70, null), null);
    for (long count : new long[] {3, 10, 20, 25}) {
      Generator own = new Generator(7);
      check("own generator " + count, new RandomSampler(ten, false, count, own), own);
    }
    Generator own = new Generator(7);
    check("own replacement", new RandomSampler(ten, true, 64, own), own);
    check("subset", new SubsetRandomSampler(5, 3, 8, 1), null);
    after(null); // the one of the letters
    double[] weights = {0.1, 0.9, 0.4, 0.7, 3.0, 0.6};
    check("weighted", new WeightedRandomSampler(weights, 12), null);
    check("weighted once", once(weights), null);
    check("weighted own", new WeightedRandomSampler(weights, 6, true, new Generator(7)), null);
  }

  @Test
  public void sharesArePyTorchs() throws IOException {
    expected = DataGolden.answer("samplers").getAsJsonObject();
    for (boolean shuffle : new boolean[] {false, true}) {
      for (boolean dropLast : new boolean[] {false, true}) {
        for (int rank = 0; rank < 3; rank++) {
          DistributedSampler sampler =
              new DistributedSampler(numbers(11), 3, rank, shuffle, 4, dropLast);
          sampler.set_epoch(2);
          String name =
              String.format(
                  "share %s %s %d", shuffle ? "True" : "False", dropLast ? "True" : "False", rank);
          checkShare(name, sampler);
        }
      }
    }
    checkShare("small shares", new DistributedSampler(numbers(2), 5, 4, false, 0, false));
    assertEquals(4, new DistributedSampler(numbers(11), 3, 2).size());
    assertFalse(new DistributedSampler(numbers(0), 3, 2).iterator().hasNext());
    Exception error =
        assertThrows(
            IllegalArgumentException.class, () -> new DistributedSampler(numbers(3), 2, 2));
    assertEquals("Invalid rank 2, rank should be in the interval [0, 1]", error.getMessage());
  }

  private void checkShare(String name, Sampler sampler) {
    JsonArray answer = expected.getAsJsonArray(name);
    long[] got = Sampler.take(sampler.iterator(), Long.MAX_VALUE);
    assertArrayEquals(name, DataGolden.longs(answer.get(0)), got);
    assertEquals(name, answer.get(1).getAsLong(), sampler.size());
  }

  /** The weights come there as a tensor of floats. */
  private static Sampler once(double[] weights) {
    double[] rounded = new double[weights.length];
    for (int i = 0; i < rounded.length; i++) {
      rounded[i] = (float) weights[i];
    }
    return new WeightedRandomSampler(rounded, 5, false, null);
  }

  @Test
  public void batchesArePyTorchs() throws IOException {
    expected = DataGolden.answer("samplers").getAsJsonObject();
    for (boolean dropLast : new boolean[] {false, true}) {
      BatchSampler sampler = new BatchSampler(new SequentialSampler(10), 3, dropLast);
      JsonArray answer = expected.getAsJsonArray(dropLast ? "full batches" : "batches");
      List<List<Long>> batches = new ArrayList<>();
      sampler.forEach(batch -> batches.add(boxed(batch)));
      List<List<Long>> theirs = new ArrayList<>();
      for (JsonElement batch : answer.get(0).getAsJsonArray()) {
        theirs.add(boxed(DataGolden.longs(batch)));
      }
      assertEquals(theirs, batches);
      assertEquals(answer.get(1).getAsLong(), sampler.size());
    }
  }

  private static List<Long> boxed(long[] values) {
    List<Long> list = new ArrayList<>();
    for (long value : values) {
      list.add(value);
    }
    return list;
  }

  @Test
  public void splitsArePyTorchs() throws IOException {
    JsonArray answers = DataGolden.answer("splits").getAsJsonArray();
    torch.manual_seed(9);
    checkSplit(answers.get(0), numbers(10).randomSplit(3, 7));
    checkSplit(answers.get(1), numbers(10).randomSplit(new Generator(7), 3, 7));
    checkSplit(answers.get(2), numbers(30).randomSplit(new Generator(7), 0.3, 0.3, 0.4));
    checkSplit(answers.get(3), numbers(11).randomSplit(0.5, 0.25, 0.25));
    checkSplit(answers.get(4), numbers(2).randomSplit(0.5, 0.3, 0.2));
    Exception error =
        assertThrows(IllegalArgumentException.class, () -> numbers(3).randomSplit(1, 1));
    assertEquals(
        "Sum of input lengths does not equal the length of the input dataset!", error.getMessage());
    error = assertThrows(IllegalArgumentException.class, () -> numbers(3).randomSplit(1.5, -0.5));
    assertEquals("Fraction at index 0 is not between 0 and 1", error.getMessage());
    assertThrows(IllegalArgumentException.class, () -> numbers(3).randomSplit(0.5, 0.6));
  }

  private static void checkSplit(JsonElement answer, List<Dataset<Long>> parts) {
    JsonArray expected = answer.getAsJsonArray().get(0).getAsJsonArray();
    assertEquals(expected.size(), parts.size());
    for (int i = 0; i < parts.size(); i++) {
      long[] got = parts.get(i).stream().mapToLong(n -> n).toArray();
      assertArrayEquals(DataGolden.longs(expected.get(i)), got);
    }
  }

  @Test
  public void portionsComeFromTheDefaultGenerator() {
    // The C++ sampler draws a permutation when it is made, and another one when it is reset.
    torch.manual_seed(3);
    long[] first = Draws.permutation(7, null);
    long[] second = Draws.permutation(7, null);
    torch.manual_seed(3);
    RandomSampler sampler = new RandomSampler(7);
    assertArrayEquals(first, sampler.next(100).get().get());
    assertFalse(sampler.next(1).has_value());
    torch.manual_seed(3);
    sampler = new RandomSampler(7);
    sampler.reset();
    assertArrayEquals(LongStream.of(second).limit(3).toArray(), sampler.next(3).get().get());
    assertEquals(4, sampler.next(5).get().size());
    assertFalse(sampler.next(1).has_value());
  }

  @Test
  public void sequentialPortions() {
    SequentialSampler sampler = new SequentialSampler(5);
    assertEquals("[0, 1]", sampler.next(2).get().toString());
    assertEquals(2, sampler.next(2).get().get(0));
    assertEquals(1, sampler.next(2).get().size());
    assertFalse(sampler.next(2).has_value());
    sampler.reset(new SizeTOptional(2));
    assertEquals("[0, 1]", sampler.next(9).get().toString());
    sampler.reset();
    assertEquals("[0, 1]", sampler.next(9).get().toString());
    assertThrows(IllegalArgumentException.class, () -> sampler.next(0));
  }

  @Test
  public void impossibleNumbers() {
    Dataset<Long> three = numbers(3);
    Exception error =
        assertThrows(
            IllegalArgumentException.class, () -> new RandomSampler(three, false, -1, null));
    assertEquals(
        "num_samples should be a positive integer value, but got num_samples=-1",
        error.getMessage());
    assertThrows(IllegalArgumentException.class, () -> new SequentialSampler(-1));
    assertThrows(IllegalArgumentException.class, () -> new RandomSampler(numbers(0)));
    Sampler sampler = new SequentialSampler(3);
    error = assertThrows(IllegalArgumentException.class, () -> new BatchSampler(sampler, 0, false));
    assertEquals(
        "batch_size should be a positive integer value, but got batch_size=0", error.getMessage());
  }
}
