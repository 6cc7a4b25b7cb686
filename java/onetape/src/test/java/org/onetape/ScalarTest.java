package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;
import org.onetape.global.torch.ScalarType;

public class ScalarTest {
  @Test
  public void kindFollowsTheConstructor() {
    assertEquals(ScalarType.Double, new Scalar(2.0).type());
    assertEquals(ScalarType.Double, new Scalar(2f).type());
    assertEquals(ScalarType.Long, new Scalar(2).type());
    assertEquals(ScalarType.Long, new Scalar(2L).type());
    assertEquals(ScalarType.Long, new Scalar((short) 2).type());
    assertEquals(ScalarType.Long, new Scalar((byte) 2).type());
    assertEquals(ScalarType.Bool, new Scalar(true).type());
  }

  @Test
  public void convertsBetweenKinds() {
    assertEquals(2, new Scalar(2.9).toLong());
    assertEquals(3.0, new Scalar(3).toDouble(), 0);
    assertEquals(1.0, new Scalar(true).toDouble(), 0);
    assertTrue(new Scalar(0.1).toBool());
    assertFalse(new Scalar(0).toBool());
    assertEquals(Long.MAX_VALUE, new Scalar(Long.MAX_VALUE).toLong());
    assertEquals(7.5f, new Scalar(7.5).toFloat(), 0);
  }

  @Test
  public void refusesWhatDoesNotFit() {
    assertThrows(ArithmeticException.class, () -> new Scalar(1L << 40).toInt());
    assertThrows(ArithmeticException.class, () -> new Scalar(40_000).toShort());
    assertThrows(ArithmeticException.class, () -> new Scalar(-1).toByte());
    assertEquals((byte) 200, new Scalar(200).toByte());
  }

  @Test
  public void equalityIncludesTheKind() {
    assertEquals(new Scalar(2), new Scalar(2L));
    assertEquals(new Scalar(2).hashCode(), new Scalar(2L).hashCode());
    assertNotEquals(new Scalar(2), new Scalar(2.0));
    assertEquals("2.0", new Scalar(2.0).toString());
    assertEquals("true", new Scalar(true).toString());
  }
}
