package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.Test;

public class PointerTest {
  @Test
  public void aNumberIsASizeAndSeveralAreValues() {
    assertEquals(3, new LongPointer(3).capacity());
    assertEquals(0, new LongPointer(3).get(2));
    assertArrayEquals(new long[] {3, 4}, new LongPointer(3, 4).toArray());
    assertEquals(2.5, new DoublePointer(2.5).get(), 0);
    assertEquals(1, new DoublePointer(2.5).capacity());
  }

  @Test
  public void elementsAreRelativeToThePosition() {
    FloatPointer p = new FloatPointer(1, 2, 3, 4);
    p.position(1);
    assertEquals(2, p.get(), 0);
    assertEquals(4, p.get(2), 0);
    p.put(9);
    assertArrayEquals(new float[] {9, 3, 4}, p.toArray(), 0);
    float[] part = new float[2];
    p.get(part);
    assertArrayEquals(new float[] {9, 3}, part, 0);
    assertEquals(3, p.asBuffer().remaining());
    assertEquals(3, p.getPointer(1).get(), 0);
    assertEquals(12, p.asByteBuffer().remaining());
  }

  @Test
  public void everyAccessIsChecked() {
    IntPointer p = new IntPointer(1, 2);
    assertThrows(IndexOutOfBoundsException.class, () -> p.get(2));
    assertThrows(IndexOutOfBoundsException.class, () -> p.get(-1));
    assertThrows(IndexOutOfBoundsException.class, () -> p.put(2, 0));
    assertThrows(IndexOutOfBoundsException.class, () -> p.get(new int[3]));
    assertThrows(IllegalArgumentException.class, () -> p.position(3));
    assertThrows(IllegalArgumentException.class, () -> new IntPointer(-1L));
    p.close();
    assertTrue(p.isNull());
    assertThrows(IllegalStateException.class, p::get);
    assertThrows(IllegalStateException.class, () -> new IntPointer().get());
    assertTrue(Pointer.isNull(null));
  }

  @Test
  public void casesShareMemory() {
    IntPointer ints = new IntPointer(1, 2);
    BytePointer bytes = new BytePointer(ints);
    assertEquals(8, bytes.capacity());
    bytes.zero();
    assertEquals(0, ints.get(1));
    ByteBuffer direct = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder());
    BytePointer view = new BytePointer(direct);
    view.put(0, (byte) 7);
    assertEquals(7, direct.get(0));
    BytePointer copy = new BytePointer(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    assertArrayEquals(new byte[] {1, 2, 3}, copy.getStringBytes());
  }

  @Test
  public void textEndsWithAZero() {
    BytePointer text = new BytePointer("mul ∂");
    assertEquals("mul ∂", text.getString());
    assertEquals(0, text.get(text.capacity() - 1));
    assertEquals("mul", new BytePointer(text).limit(3).getString());
  }

  @Test
  public void booleansTakeAByteEach() {
    BoolPointer p = new BoolPointer(true, false);
    assertTrue(p.get());
    assertFalse(p.get(1));
    p.put(1, true);
    boolean[] all = new boolean[2];
    p.get(all);
    assertArrayEquals(new boolean[] {true, true}, all);
  }

  @Test
  public void copiesAreBounded() {
    LongPointer target = new LongPointer(2);
    target.put(new LongPointer(5, 6));
    assertEquals(6, target.get(1));
    assertThrows(IndexOutOfBoundsException.class, () -> target.put(new LongPointer(1, 2, 3)));
    assertThrows(
        IndexOutOfBoundsException.class, () -> Pointer.memcpy(target, new LongPointer(5, 6), 17));
  }
}
