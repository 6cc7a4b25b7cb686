package org.onetape.operators;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assume.assumeTrue;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;
import org.onetape.Autograd;
import org.onetape.ForwardAD;
import org.onetape.MemoryScope;
import org.onetape.Tensor;

/** Forward mode of every operator: cotangents times tangents are gradients times directions. */
@SuppressWarnings("try") // scopes only free what is made inside
@RunWith(Parameterized.class)
public class OperatorTangentsTest {
  private final GoldenCase golden;

  public OperatorTangentsTest(GoldenCase golden) {
    this.golden = golden;
  }

  @Parameters(name = "{0}")
  public static List<GoldenCase> cases() {
    return GoldenCase.all().stream()
        .filter(golden -> golden.has("grads") && golden.isDifferentiable() && golden.isWritable())
        .filter(golden -> golden.dtype().equals("float64"))
        .filter(golden -> golden.content.get("variant").getAsString().equals("plain"))
        .filter(golden -> !golden.toString().contains("special("))
        .filter(
            golden -> // those without a second derivative
            !golden
                    .toString()
                    .matches("embedding\\(.*True.*|ctc_loss.*|.*scale_grad_by_freq=True.*"))
        .collect(Collectors.toList());
  }

  @Test
  public void tangent() {
    try (MemoryScope scope = new MemoryScope()) {
      Method method = Methods.find(golden).get(0);
      List<Tensor> leaves = new ArrayList<>();
      List<Tensor> results = call(method, Methods.arguments(golden, leaves));
      List<Tensor> on = new ArrayList<>();
      List<Tensor> outputs = new ArrayList<>();
      for (int i = 0; i < results.size(); i++) {
        if (results.get(i).requires_grad()) {
          outputs.add(results.get(i));
          on.add(Values.cotangent(results.get(i), i));
        }
      }
      Tensor[] none = new Tensor[0];
      Tensor[] inputs = leaves.toArray(none);
      Tensor[] gradients =
          Autograd.grad(outputs.toArray(none), inputs, on.toArray(none), false, false, true);
      double expected = 0;
      for (int i = 0; i < inputs.length; i++) {
        if (gradients[i].defined()) {
          expected += inner(gradients[i], Values.cotangent(inputs[i].detach(), 5 + i));
        }
      }
      double measured = alongDirections(method, on);
      assertEquals(expected, measured, 1e-9 * Math.max(1, Math.abs(expected)));
    }
  }

  private List<Tensor> call(Method method, Map<String, Object> arguments) {
    return Values.tensors(Methods.call(method, golden, arguments));
  }

  /** The tangents of the results that have a gradient, each times its cotangent. */
  private double alongDirections(Method method, List<Tensor> on) {
    try (ForwardAD level = new ForwardAD()) {
      List<Tensor> leaves = new ArrayList<>();
      Map<String, Object> arguments = Methods.arguments(golden, leaves);
      List<Tensor> left = new ArrayList<>(leaves);
      arguments.replaceAll((name, value) -> dual(value, leaves, left));
      assumeTrue("an operand is made from its leaf by other operators", left.isEmpty());
      double sum = 0;
      int place = 0;
      for (Tensor result : call(method, arguments)) {
        Tensor tangent = ForwardAD.unpackDual(result).tangent();
        if (tangent.defined()) {
          sum += inner(tangent, on.get(place++));
        }
      }
      assertEquals("results with tangents", on.size(), place);
      return sum;
    }
  }

  private static Object dual(Object value, List<Tensor> leaves, List<Tensor> left) {
    if (value instanceof List) {
      return ((List<?>) value)
          .stream().map(item -> dual(item, leaves, left)).collect(Collectors.toList());
    }
    for (int i = 0; i < leaves.size(); i++) {
      if (leaves.get(i) == value) {
        left.remove(leaves.get(i));
        Tensor plain = leaves.get(i).detach();
        assertFalse(plain.requires_grad());
        return ForwardAD.makeDual(plain, Values.cotangent(plain, 5 + i));
      }
    }
    return value;
  }

  private static double inner(Tensor a, Tensor b) {
    return a.detach().mul(b).sum().item_double();
  }
}
