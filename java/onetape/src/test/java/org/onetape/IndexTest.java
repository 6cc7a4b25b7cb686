package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;

public class IndexTest {
  private MemoryScope scope;
  private Tensor t;

  @Before
  public void open() {
    scope = new MemoryScope();
    t = tensor(new double[][] {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}});
  }

  @After
  public void close() {
    scope.close();
  }

  private static void assertElements(Tensor tensor, double... expected) {
    assertArrayEquals(expected, tensor.toDoubleArray(), 0);
  }

  @Test
  public void positionsRangesAndTensors() {
    assertElements(t.get(1), 3, 4, 5);
    assertElements(t.index(new TensorIndexVector(new TensorIndex(-1), new TensorIndex(0))), 6);
    assertElements(t.index(new TensorIndex(new Slice(1, 3)), new TensorIndex(1)), 4, 7);
    assertElements(
        t.index(new TensorIndex(new Slice(0, 3, 2)), new TensorIndex(new Slice(2, 3))), 2, 8);
    assertElements(t.index(new TensorIndex(tensor(2L, 0L))), 6, 7, 8, 0, 1, 2);
    assertElements(t.index(new TensorIndex("..."), new TensorIndex(2)), 2, 5, 8);
    assertArrayEquals(
        new long[] {1, 3, 3}, t.index(new TensorIndex(), new TensorIndex("...")).shape());
    assertElements(t.index(new TensorIndex(tensor(true, false, true))), 0, 1, 2, 6, 7, 8);
    TensorOptionalList columns =
        new TensorOptionalList(new TensorOptional(), new TensorOptional(tensor(0L)));
    assertElements(t.index(columns), 0, 3, 6);
    assertThrows(IndexOutOfBoundsException.class, () -> t.get(3));
  }

  @Test
  public void assignmentsChangeTheTensor() {
    t.index_put_(new TensorIndexVector(new TensorIndex(new Slice(1, 3))), tensor(9.0));
    assertElements(t, 0, 1, 2, 9, 9, 9, 9, 9, 9);
    t.index_put_(
        new TensorIndexVector(new TensorIndex(0), new TensorIndex(new Slice(0, 2))), new Scalar(7));
    assertElements(t.get(0), 7, 7, 2);
    t.slice(0, 0, 1, 1).copy_(tensor(1.0, 2.0, 3.0));
    assertElements(t.get(0), 1, 2, 3);
    t.narrow(1, 2, 1).fill_(0);
    assertElements(t, 1, 2, 0, 9, 9, 0, 9, 9, 0);
  }

  @Test
  public void assignmentsAreRecorded() {
    Tensor w = tensor(new double[] {5, 6}, requires_grad(true));
    Tensor base = t.mul(1);
    base.index_put_(new TensorIndexVector(new TensorIndex(new Slice(1, 3)), new TensorIndex(0)), w);
    base.mul(base).sum().backward();
    assertElements(w.grad(), 10, 12);
    assertEquals(0, w.size(0) - 2);
  }

  @Test
  public void indexersReachSingleElements() {
    DoubleIndexer all = t.createIndexer();
    assertEquals(5, all.get(1, 2), 0);
    assertEquals(6, all.get(2), 0);
    all.put(1, 2, 50);
    assertEquals(50, t.index(new TensorIndex(1), new TensorIndex(2)).item_double(), 0);
    DoubleIndexer turned = t.transpose(0, 1).createIndexer();
    assertEquals(50, turned.get(new long[] {2, 1}), 0);
    assertThrows(IndexOutOfBoundsException.class, () -> all.get(3));
    assertThrows(IndexOutOfBoundsException.class, () -> all.get(0, 0, 0));
    assertThrows(IndexOutOfBoundsException.class, () -> all.get(-1, 0));
    BooleanIndexer flags = tensor(true, false).createIndexer();
    flags.put(1, true);
    assertEquals(true, flags.get(1));
    UByteIndexer bytes = Tensor.create((byte) 200).createIndexer();
    assertEquals(200, bytes.get(0));
  }
}
