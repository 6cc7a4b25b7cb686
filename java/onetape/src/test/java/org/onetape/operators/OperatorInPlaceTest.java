package org.onetape.operators;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;

import com.google.gson.JsonObject;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;
import org.onetape.MemoryScope;

/** Operators in place: the tensor becomes the result, or the call is refused as in PyTorch. */
@SuppressWarnings("try") // scopes only free what is made inside
@RunWith(Parameterized.class)
public class OperatorInPlaceTest {
  private final GoldenCase golden;

  public OperatorInPlaceTest(GoldenCase golden) {
    this.golden = golden;
  }

  @Parameters(name = "{0}")
  public static List<GoldenCase> cases() {
    return GoldenCase.all().stream()
        .filter(golden -> golden.hasForm("inplace") && golden.succeeds())
        .filter(GoldenCase::isWritable)
        .filter(GoldenCase::beginsWithTensor) // a number has no methods
        .collect(Collectors.toList());
  }

  @Test
  public void inPlace() {
    List<Method> methods;
    try (MemoryScope scope = new MemoryScope()) {
      methods = Methods.findInPlace(golden);
    }
    assertFalse("no method takes these arguments", methods.isEmpty());
    for (Method method : methods) {
      try (MemoryScope scope = new MemoryScope()) {
        check(method);
      }
    }
  }

  private void check(Method method) {
    Map<String, Object> arguments = Methods.arguments(golden, null);
    if (golden.has("inplace_error")) {
      Values.assertFails(
          method.toString(),
          golden.content.getAsJsonArray("inplace_error"),
          () -> Methods.call(method, golden, arguments));
      return;
    }
    Object result = Methods.call(method, golden, arguments);
    assertSame(method.toString(), arguments.get("self"), result);
    JsonObject expected = golden.content.getAsJsonObject("result");
    if (expected.get("tensor").getAsString().equals(golden.dtype())) {
      Values.assertResult(method.toString(), golden, expected, result);
    }
  }
}
