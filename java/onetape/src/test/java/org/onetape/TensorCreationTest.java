package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.from_blob;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.nio.FloatBuffer;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

public class TensorCreationTest {
  private MemoryScope scope;

  @Before
  public void open() {
    scope = new MemoryScope();
  }

  @After
  public void close() {
    scope.close();
  }

  private static void check(Tensor tensor, ScalarType type, long... shape) {
    assertEquals(type, tensor.scalar_type());
    assertArrayEquals(shape, tensor.shape());
  }

  @Test
  public void numbersAndArraysKeepTheirType() {
    check(tensor(1.5), ScalarType.Double);
    check(tensor(1.5f), ScalarType.Float);
    check(tensor(1), ScalarType.Int);
    check(tensor(1L), ScalarType.Long);
    check(tensor((short) 1), ScalarType.Short);
    check(tensor((byte) -1), ScalarType.Char);
    check(tensor(true), ScalarType.Bool);
    check(tensor(1.0, 2.0), ScalarType.Double, 2);
    check(tensor(new float[3]), ScalarType.Float, 3);
    check(tensor(new int[0]), ScalarType.Int, 0);
    check(tensor(new boolean[][] {{true}, {false}}), ScalarType.Bool, 2, 1);
    check(tensor(new double[2][3]), ScalarType.Double, 2, 3);
    check(tensor(new long[2][3][4]), ScalarType.Long, 2, 3, 4);
    check(tensor(new float[1][2][3][4][5][6]), ScalarType.Float, 1, 2, 3, 4, 5, 6);
    check(tensor(new float[2][0]), ScalarType.Float, 2, 0);
    assertEquals(-1, tensor((byte) -1).item_long());
  }

  @Test
  public void elementsAreInOrder() {
    float[][] rows = {{1, 2, 3}, {4, 5, 6}};
    assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6}, tensor(rows).toFloatArray(), 0);
    long[][][] cube = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    assertArrayEquals(new long[] {1, 2, 3, 4, 5, 6, 7, 8}, tensor(cube).toLongArray());
    assertArrayEquals(new double[] {1, 2}, tensor(1, 2).toDoubleArray(), 0);
    assertArrayEquals(new boolean[] {true, false}, tensor(true, false).toBooleanArray());
  }

  @Test
  public void unevenRowsAreNamed() {
    IllegalArgumentException error =
        assertThrows(
            IllegalArgumentException.class,
            () -> tensor(new float[][][] {{{1}, {2}}, {{3}, {4, 5}}}));
    assertEquals("tensor: row [1][1] has 2 elements, but the first row has 1", error.getMessage());
    assertThrows(IllegalArgumentException.class, () -> tensor(new float[][] {{1}, {}}));
    assertThrows(IllegalArgumentException.class, () -> tensor(new float[][] {{1}, null}));
  }

  @Test
  public void optionsChangeTypeAndDifferentiation() {
    Tensor w = tensor(new float[] {1, 2}, requires_grad(true).dtype(ScalarType.Double));
    check(w, ScalarType.Double, 2);
    assertTrue(w.requires_grad());
    assertTrue(w.is_leaf());
    assertFalse(tensor(1.0, requires_grad(false)).requires_grad());
    check(tensor(new long[] {1}, new TensorOptions(ScalarType.Float)), ScalarType.Float, 1);
    TorchException error =
        assertThrows(TorchException.class, () -> tensor(new long[] {1}, requires_grad(true)));
    assertEquals(
        "Only Tensors of floating point and complex dtype can require gradients",
        error.getMessage());
  }

  @Test
  public void pointersWithOneElementMakeNumbers() {
    check(tensor(new DoublePointer(2.0)), ScalarType.Double);
    check(tensor(new DoublePointer(2.0, 3.0)), ScalarType.Double, 2);
    check(tensor(new LongPointer(1L, 2L)), ScalarType.Long, 2);
    check(tensor(new FloatPointer(4)), ScalarType.Float, 4);
    check(tensor(new FloatPointer(4).limit(1)), ScalarType.Float);
  }

  @Test
  public void blobsShareMemory() {
    FloatPointer memory = new FloatPointer(1, 2, 3, 4, 5, 6);
    Tensor blob = from_blob(memory, 2, 3);
    blob.mul_(2);
    assertEquals(12, memory.get(5), 0);
    memory.put(0, 100);
    assertEquals(100, blob.get(0).get(0).item_float(), 0);
    Tensor columns = from_blob(memory, new long[] {3, 2}, 1, 3);
    assertArrayEquals(new float[] {100, 8, 4, 10, 6, 12}, columns.toFloatArray(), 0);
    Tensor longs = from_blob(new LongPointer(7, 8), new long[] {2}, torch.dtype(torch.kLong()));
    assertEquals(8, longs.get(1).item_long());
    assertThrows(IllegalArgumentException.class, () -> from_blob(memory, 7));
    assertThrows(RuntimeException.class, () -> from_blob(memory, -1));
  }

  @Test
  public void blobKeepsItsMemoryAlive() {
    Tensor blob = from_blob(new FloatPointer(1, 2, 3), 3);
    for (int i = 0; i < 3; i++) {
      System.gc();
      new FloatPointer(new float[1000]);
    }
    assertArrayEquals(new float[] {1, 2, 3}, blob.toFloatArray(), 0);
  }

  @Test
  public void memoryOutlivesTheTensor() {
    Tensor t = tensor(1f, 2f, 3f);
    FloatPointer memory = t.data_ptr_float();
    FloatBuffer buffer = t.createBuffer();
    t.close();
    System.gc();
    assertEquals(3, memory.get(2), 0);
    assertEquals(2, buffer.get(1), 0);
    assertEquals(3, buffer.remaining());
  }

  @Test
  public void memoryOfAViewStartsAtItsFirstElement() {
    Tensor t = tensor(1.0, 2.0, 3.0);
    assertEquals(2.0, t.slice(0, 1, 3, 1).data_ptr_double().get(), 0);
    assertThrows(TorchException.class, t::data_ptr_float);
  }

  @Test
  public void createTakesNumbersAndShapes() {
    check(Tensor.create(1, 2, 3), ScalarType.Int, 3);
    check(Tensor.create(new double[] {1, 2, 3, 4}, 2, 2), ScalarType.Double, 2, 2);
    check(Tensor.create((byte) 200), ScalarType.Byte, 1);
    assertEquals(200, Tensor.create((byte) 200).item_long());
    check(Tensor.create(true, false), ScalarType.Bool, 2);
    IllegalArgumentException error =
        assertThrows(IllegalArgumentException.class, () -> Tensor.create(new float[5], 2, 3));
    assertEquals("shape '[2, 3]' is invalid for input of size 5", error.getMessage());
  }

  @Test
  public void hugeSizesAreErrors() {
    assertThrows(RuntimeException.class, () -> torch.zeros(1L << 40, 1L << 40));
    assertThrows(RuntimeException.class, () -> torch.zeros(-1));
    assertThrows(OutOfNativeMemoryException.class, () -> torch.empty(1L << 45));
    assertEquals(4, torch.zeros(2, 2).numel());
  }

  @Test
  public void otherDevicesAreNamedInTheError() {
    TorchException error =
        assertThrows(
            TorchException.class,
            () -> torch.zeros(new long[] {1}, torch.device(new Device("cuda"))));
    assertTrue(error.getMessage(), error.getMessage().contains("CUDA"));
    assertThrows(TorchException.class, () -> tensor(1.0).cuda());
    assertEquals(1.0, tensor(1.0).cpu().item_double(), 0);
  }
}
