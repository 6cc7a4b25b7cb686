package org.onetape.operators;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.google.gson.JsonArray;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;
import org.onetape.Autograd;
import org.onetape.Checkpoint;
import org.onetape.MemoryScope;
import org.onetape.SavedTensorsHooks;
import org.onetape.Tensor;
import org.onetape.TensorHook;

/**
 * Gradients of every operator on other ways: under hooks, with saved tensors packed, under a
 * checkpoint, in place.
 */
@SuppressWarnings("try") // scopes only free what is made inside
@RunWith(Parameterized.class)
public class OperatorAutogradTest {
  private final GoldenCase golden;

  public OperatorAutogradTest(GoldenCase golden) {
    this.golden = golden;
  }

  @Parameters(name = "{0}")
  public static List<GoldenCase> cases() {
    return GoldenCase.all().stream()
        .filter(golden -> golden.has("grads") && golden.isDifferentiable() && golden.isWritable())
        .filter(golden -> List.of("float64", "complex128").contains(golden.dtype()))
        .filter(golden -> !golden.toString().contains("-mixed-"))
        .collect(Collectors.toList());
  }

  /** The case with leaves of its own. */
  private final class Call {
    final List<Tensor> leaves = new ArrayList<>();
    final Map<String, Object> given = Methods.arguments(golden, leaves);

    List<Tensor> results(Method method) {
      return Values.tensors(Methods.call(method, golden, given));
    }

    /** First and, where PyTorch has them, second gradients. */
    List<Tensor> gradients(List<Tensor> results) {
      boolean twice = golden.has("second");
      List<Tensor> outputs = recorded(results);
      List<Tensor> on = new ArrayList<>();
      for (int i = 0; i < results.size(); i++) {
        if (results.get(i).requires_grad()) {
          on.add(Values.cotangent(results.get(i), i));
        }
      }
      List<Tensor> found = new ArrayList<>(differentiated(outputs, on, twice));
      List<Tensor> squares =
          found.stream()
              .filter(gradient -> gradient.defined() && gradient.requires_grad())
              .map(gradient -> gradient.mul(gradient).sum())
              .collect(Collectors.toList());
      if (twice && !squares.isEmpty()) {
        found.addAll(differentiated(squares, null, false));
      }
      return found;
    }

    private List<Tensor> differentiated(List<Tensor> outputs, List<Tensor> on, boolean create) {
      Tensor[] none = new Tensor[0];
      return List.of(
          Autograd.grad(
              outputs.toArray(none),
              leaves.toArray(none),
              on == null ? null : on.toArray(none),
              create,
              create,
              true));
    }
  }

  private static List<Tensor> recorded(List<Tensor> results) {
    return results.stream().filter(Tensor::requires_grad).collect(Collectors.toList());
  }

  private Method method() {
    try (MemoryScope scope = new MemoryScope()) {
      List<Method> methods = Methods.find(golden);
      assertFalse("no method takes these arguments", methods.isEmpty());
      return methods.get(0);
    }
  }

  /** The same bits, but for a factor that is a power of two. */
  private static void assertSame(List<Tensor> expected, List<Tensor> found, double factor) {
    assertEquals(expected.size(), found.size());
    for (int i = 0; i < expected.size(); i++) {
      assertEquals("gradient " + i, expected.get(i).defined(), found.get(i).defined());
      if (expected.get(i).defined()) {
        double[] elements = Values.elements(expected.get(i).data());
        for (int k = 0; k < elements.length; k++) {
          elements[k] *= factor;
        }
        assertArrayEquals("gradient " + i, elements, Values.elements(found.get(i).data()), 0);
      }
    }
  }

  @Test
  public void hooks() {
    Method method = method();
    for (double factor : new double[] {1, 2}) {
      try (MemoryScope scope = new MemoryScope()) {
        Call plain = new Call();
        Call other = new Call();
        List<Tensor> results = other.results(method);
        int[] calls = new int[1];
        TensorHook hook =
            gradient -> {
              calls[0]++;
              return gradient.defined() ? gradient.mul(factor) : gradient;
            };
        recorded(results).forEach(result -> result.register_hook(hook));
        if (recorded(results).get(0).is_leaf()) {
          return; // a leaf came back: its gradient is the one before hooks
        }
        List<Tensor> expected = plain.gradients(plain.results(method));
        List<Tensor> found = other.gradients(results);
        assertTrue(calls[0] > 0);
        int firsts = plain.leaves.size();
        assertSame(expected.subList(0, firsts), found.subList(0, firsts), factor);
      }
    }
  }

  private void assertAlike(Method method, Call other, Supplier<List<Tensor>> run) {
    Call plain = new Call();
    List<Tensor> expected = plain.gradients(plain.results(method));
    assertSame(expected, other.gradients(run.get()), 1);
  }

  @Test
  public void savedTensorsPacked() {
    Method method = method();
    try (MemoryScope scope = new MemoryScope()) {
      Call call = new Call();
      assertAlike(
          method,
          call,
          () -> {
            try (SavedTensorsHooks hooks =
                new SavedTensorsHooks(Tensor::clone, packed -> ((Tensor) packed).clone())) {
              return call.results(method);
            }
          });
    }
  }

  @Test
  public void checkpoint() {
    Method method = method();
    try (MemoryScope scope = new MemoryScope()) {
      Call call = new Call();
      Checkpoint.Parts part = inputs -> call.results(method).toArray(new Tensor[0]);
      Checkpoint.Options options = new Checkpoint.Options().useReentrant(false);
      Tensor[] leaves = call.leaves.toArray(new Tensor[0]);
      assertAlike(method, call, () -> List.of(Checkpoint.checkpoint(part, options, leaves)));
    }
  }

  /** In place on a result, or on a view of one; the gradients are PyTorch's of the other form. */
  @Test
  public void inPlace() {
    if (!golden.hasForm("inplace")
        || golden.has("inplace_error")
        || !golden.beginsWithTensor()
        || golden.toString().contains("special(")
        || !fits()) {
      return;
    }
    Method method;
    try (MemoryScope scope = new MemoryScope()) {
      method = Methods.findInPlace(golden).get(0);
    }
    for (int view = 0; view < 2; view++) {
      try (MemoryScope scope = new MemoryScope()) {
        Call call = new Call();
        Tensor whole = ((Tensor) call.given.get("self")).mul(1);
        Tensor self = view == 0 ? whole : whole.view_as(whole);
        call.given.put("self", self);
        Methods.call(method, golden, call.given);
        assertStored(call, view == 0 ? self : whole);
      }
    }
  }

  /** Whether self can become the result. */
  private boolean fits() {
    String text =
        golden.content.getAsJsonArray("args").get(0).getAsJsonObject().get("shape").toString();
    return golden.content.get("result").isJsonObject()
        && golden.content.getAsJsonObject("result").get("shape").toString().equals(text)
        && golden
            .content
            .getAsJsonObject("result")
            .get("tensor")
            .getAsString()
            .equals(golden.dtype());
  }

  private void assertStored(Call call, Tensor changed) {
    List<Tensor> found = call.gradients(List.of(changed));
    JsonArray stored = new JsonArray();
    stored.addAll(golden.content.getAsJsonArray("grads"));
    if (golden.has("second")) {
      stored.addAll(golden.content.getAsJsonArray("second"));
    }
    for (int i = 0; i < found.size(); i++) {
      if (found.get(i).defined() && !stored.get(i).isJsonNull()) {
        Values.assertTensor(
            "gradient " + i, golden, stored.get(i).getAsJsonObject(), found.get(i), 10);
      }
    }
  }
}
