package org.onetape.operators;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;

import com.google.gson.JsonArray;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;
import org.onetape.MemoryScope;
import org.onetape.TorchException;
import org.onetape.TypeException;

/**
 * Every operator, sample and element type, through every overload that takes the arguments: the
 * value is PyTorch's, or the call fails as it fails there.
 */
@SuppressWarnings("try") // scopes only free what is made inside
@RunWith(Parameterized.class)
public class OperatorValuesTest {
  private static final Map<String, Class<? extends RuntimeException>> EXCEPTIONS =
      Map.of(
          "IndexError", IndexOutOfBoundsException.class,
          "ValueError", IllegalArgumentException.class,
          "TypeError", TypeException.class,
          "NotImplementedError", UnsupportedOperationException.class);

  private final GoldenCase golden;

  public OperatorValuesTest(GoldenCase golden) {
    this.golden = golden;
  }

  @Parameters(name = "{0}")
  public static List<GoldenCase> cases() {
    return GoldenCase.all().stream().filter(GoldenCase::isWritable).collect(Collectors.toList());
  }

  @Test
  public void value() {
    List<Method> methods;
    try (MemoryScope scope = new MemoryScope()) {
      methods = Methods.find(golden);
    }
    assertFalse("no method takes these arguments", methods.isEmpty());
    for (Method method : methods) {
      try (MemoryScope scope = new MemoryScope()) {
        check(method);
      }
    }
  }

  private void check(Method method) {
    JsonArray error = golden.error();
    if (error != null) {
      Class<? extends RuntimeException> expected =
          EXCEPTIONS.getOrDefault(error.get(0).getAsString(), TorchException.class);
      RuntimeException thrown =
          assertThrows(method.toString(), expected, () -> Methods.call(method, golden, null));
      String message = String.valueOf(thrown.getMessage());
      assertEquals(method.toString(), error.get(1).getAsString(), message.split("\n", 2)[0]);
    } else if (golden.has("undeclared")) {
      assertThrows(
          method.toString(), RuntimeException.class, () -> Methods.call(method, golden, null));
    } else {
      Object result = Methods.call(method, golden, null);
      Values.assertResult(method.toString(), golden.content.get("result"), result);
    }
  }
}
