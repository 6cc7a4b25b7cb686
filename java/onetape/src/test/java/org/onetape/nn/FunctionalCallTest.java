package org.onetape.nn;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.onetape.global.torch.tensor;

import java.util.Map;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.Autograd;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

public class FunctionalCallTest {
  private MemoryScope scope;
  private Tensor x;

  @Before
  public void open() {
    scope = new MemoryScope();
    x = tensor(1.0, 2.0);
  }

  @After
  public void close() {
    scope.close();
  }

  private static void assertElements(Tensor tensor, double... expected) {
    assertArrayEquals(expected, tensor.toDoubleArray(), 1e-12);
  }

  private static LinearImpl linear() {
    LinearImpl layer = new LinearImpl(2, 1);
    layer.to(ScalarType.Double, false);
    return layer;
  }

  @Test
  public void otherTensorsForTheLengthOfACall() {
    try (SequentialImpl net = new SequentialImpl(linear(), new TanhImpl())) {
      double before = net.forward(x).item_double();
      Tensor weight = tensor(new double[][] {{3, -1}});
      Tensor bias = tensor(new double[] {-1});
      Map<String, Tensor> tensors = Map.of("0.weight", weight, "0.bias", bias);
      assertElements(net.functionalCall(tensors, x), 0);
      assertEquals(2, net.functionalCall(tensors, () -> net.parameters().size()).longValue());
      assertElements(net.forward(x), before);
    }
  }

  @Test
  public void gradientsByParameters() {
    try (LinearImpl layer = linear()) {
      Tensor weight = tensor(new double[][] {{3, -1}});
      Tensor bias = tensor(new double[] {-1});
      Autograd.TensorFunction loss =
          in -> layer.functionalCall(Map.of("weight", in[0], "bias", in[1]), x).pow(2).sum();
      Tensor[] gradients = Autograd.grad(loss, 0, 1).apply(weight, bias.add(2));
      assertElements(gradients[0], 4, 8);
      assertElements(gradients[1], 4);
      assertElements(Autograd.hessian(loss, weight, bias)[0][0], 2, 4, 4, 8);
    }
  }

  private static final class Scaled extends Module {
    Scaled() {
      register_parameter("scale", tensor(2.0));
      register_buffer("shift", tensor(1.0));
    }

    @Override
    public Tensor forward(Tensor in) {
      return in.mul(registered("scale")).add(registered("shift"));
    }

    Tensor missing() {
      return registered("nothing");
    }
  }

  @Test
  public void modulesOfTheirOwn() {
    try (Scaled module = new Scaled()) {
      assertElements(module.forward(x), 3, 5);
      assertElements(module.functionalCall(Map.of("shift", tensor(10.0)), x), 12, 14);
      assertElements(module.forward(x), 3, 5);
      assertThrows(TorchException.class, module::missing);
    }
  }

  @Test
  public void tensorsOfSeveralNames() {
    Tensor shared = torch.ones(1, 2).to(ScalarType.Double);
    try (SequentialImpl net = new SequentialImpl(linear(), linear())) {
      ((LinearImpl) net.get(0)).weight(shared);
      ((LinearImpl) net.get(1)).weight(shared);
      Tensor one = tensor(new double[][] {{1, 0}});
      Tensor two = tensor(new double[][] {{0, 1}});
      Tensor last =
          net.functionalCall(
              Map.of("0.weight", one), () -> ((LinearImpl) net.get(1)).weight().clone());
      assertElements(last, 1, 0);
      assertThrows(
          IllegalArgumentException.class,
          () -> net.functionalCall(Map.of("0.weight", one, "1.weight", two), x));
    }
  }

  @Test
  public void errorsLeaveTheModuleAsItWas() {
    try (LinearImpl layer = linear()) {
      double before = layer.forward(x).item_double();
      assertEquals(
          "Linear has no parameter or buffer `nothing`",
          assertThrows(TorchException.class, () -> layer.functionalCall(Map.of("nothing", x), x))
              .getMessage());
      assertThrows(
          TorchException.class, () -> layer.functionalCall(Map.of("weight", torch.ones(3, 3)), x));
      assertThrows(IllegalArgumentException.class, () -> layer.functionalCall(Map.of()));
      assertElements(layer.forward(x), before);
    }
  }
}
