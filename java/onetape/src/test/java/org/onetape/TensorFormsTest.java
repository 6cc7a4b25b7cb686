package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

public class TensorFormsTest {
  private MemoryScope scope;

  @Before
  public void open() {
    scope = new MemoryScope();
  }

  @After
  public void close() {
    scope.close();
  }

  private static void assertMessage(String message, Tensor t, UnaryOperator<Tensor> f) {
    assertEquals(message, assertThrows(TorchException.class, () -> f.apply(t)).getMessage());
  }

  @Test
  public void transposedForms() {
    Tensor matrix = tensor(new double[][] {{1, 2, 3}, {4, 5, 6}});
    double[] turned = {1, 4, 2, 5, 3, 6};
    assertArrayEquals(turned, matrix.T().contiguous().toDoubleArray(), 0);
    assertArrayEquals(turned, matrix.mT().contiguous().toDoubleArray(), 0);
    assertArrayEquals(turned, matrix.H().contiguous().toDoubleArray(), 0);
    assertArrayEquals(new long[] {4, 3, 2}, torch.ones(2, 3, 4).T().shape());
    assertArrayEquals(new long[] {2, 4, 3}, torch.ones(2, 3, 4).mH().shape());
    Tensor vector = tensor(1.0, 2.0);
    String batches = " is only supported on matrices or batches of matrices. Got 1-D tensor.";
    assertMessage("tensor.mT" + batches, vector, Tensor::mT);
    assertMessage("tensor.mH" + batches, vector, Tensor::mH);
    assertMessage(
        "tensor.H is only supported on matrices (2-D tensors). Got 1-D tensor.", vector, Tensor::H);
  }

  @Test
  public void otherElementTypes() {
    Tensor x = tensor(1.5f, 2.5f);
    assertEquals(ScalarType.Half, x.half().scalar_type());
    assertEquals(ScalarType.BFloat16, x.bfloat16().scalar_type());
    assertEquals(ScalarType.ComplexFloat, x.cfloat().scalar_type());
    assertEquals(ScalarType.ComplexDouble, x.cdouble().scalar_type());
    assertEquals(ScalarType.Long, x.type_as(tensor(1L)).scalar_type());
  }

  @Test
  public void whereTakesFromBoth() {
    Tensor x = tensor(new double[] {1, -2, 3}, requires_grad(true));
    Tensor positive = x.where(x.gt(new Scalar(0)), new Scalar(0));
    assertArrayEquals(new double[] {1, 0, 3}, positive.toDoubleArray(), 0);
    x.where(x.gt(new Scalar(0)), x.mul(10)).sum().backward();
    assertArrayEquals(new double[] {1, 10, 1}, x.grad().toDoubleArray(), 0);
  }

  @Test
  public void newTensorsAreLikeThisOne() {
    Tensor x = tensor(new double[] {0}, requires_grad(true));
    assertEquals("tensor([1., 2.], dtype=torch.float64)", x.new_tensor(new float[] {1, 2}).repr());
    assertArrayEquals(new long[] {2, 3}, x.new_tensor(new int[2][3]).shape());
    for (Object number : new Object[] {3, 3L, (short) 3, (byte) 3, 3f, 3.0}) {
      Tensor one = x.new_tensor(number);
      assertEquals(ScalarType.Double, one.scalar_type());
      assertEquals(0, one.dim());
      assertEquals(3, one.item_double(), 0);
    }
    assertEquals("True", tensor(false).new_tensor(true).repr().replaceAll(".*\\((.*)\\)", "$1"));
    Tensor copy = tensor(1L).new_tensor(x);
    assertEquals(ScalarType.Long, copy.scalar_type());
    assertFalse(copy.requires_grad());
    Tensor chosen =
        x.new_tensor(new long[] {1}, new TensorOptions(ScalarType.Float).requires_grad(true));
    assertEquals(ScalarType.Float, chosen.scalar_type());
    assertTrue(chosen.requires_grad() && chosen.is_leaf());
    assertThrows(IllegalArgumentException.class, () -> x.new_tensor("text"));
    assertThrows(IllegalArgumentException.class, () -> x.new_tensor(null));
    assertThrows(IllegalArgumentException.class, () -> x.new_tensor(new double[][] {{1}, {1, 2}}));
  }

  @Test
  public void operatorsThatFailLeaveTheirTensorAlone() {
    Tensor x = torch.arange(new Scalar(100_003));
    Tensor before = x.clone();
    Tensor divisor = torch.full_like(x, new Scalar(7));
    divisor.narrow(0, 100_002, 1).zero_();
    for (UnaryOperator<Tensor> operator :
        List.<UnaryOperator<Tensor>>of(
            t -> t.floor_divide_(divisor),
            t -> t.remainder_(divisor),
            t -> t.fmod_(divisor),
            t -> t.index_fill_(0, before.add(new Scalar(5)), new Scalar(9)))) {
      assertThrows(RuntimeException.class, () -> operator.apply(x));
      assertTrue(torch.equal(before, x));
      assertEquals(0, x._version());
    }
    assertEquals(
        "ZeroDivisionError",
        assertThrows(TorchException.class, () -> x.remainder_(divisor)).getMessage());
  }

  @Test
  public void questions() {
    Tensor x = tensor(new double[][] {{1, 2}, {3, 1}});
    assertArrayEquals(new double[] {1, 2, 3}, x.unique().toDoubleArray(), 0);
    assertEquals(2, x.ndim());
    assertEquals(4, x.nelement());
    assertEquals(8, x.itemsize());
    assertEquals(-1, x.get_device());
    assertTrue(x.is_signed() && !tensor(true).is_signed());
    assertFalse(x.is_mps() || x.is_meta() || x.is_quantized());
    assertTrue(x.is_same_size(torch.ones(2, 2)) && !x.is_same_size(tensor(1.0)));
    assertTrue(x.is_set_to(x.detach()) && !x.is_set_to(x.clone()) && !x.is_set_to(x.T()));
    assertTrue(tensor(0.5).is_nonzero() && !tensor(new long[] {0}).is_nonzero());
    String text = "Boolean value of Tensor with %s is ambiguous";
    assertEquals(
        String.format(text, "more than one value"),
        assertThrows(TorchException.class, x::is_nonzero).getMessage());
    Tensor none = torch.ones(0);
    assertEquals(
        String.format(text, "no values"),
        assertThrows(TorchException.class, none::is_nonzero).getMessage());
  }
}
