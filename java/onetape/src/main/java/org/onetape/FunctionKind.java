package org.onetape;

import org.onetape.internal.Engine;

/** What is known of a class of {@linkplain Function functions}. */
final class FunctionKind {
  static final ClassValue<FunctionKind> OF_CLASS =
      new ClassValue<>() {
        @Override
        protected FunctionKind computeValue(Class<?> type) {
          return new FunctionKind(type);
        }
      };

  /** Stands for the name of its nodes. */
  final int name;

  /** Whether it overrides nothing that has a context, but for forward mode. */
  final boolean simple;

  private FunctionKind(Class<?> type) {
    name = Engine.functionName(nodeName(type));
    simple =
        inherits(type, "forward", Object[].class) && inherits(type, "backward", Tensor[].class);
  }

  /**
   * The class's name as PyTorch makes a node's of it; an anonymous class has the end of its binary
   * name.
   */
  private static String nodeName(Class<?> type) {
    String name = type.getSimpleName();
    if (name.isEmpty()) {
      name = type.getName();
      name = name.substring(name.lastIndexOf('.') + 1);
    }
    return name + "Backward";
  }

  private static boolean inherits(Class<?> type, String method, Class<?> arguments) {
    try {
      return type.getMethod(method, Function.Context.class, arguments).getDeclaringClass()
          == Function.class;
    } catch (NoSuchMethodException | LinkageError e) {
      return false; // a class that cannot be looked into may do anything
    }
  }
}
