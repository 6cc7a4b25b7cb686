package org.onetape.operators;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.onetape.Tensor;

/**
 * Calls methods of {@code Tensor} by their names, with arguments of just the types that are given.
 */
final class ProgramCalls {
  private static final Map<List<Object>, Method> FOUND = new HashMap<>();

  private ProgramCalls() {}

  /** Calls the method of the first argument that takes the others. */
  static Object call(String name, List<Object> arguments) {
    List<Object> rest = arguments.subList(1, arguments.size());
    Class<?>[] types = rest.stream().map(ProgramCalls::typeOf).toArray(Class<?>[]::new);
    List<Object> key = new ArrayList<>(Arrays.asList((Object[]) types));
    key.add(name);
    Method method = FOUND.computeIfAbsent(key, any -> find(name, types));
    try {
      return method.invoke(arguments.get(0), rest.toArray());
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException) {
        throw (RuntimeException) e.getCause();
      }
      throw new AssertionError(method.toString(), e.getCause());
    } catch (IllegalAccessException e) {
      throw new AssertionError(method.toString(), e);
    }
  }

  private static Method find(String name, Class<?>... types) {
    try {
      Method method = Tensor.class.getMethod(name, types);
      method.setAccessible(true); // declared by a class that programs cannot see
      return method;
    } catch (NoSuchMethodException e) {
      throw new AssertionError("no method " + name + Arrays.toString(types), e);
    }
  }

  private static Class<?> typeOf(Object value) {
    if (value instanceof Long) {
      return long.class;
    } else if (value instanceof Double) {
      return double.class;
    } else if (value instanceof Boolean) {
      return boolean.class;
    }
    return value.getClass();
  }
}
