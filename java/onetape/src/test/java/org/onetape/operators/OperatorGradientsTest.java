package org.onetape.operators;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;
import org.onetape.Autograd;
import org.onetape.MemoryScope;
import org.onetape.Tensor;

/** First and second gradients of every operator are PyTorch's, and so are the graph's nodes. */
@SuppressWarnings("try") // scopes only free what is made inside
@RunWith(Parameterized.class)
public class OperatorGradientsTest {
  private final GoldenCase golden;

  public OperatorGradientsTest(GoldenCase golden) {
    this.golden = golden;
  }

  @Parameters(name = "{0}")
  public static List<GoldenCase> cases() {
    return GoldenCase.all().stream()
        .filter(golden -> golden.has("grads") && golden.isDifferentiable() && golden.isWritable())
        .collect(Collectors.toList());
  }

  @Test
  public void gradient() {
    List<Method> methods;
    try (MemoryScope scope = new MemoryScope()) {
      methods = Methods.find(golden);
    }
    assertFalse("no method takes these arguments", methods.isEmpty());
    try (MemoryScope scope = new MemoryScope()) {
      check(methods.get(0));
    }
  }

  private void check(Method method) {
    List<Tensor> leaves = new ArrayList<>();
    List<Tensor> results =
        Values.tensors(Methods.call(method, golden, Methods.arguments(golden, leaves)));
    List<Tensor> outputs = new ArrayList<>();
    List<Tensor> cotangents = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      Tensor result = results.get(i);
      if (result.requires_grad()) {
        outputs.add(result);
        cotangents.add(Values.cotangent(result, i));
      }
    }
    assertNodes(results);
    boolean twice = golden.has("second");
    Tensor[] inputs = leaves.toArray(new Tensor[0]);
    Tensor[] firsts = gradients(outputs, inputs, cotangents, twice);
    assertGradients("gradient", golden.content.getAsJsonArray("grads"), firsts);
    if (twice) {
      List<Tensor> squares = new ArrayList<>();
      for (Tensor gradient : firsts) {
        if (gradient.defined() && gradient.requires_grad()) {
          squares.add(gradient.mul(gradient).sum());
        }
      }
      Tensor[] seconds =
          squares.isEmpty() ? undefined(inputs.length) : gradients(squares, inputs, null, false);
      assertGradients("second gradient", golden.content.getAsJsonArray("second"), seconds);
    }
  }

  private static Tensor[] gradients(
      List<Tensor> outputs, Tensor[] inputs, List<Tensor> cotangents, boolean createGraph) {
    Tensor[] on = cotangents == null ? null : cotangents.toArray(new Tensor[0]);
    return Autograd.grad(
        outputs.toArray(new Tensor[0]), inputs, on, createGraph, createGraph, true);
  }

  private static Tensor[] undefined(int count) {
    Tensor[] none = new Tensor[count];
    for (int i = 0; i < count; i++) {
      none[i] = new Tensor();
    }
    return none;
  }

  /** No gradient is as good as zeros. */
  private void assertGradients(String what, JsonArray expected, Tensor[] actual) {
    assertEquals(what + "s", expected.size(), actual.length);
    for (int i = 0; i < actual.length; i++) {
      String which = what + " of input " + i;
      boolean isStored = !expected.get(i).isJsonNull();
      if (actual[i].defined() && isStored) {
        Values.assertTensor(which, golden, expected.get(i).getAsJsonObject(), actual[i], 10);
      } else if (actual[i].defined()) {
        for (double value : actual[i].data().toDoubleArray()) {
          assertEquals(which + ": PyTorch has none", 0, value, 0);
        }
      } else if (isStored) {
        for (JsonElement value : expected.get(i).getAsJsonObject().getAsJsonArray("data")) {
          assertEquals(which + ": none", 0, value.getAsDouble(), 0);
        }
      }
    }
  }

  private void assertNodes(List<Tensor> results) {
    JsonElement stored = golden.content.get("result");
    for (int i = 0; i < results.size(); i++) {
      JsonObject one =
          (stored.isJsonArray() ? stored.getAsJsonArray().get(i) : stored).getAsJsonObject();
      String name = results.get(i).grad_fn().name().replaceAll(".*::", "");
      String expected = one.has("node") ? one.get("node").getAsString() : "None";
      // A star stands for any node.
      assertEquals("node", expected, expected.equals("*") && !name.equals("None") ? "*" : name);
    }
  }
}
