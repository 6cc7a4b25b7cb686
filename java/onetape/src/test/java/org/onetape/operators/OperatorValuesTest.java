package org.onetape.operators;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;
import org.onetape.MemoryScope;

/**
 * Every operator, sample and element type, through every overload that takes the arguments: the
 * value is PyTorch's, or the call fails as it fails there.
 */
@SuppressWarnings("try") // scopes only free what is made inside
@RunWith(Parameterized.class)
public class OperatorValuesTest {
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
    if (golden.has("error")) {
      Values.assertFails(
          method.toString(),
          golden.content.getAsJsonArray("error"),
          () -> Methods.call(method, golden));
    } else if (golden.has("undeclared") && golden.has("result")) {
      assertRefusedOrRight(method);
    } else if (golden.has("undeclared")) {
      assertThrows(method.toString(), RuntimeException.class, () -> Methods.call(method, golden));
    } else {
      Object result = Methods.call(method, golden);
      Values.assertResult(method.toString(), golden, golden.content.get("result"), result);
    }
  }

  /**
   * Element types that the table does not declare are refused, or converted if mixed with others.
   */
  private void assertRefusedOrRight(Method method) {
    Object result;
    try {
      result = Methods.call(method, golden);
    } catch (RuntimeException e) {
      return;
    }
    Values.assertResult(method.toString(), golden, golden.content.get("result"), result);
  }
}
