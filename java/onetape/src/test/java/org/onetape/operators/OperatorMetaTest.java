package org.onetape.operators;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;
import org.onetape.Autograd;
import org.onetape.Device;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.global.torch;

/**
 * Every operator on the device {@code meta}: results and gradients have the shapes, strides,
 * element types and nodes that they have on the CPU.
 */
@SuppressWarnings("try") // scopes only free what is made inside
@RunWith(Parameterized.class)
public class OperatorMetaTest {
  /** Operators the shape or value of whose result the elements decide. */
  private static final Set<String> BY_ELEMENTS =
      Set.of(
          "argwhere",
          "bincount",
          "masked_select",
          "nonzero",
          "unique",
          "unique_consecutive",
          "_unique2");

  private static final Device META = new Device("meta");

  private final GoldenCase golden;

  public OperatorMetaTest(GoldenCase golden) {
    this.golden = golden;
  }

  @Parameters(name = "{0}")
  public static List<GoldenCase> cases() {
    return GoldenCase.all().stream()
        .filter(golden -> golden.succeeds() && golden.isWritable() && hasTensor(golden))
        .collect(Collectors.toList());
  }

  private static boolean hasTensor(GoldenCase golden) {
    return golden.content.get("args").toString().contains("{\"tensor\"");
  }

  @Test
  public void withoutElements() {
    Method method;
    try (MemoryScope scope = new MemoryScope()) {
      List<Method> methods = Methods.find(golden);
      assertFalse("no method takes these arguments", methods.isEmpty());
      method = methods.get(0);
    }
    try (MemoryScope scope = new MemoryScope()) {
      check(method);
    }
  }

  private void check(Method method) {
    boolean differentiate = golden.has("grads") && golden.isDifferentiable();
    List<Tensor> leaves = new ArrayList<>();
    Map<String, Object> given = Methods.arguments(golden, differentiate ? leaves : null);
    List<Tensor> twins = new ArrayList<>();
    Map<String, Object> onMeta = new LinkedHashMap<>();
    given.forEach(
        (name, value) -> onMeta.put(name, name.equals("batch_sizes") ? value : twin(value, twins)));
    Object result = Methods.call(method, golden, given);
    if (BY_ELEMENTS.contains(golden.name()) || Values.tensors(result).isEmpty()) {
      assertThrows(RuntimeException.class, () -> Methods.call(method, golden, onMeta));
      return;
    }
    List<Tensor> expected = Values.tensors(result);
    List<Tensor> actual = results(method, onMeta);
    if (actual == null) {
      return;
    }
    assertAlike(expected, actual);
    if (differentiate && leaves.size() == twins.size()) {
      assertAlike(gradients(expected, leaves), gradients(actual, twins));
    }
  }

  /** Null where the arguments, not the operator alone, make elements decide. */
  private List<Tensor> results(Method method, Map<String, Object> onMeta) {
    try {
      return Values.tensors(Methods.call(method, golden, onMeta));
    } catch (RuntimeException e) {
      String text = Values.errorText(e);
      assertTrue(
          text,
          text.contains("Tensor.item() cannot be called on meta tensors")
              || text.contains(": attempted to run this operator with Meta tensors"));
      assertTrue(
          text,
          Set.of("index_put", "narrow", "one_hot", "repeat_interleave", "where")
              .contains(golden.name()));
      return null;
    }
  }

  /** The argument with its tensors on meta; leaves are added to the list. */
  private static Object twin(Object value, List<Tensor> twins) {
    if (value instanceof List) {
      List<Object> list = new ArrayList<>();
      ((List<?>) value).forEach(item -> list.add(twin(item, twins)));
      return list;
    }
    if (value instanceof TensorOptions) {
      return ((TensorOptions) value).device(META);
    }
    if (!(value instanceof Tensor)) {
      return value;
    }
    Tensor tensor = (Tensor) value;
    TensorOptions options = new TensorOptions(tensor.scalar_type()).device(META);
    long[] strides = tensor.strides().toArray();
    if (!tensor.is_leaf() && !tensor.is_contiguous()) { // a view of a copy, as Values makes it
      Tensor leaf = torch.empty(new long[] {tensor.numel()}, options).requires_grad_(true);
      twins.add(leaf);
      return leaf.clone().as_strided(tensor.shape(), strides);
    }
    Tensor made = torch.empty_strided(tensor.shape(), strides, options);
    if (tensor.requires_grad()) {
      twins.add(made.requires_grad_(true));
    }
    return tensor.is_leaf() ? made : made.clone();
  }

  private static List<Tensor> gradients(List<Tensor> results, List<Tensor> leaves) {
    List<Tensor> outputs = new ArrayList<>();
    List<Tensor> on = new ArrayList<>();
    for (Tensor result : results) {
      if (result.requires_grad()) {
        outputs.add(result);
        on.add(torch.ones_like(result));
      }
    }
    return List.of(
        Autograd.grad(
            outputs.toArray(new Tensor[0]),
            leaves.toArray(new Tensor[0]),
            on.toArray(new Tensor[0]),
            false,
            false,
            true));
  }

  private static void assertAlike(List<Tensor> expected, List<Tensor> actual) {
    assertEquals(expected.size(), actual.size());
    for (int i = 0; i < expected.size(); i++) {
      Tensor one = expected.get(i);
      Tensor other = actual.get(i);
      assertEquals(one.defined(), other.defined());
      if (!one.defined()) {
        continue;
      }
      assertTrue(other.is_meta());
      assertArrayEquals(one.shape(), other.shape());
      assertArrayEquals(one.strides().toArray(), other.strides().toArray());
      assertEquals(one.scalar_type(), other.scalar_type());
      assertEquals(one.requires_grad(), other.requires_grad());
      assertEquals(one.grad_fn().name(), other.grad_fn().name());
    }
  }
}
