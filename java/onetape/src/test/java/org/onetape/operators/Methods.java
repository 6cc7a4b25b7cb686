package org.onetape.operators;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

/** Finds the Java methods that a call of an operator may mean, and calls them. */
final class Methods {
  private static final Set<String> OPTIONS = Set.of("dtype", "requires_grad");

  private Methods() {}

  /** The static functions and the methods of {@code Tensor} that take just the given arguments. */
  static List<Method> find(GoldenCase golden) {
    Map<String, Object> given = arguments(golden, null);
    List<Method> found = new ArrayList<>();
    if (golden.hasForm("function") || golden.hasForm("functional")) {
      found.addAll(find(torch.class, golden, given, golden.name()));
    }
    if (golden.hasForm("method") && golden.beginsWithTensor()) {
      found.addAll(find(Tensor.class, golden, given, golden.name()));
    }
    return found;
  }

  /** The methods of {@code Tensor} that change the tensor by the operator. */
  static List<Method> findInPlace(GoldenCase golden) {
    return find(Tensor.class, golden, arguments(golden, null), golden.name() + "_");
  }

  private static List<Method> find(
      Class<?> owner, GoldenCase golden, Map<String, Object> given, String name) {
    boolean isStatic = owner == torch.class;
    List<Method> found = new ArrayList<>();
    // The generated classes above the public one; what the public one shows of them has no names.
    for (Class<?> one = owner; one != null; one = one.getSuperclass()) {
      for (Method method : one.getDeclaredMethods()) {
        if (method.getName().equals(name)
            && Modifier.isPublic(method.getModifiers())
            && Modifier.isStatic(method.getModifiers()) == isStatic
            && !method.isBridge()
            && takes(method, golden, given)) {
          found.add(method);
        }
      }
    }
    // Java cannot leave out an argument before a given one: then the method with fewest parameters.
    found.sort(
        Comparator.comparingInt(Method::getParameterCount).thenComparing(Method::toGenericString));
    int fewest = found.isEmpty() ? 0 : found.get(0).getParameterCount();
    found.removeIf(method -> method.getParameterCount() > fewest);
    return found;
  }

  /** Has the method a parameter for each given argument, and can the others have their defaults? */
  private static boolean takes(Method method, GoldenCase golden, Map<String, Object> given) {
    Map<String, JsonArray> params = parameters(golden);
    List<String> names = new ArrayList<>();
    for (Parameter parameter : method.getParameters()) {
      String name = tableName(parameter, params.keySet());
      JsonArray param = params.get(name);
      if (param == null) {
        return false;
      }
      Object value = given.containsKey(name) ? given.get(name) : defaultOf(param);
      if (!Conversions.isPossible(value, parameter.getType(), param.get(0).getAsString())) {
        return false;
      }
      names.add(name);
    }
    if (!Modifier.isStatic(method.getModifiers())) {
      names.add("self");
    }
    return names.containsAll(given.keySet());
  }

  /** Parameters that would be words of Java have names with "Value" after them. */
  private static String tableName(Parameter parameter, Collection<String> known) {
    String name = parameter.getName();
    return known.contains(name) ? name : name.replaceAll("Value$", "");
  }

  /** Name to (type, name, default, keyword only). */
  private static Map<String, JsonArray> parameters(GoldenCase golden) {
    Map<String, JsonArray> params = new LinkedHashMap<>();
    for (JsonElement element : golden.operator.getAsJsonArray("params")) {
      JsonArray param = element.getAsJsonArray();
      params.put(param.get(1).getAsString(), param);
    }
    return params;
  }

  private static Object defaultOf(JsonArray param) {
    JsonElement json = param.get(2);
    if (json.isJsonNull()) {
      return new TensorOptions();
    }
    String text = json.getAsString();
    if (text.equals("None")) {
      return null;
    }
    if (text.equals("True") || text.equals("False")) {
      return text.equals("True");
    }
    if (text.startsWith("'") || text.startsWith("\"")) {
      return text.substring(1, text.length() - 1);
    }
    if (text.startsWith("[") || text.startsWith("(")) {
      List<Object> list = new ArrayList<>();
      Arrays.stream(text.replaceAll("[\\[\\]() ]", "").split(",", -1))
          .filter(item -> !item.isEmpty())
          .forEach(item -> list.add(Long.valueOf(item)));
      return list;
    }
    if (text.matches("-?\\d+")) {
      return Long.valueOf(text);
    }
    return text.equals("inf") ? Double.POSITIVE_INFINITY : Double.valueOf(text);
  }

  /** The arguments of a case by the names of their parameters. */
  static Map<String, Object> arguments(GoldenCase golden, List<Tensor> leaves) {
    Map<String, JsonArray> params = parameters(golden);
    List<JsonArray> inOrder = new ArrayList<>(params.values());
    Map<String, Object> given = new LinkedHashMap<>();
    JsonArray args = golden.content.getAsJsonArray("args");
    for (int i = 0; i < args.size(); i++) {
      JsonArray param = inOrder.get(Math.min(i, inOrder.size() - 1));
      Object value = Values.argument(args.get(i), leaves);
      if (param.get(0).getAsString().equals("int...") && value instanceof Long) {
        List<Object> rest = new ArrayList<>();
        for (; i < args.size(); i++) {
          rest.add(Values.argument(args.get(i), leaves));
        }
        value = rest;
      }
      given.put(param.get(1).getAsString(), value);
    }
    JsonObject kwargs = golden.content.getAsJsonObject("kwargs");
    for (Map.Entry<String, JsonElement> entry : kwargs.entrySet()) {
      Object value = Values.argument(entry.getValue(), leaves);
      if (params.containsKey("options") && OPTIONS.contains(entry.getKey())) {
        TensorOptions options = (TensorOptions) given.getOrDefault("options", new TensorOptions());
        given.put(
            "options",
            entry.getKey().equals("dtype")
                ? options.dtype((ScalarType) value)
                : options.requires_grad((Boolean) value));
      } else {
        given.put(entry.getKey(), value);
      }
    }
    return given;
  }

  /** Calls a method with the arguments of a case. */
  static Object call(Method method, GoldenCase golden) {
    return call(method, golden, arguments(golden, null));
  }

  /** Calls a method with these arguments of a case. */
  static Object call(Method method, GoldenCase golden, Map<String, Object> given) {
    Map<String, JsonArray> params = parameters(golden);
    Object[] values =
        Arrays.stream(method.getParameters())
            .map(
                parameter -> {
                  String name = tableName(parameter, params.keySet());
                  JsonArray param = params.get(name);
                  Object value = given.containsKey(name) ? given.get(name) : defaultOf(param);
                  return Conversions.convert(value, parameter.getType());
                })
            .toArray();
    torch.manual_seed(0);
    try {
      // Declared by a class that programs cannot see.
      method.setAccessible(true);
      return method.invoke(
          Modifier.isStatic(method.getModifiers()) ? null : given.get("self"), values);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException) {
        throw (RuntimeException) e.getCause();
      }
      throw new AssertionError(method.toString(), e.getCause());
    } catch (IllegalAccessException e) {
      throw new AssertionError(method.toString(), e);
    }
  }
}
