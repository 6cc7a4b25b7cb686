package org.onetape.fuzz;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.distributed.Store;
import org.onetape.global.torch;

/**
 * Calls everything public in Java with arguments nobody means, one seed a case.
 *
 * <p>{@code FaceFuzz FIRST COUNT PROGRESS} runs cases and keeps in the file PROGRESS which one it
 * is at; with a fourth argument it prints what it calls.
 */
public final class FaceFuzz {
  /** Members that wait for somebody, write files, or change what the other cases meet. */
  private static final Set<String> LEFT_OUT =
      Set.of("wait", "notify", "notifyAll", "save", "serve", "set_num_threads", "setNumThreads");

  /** Of a store: these wait minutes for other processes. */
  private static final Set<String> WAITING = Set.of("tcp", "get", "getString", "waitFor");

  /** What no call may end with: the library itself would be broken. */
  private static final List<Class<? extends Throwable>> FAULTS =
      List.of(LinkageError.class, InternalError.class, BootstrapMethodError.class);

  private final List<Executable> calls;
  private final boolean shows;

  private FaceFuzz(List<Executable> calls, boolean shows) {
    this.calls = calls;
    this.shows = shows;
  }

  public static void main(String[] args) throws IOException, ReflectiveOperationException {
    int first = Integer.parseInt(args[0]);
    int count = Integer.parseInt(args[1]);
    FaceFuzz fuzz = new FaceFuzz(calls(), args.length > 3);
    try (RandomAccessFile progress = new RandomAccessFile(args[2], "rw")) {
      for (int seed = first; seed < first + count; seed++) {
        write(progress, seed);
        fuzz.run(seed);
      }
      write(progress, -1);
    }
  }

  private static void write(RandomAccessFile progress, int seed) throws IOException {
    progress.seek(0);
    progress.write(String.format("%20d", seed).getBytes(StandardCharsets.US_ASCII));
  }

  /** All public methods and constructors, in an order that does not change between runs. */
  private static List<Executable> calls() throws IOException, ReflectiveOperationException {
    Set<Executable> calls = new LinkedHashSet<>();
    for (String name : classNames()) {
      Class<?> type = Class.forName(name);
      if (!Modifier.isPublic(type.getModifiers()) || type.isInterface()) {
        continue;
      }
      List<Executable> own = new ArrayList<>(Arrays.asList(type.getMethods()));
      if (!Modifier.isAbstract(type.getModifiers())) {
        own.addAll(Arrays.asList(type.getConstructors()));
      }
      own.removeIf(
          e ->
              LEFT_OUT.contains(e.getName())
                  || (e.getDeclaringClass() == Store.class && WAITING.contains(e.getName()))
                  || e.getDeclaringClass() == Object.class
                  || e.isSynthetic());
      own.sort(Comparator.comparing(Executable::toString));
      calls.addAll(own);
    }
    for (Executable call : calls) {
      call.setAccessible(true); // some are declared in base classes that are not public
    }
    return new ArrayList<>(calls);
  }

  private static Set<String> classNames() throws IOException {
    Set<String> names = new TreeSet<>();
    String jar = Tensor.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    if (!jar.endsWith(".jar")) {
      throw new IOException("the library must be a jar on the class path, not " + jar);
    }
    try (JarFile file = new JarFile(jar)) {
      file.stream()
          .map(entry -> entry.getName())
          .filter(name -> name.startsWith("org/onetape/") && name.endsWith(".class"))
          .filter(name -> !name.contains("/internal/") && !name.contains("$"))
          .forEach(name -> names.add(name.substring(0, name.length() - 6).replace('/', '.')));
    }
    return names;
  }

  private void run(int seed) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L);
    torch.manual_seed(seed);
    NastyValues values = new NastyValues(random);
    MemoryScope scope = random.nextInt(3) == 0 ? new MemoryScope() : null;
    try {
      for (int i = 0; i < 1 + random.nextInt(4); i++) {
        call(calls.get(random.nextInt(calls.size())), values);
      }
    } finally {
      if (scope != null) {
        scope.close();
      }
    }
  }

  private void call(Executable call, NastyValues values) {
    try {
      Object receiver = isBound(call) ? values.of(call.getDeclaringClass(), 0) : null;
      Object[] args = values.arguments(call);
      if (shows) {
        System.out.println(call + " " + describe(args));
      }
      if (isBound(call) && receiver == null) {
        return;
      }
      Object result =
          call instanceof Method
              ? ((Method) call).invoke(receiver, args)
              : ((Constructor<?>) call).newInstance(args);
      values.remember(result);
      look(result);
    } catch (InvocationTargetException e) {
      check(e.getCause());
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      // An argument that reflection itself refuses.
      check(e);
    } catch (Throwable e) {
      check(e);
    }
  }

  private static boolean isBound(Executable call) {
    return call instanceof Method && !Modifier.isStatic(call.getModifiers());
  }

  /** Uses a result as programs do. */
  private static void look(Object result) {
    if (result instanceof Tensor) {
      Tensor tensor = (Tensor) result;
      if (tensor.defined() && tensor.numel() < 1000000) {
        lookAtText(tensor);
        if (tensor.requires_grad()) {
          tensor.sum().backward();
        }
      }
    } else if (result != null) {
      lookAtText(result);
    }
  }

  private static void lookAtText(Object result) {
    Objects.requireNonNull(result.toString(), "a toString() gave null");
  }

  private void check(Throwable error) {
    if (shows) {
      System.out.println("  raised " + error);
    }
    for (Class<?> fault : FAULTS) {
      if (fault.isInstance(error)) {
        throw new AssertionError("a fault of the library", error);
      }
    }
  }

  private static String describe(Object[] args) {
    StringBuilder text = new StringBuilder();
    for (Object arg : args) {
      text.append(arg == null ? "null" : arg.getClass().getSimpleName()).append(' ');
    }
    return text.toString();
  }
}
