package org.onetape.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.onetape.GraphRecording;
import org.onetape.nn.Module;
import org.onetape.nn.StringSharedModuleDict;

/**
 * What Java tells the nodes that are recorded while somebody records: the line, and the module
 * whose {@code forward} runs.
 *
 * <p>The modules of the library say when they are entered. That of a program is known by its frame
 * on the stack, where only one of the known modules has its class.
 */
public final class Recording {
  private static final Object LOCK = new Object();
  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
  private static final ThreadLocal<Deque<Named>> ENTERED = ThreadLocal.withInitial(ArrayDeque::new);
  private static final String HOME = GraphRecording.class.getPackageName() + ".";

  private static volatile boolean on;
  private static volatile Map<Module, Named> known = Map.of();
  private static int running;

  private Recording() {}

  /** A module, the path that leads to it, {@code Net.layers.0}, and the classes along the path. */
  private static final class Named {
    final Module module;
    final String names;
    final String classes;

    Named(Module module, String names, String classes) {
      this.module = module;
      this.names = names;
      this.classes = classes;
    }
  }

  /** The call of a module: the innermost of the thread ends. */
  private static final GraphRecording.Call CALL = () -> ENTERED.get().pop();

  /** Begins to record, with the modules whose names are known. */
  public static void start(Module... modules) {
    synchronized (LOCK) {
      for (Module module : modules) {
        name(module, "", "");
      }
      ++running;
      on = true;
      Engine.startRecording();
    }
  }

  /** Ends a recording; with the last one the modules are forgotten. */
  public static void stop() {
    synchronized (LOCK) {
      Engine.stopRecording();
      if (--running == 0) {
        on = false;
        known = Map.of();
      }
    }
  }

  /**
   * The thread runs a module until the result is closed; null, to which that does not apply, if
   * nobody records.
   */
  public static GraphRecording.Call enter(Module module) {
    return on ? entered(module) : null;
  }

  private static GraphRecording.Call entered(Module module) {
    Deque<Named> entered = ENTERED.get();
    Named named = known.get(module);
    if (named == null) {
      Named outer = entered.peek();
      named =
          name(
              module,
              outer == null ? "" : outer.names + ".",
              outer == null ? "" : outer.classes + ".");
    }
    entered.push(named);
    return CALL;
  }

  /** Names a module and its parts, unless they are known. */
  private static Named name(Module module, String names, String classes) {
    synchronized (LOCK) {
      Named found = known.get(module);
      if (found != null) {
        return found;
      }
      Map<Module, Named> all = new IdentityHashMap<>(known);
      String path = unused(names + type(module), all);
      nameParts(module, path, classes + type(module), all);
      known = all;
      return all.get(module);
    }
  }

  private static void nameParts(
      Module module, String path, String classes, Map<Module, Named> all) {
    if (all.putIfAbsent(module, new Named(module, path, classes)) != null) {
      return;
    }
    StringSharedModuleDict children = module.named_children();
    for (long i = 0; i < children.size(); ++i) {
      String name = children.get(i).key().getString();
      Module part = children.get(i).value();
      nameParts(part, path + "." + name, classes + "." + type(part), all);
    }
  }

  private static String unused(String path, Map<Module, Named> all) {
    Set<String> taken = all.values().stream().map(named -> named.names).collect(Collectors.toSet());
    String free = path;
    for (int i = 2; taken.contains(free); ++i) {
      free = path + " " + i;
    }
    return free;
  }

  private static String type(Module module) {
    String name = module.name().replace('.', '_');
    return name.isEmpty() ? "Module" : name;
  }

  /** The call, the path of the module and its classes, for the node that is being recorded. */
  static String[] place() {
    Optional<StackWalker.StackFrame> caller =
        WALKER.walk(
            frames -> frames.filter(frame -> isProgram(frame.getDeclaringClass())).findFirst());
    Named module = module();
    return new String[] {
      caller.map(Recording::text).orElse(""),
      module == null ? "" : module.names,
      module == null ? "" : module.classes
    };
  }

  private static String text(StackWalker.StackFrame frame) {
    String type = frame.getClassName();
    String place = frame.getFileName() + ":" + frame.getLineNumber();
    return place + " in " + type.substring(type.lastIndexOf('.') + 1) + "." + frame.getMethodName();
  }

  private static Named module() {
    Named entered = ENTERED.get().peek();
    Map<Module, Named> modules = known;
    if (modules.isEmpty()) {
      return entered;
    }
    List<Class<?>> types = new ArrayList<>();
    WALKER.forEach(frame -> types.add(frame.getDeclaringClass()));
    for (Class<?> type : types) {
      if (!Module.class.isAssignableFrom(type) || type == Module.class) {
        continue;
      }
      if (entered != null && type.isInstance(entered.module)) {
        return entered;
      }
      Named only = onlyOne(modules, type);
      if (only != null) {
        return only;
      }
    }
    return entered;
  }

  /** The module of exactly this class, if there is one and no other. */
  private static Named onlyOne(Map<Module, Named> modules, Class<?> type) {
    Named found = null;
    for (Named named : modules.values()) {
      if (named.module.getClass() == type) {
        if (found != null) {
          return null;
        }
        found = named;
      }
    }
    return found;
  }

  /** Neither of the library nor of the machinery that calls it. */
  private static boolean isProgram(Class<?> type) {
    String name = type.getName();
    if (name.startsWith("java.")
        || name.startsWith("jdk.")
        || name.startsWith("sun.")
        || name.startsWith("org.jpype.")) {
      return false;
    }
    return !(name.startsWith(HOME) && hasOurSource(type));
  }

  /** Programs may stand in packages named as ours, too. */
  private static boolean hasOurSource(Class<?> type) {
    return String.valueOf(type.getProtectionDomain().getCodeSource())
        .equals(String.valueOf(Recording.class.getProtectionDomain().getCodeSource()));
  }
}
