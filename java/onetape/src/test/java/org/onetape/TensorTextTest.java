package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import org.junit.Test;

public class TensorTextTest {
  private static String alternate(Object value) {
    StringBuilder format = new StringBuilder("%#s"); // checkers do not know that # may stand here
    return String.format(format.toString(), value);
  }

  @Test
  public void plainFormHasNoType() {
    assertEquals("7.0", tensor(7.0).toString());
    assertEquals("7", tensor(7L).toString());
    assertEquals("tensor([3., 3.])", String.format("%s", tensor(3.0, 3.0)));
    assertEquals("tensor([3., 3.])", tensor(3f, 3f).toString());
    assertEquals("tensor([1, 2], dtype=torch.int32)", tensor(1, 2).toString());
    assertEquals("tensor([ True, False])", tensor(true, false).toString());
    assertEquals("tensor([2.])", tensor(new double[] {2}, requires_grad(true)).toString());
  }

  @Test
  public void alternateFormTellsAll() {
    Tensor x = tensor(new double[] {1, 2}, requires_grad(true));
    assertEquals("tensor([1., 2.], dtype=torch.float64, requires_grad=True)", alternate(x));
    assertEquals("tensor([2., 4.], dtype=torch.float64, grad_fn=<MulBackward0>)", x.mul(2).repr());
    assertEquals("tensor(7.)", tensor(7f).repr());
  }

  @Test
  public void widthAndPrecisionWork() {
    Tensor x = tensor(7.0);
    assertEquals("[   7.0]", String.format("[%6s]", x));
    assertEquals("[7.0   ]", String.format("[%-6s]", x));
    assertEquals("7.", String.format("%.2s", x));
    assertEquals("TENSOR([1.])", String.format("%S", tensor(new float[] {1})));
  }

  @Test
  public void undefinedPrintsNone() {
    assertEquals("None", new Tensor().toString());
    assertEquals("None", String.format("%s", tensor(1.0).grad()));
    assertEquals("None", tensor(1.0).grad_fn().toString());
    assertFalse(tensor(1.0).grad().defined());
    Tensor closed = tensor(1.0);
    closed.close();
    assertEquals("tensor(<closed>)", closed.toString());
  }

  @Test
  public void equalityGoesByTheTensor() {
    Tensor x = tensor(1.0);
    Tensor same = new Tensor(x);
    assertEquals(x, same);
    assertEquals(x.hashCode(), same.hashCode());
    assertNotEquals(x, tensor(1.0));
    assertEquals(new Tensor(), new Tensor());
    assertTrue(x.is_same(same));
    same.close();
    assertNotEquals(x, same);
    assertEquals(1.0, x.item_double(), 0);
  }

  @Test
  public void itemsConvert() {
    assertEquals(2.5, tensor(2.5f).item().toDouble(), 0);
    assertEquals(2, tensor(2.5f).item_long());
    assertTrue(tensor(3).item_bool());
    assertEquals(3, tensor(3).item().toLong());
    assertTrue(tensor(true).item().isBoolean());
  }
}
