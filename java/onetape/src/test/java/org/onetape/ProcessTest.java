package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What shows only in a process of its own: loading, limits, leaks. */
public class ProcessTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private static void check(ChildJvm child) {
    assertEquals(child.output, 0, child.status);
  }

  /** Makes one gradient. */
  public static final class FirstGradient {
    public static void main(String[] args) {
      Tensor x = tensor(3.0, requires_grad(true));
      x.mul(x).backward();
      System.out.println("gradient " + x.grad());
    }
  }

  /** Uses what stands for nothing before there is anything of its kind. */
  public static final class UndefinedFirst {
    public static void main(String[] args) {
      Node none = tensor(3.0).grad_fn();
      assertFalse(none.defined());
      assertEquals("None", none.name());
      assertEquals(0, none.saved_tensors().length);
      String text = "the node is undefined: no operator made its tensor";
      assertEquals(
          text,
          assertThrows(
                  NullPointerException.class, () -> none.register_hook((inputs, outputs) -> null))
              .getMessage());
      assertEquals(
          text,
          assertThrows(NullPointerException.class, () -> none.register_prehook(outputs -> null))
              .getMessage());
      none.close();
    }
  }

  @Test
  public void undefinedNodesMayComeFirst() throws Exception {
    check(ChildJvm.run(UndefinedFirst.class));
  }

  private static boolean libraryIsOnClassPath() {
    String platform =
        System.getProperty("os.name").toLowerCase(Locale.ROOT)
            + "-"
            + System.getProperty("os.arch").replace("amd64", "x86_64");
    return Tensor.class.getResource("native/" + platform + "/libonetape.so") != null;
  }

  private List<String> filesIn(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> file.getFileName().toString())
          .sorted()
          .collect(Collectors.toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  public void libraryUnpacksOnce() throws Exception {
    assumeTrue(libraryIsOnClassPath());
    Path cache = folder.newFolder().toPath();
    String option = "-Donetape.cache=" + cache;
    check(ChildJvm.runFromClassPath(FirstGradient.class, Map.of(), option));
    List<String> files = filesIn(cache);
    assertTrue(files.toString(), files.contains("libonetape.so"));
    Path library;
    try (Stream<Path> found = Files.walk(cache)) {
      library = found.filter(p -> p.endsWith("libonetape.so")).findFirst().orElseThrow();
    }
    long time = Files.getLastModifiedTime(library).toMillis();
    check(ChildJvm.runFromClassPath(FirstGradient.class, Map.of(), option));
    assertEquals(time, Files.getLastModifiedTime(library).toMillis());
    Files.write(library, new byte[10]);
    check(ChildJvm.runFromClassPath(FirstGradient.class, Map.of(), option));
    assertEquals(files, filesIn(cache));
  }

  @Test
  public void processesThatUnpackAtOnceDoNotMeet() throws Exception {
    assumeTrue(libraryIsOnClassPath());
    Path cache = folder.newFolder().toPath();
    List<Thread> threads = new ArrayList<>();
    List<ChildJvm> children = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  ChildJvm child =
                      ChildJvm.runFromClassPath(
                          FirstGradient.class, Map.of(), "-Donetape.cache=" + cache);
                  synchronized (children) {
                    children.add(child);
                  }
                } catch (Exception e) {
                  throw new AssertionError(e);
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(3, children.size());
    children.forEach(ProcessTest::check);
    assertEquals(1, filesIn(cache).stream().filter(f -> f.equals("libonetape.so")).count());
  }

  @Test
  public void everyFailedAttemptIsReported() throws Exception {
    assumeTrue(libraryIsOnClassPath());
    Path file = folder.newFile().toPath();
    ChildJvm child =
        ChildJvm.runFromClassPath(FirstGradient.class, Map.of(), "-Donetape.cache=" + file);
    assertFalse(child.status == 0);
    assertTrue(child.output, child.output.contains("onetape could not load its native library"));
    assertTrue(child.output, child.output.contains("-Donetape.cache=DIR"));
    assertTrue(child.output, child.output.contains("Suppressed: "));
    ChildJvm named =
        ChildJvm.runFromClassPath(FirstGradient.class, Map.of(), "-Donetape.library=/no/such.so");
    assertTrue(named.output, named.output.contains("/no/such.so"));
  }

  /** Leaves tensors to the collector. */
  public static final class Leaky {
    public static void main(String[] args) throws Exception {
      leak();
      try (MemoryScope scope = new MemoryScope()) {
        tensor(1.0);
      }
      for (int i = 0; i < 100 && NativeMemory.collectedTensors() == 0; i++) {
        System.gc();
        Thread.sleep(20);
      }
      System.out.println("collected " + NativeMemory.collectedTensors());
    }

    private static void leak() {
      tensor(new float[2][3]);
    }
  }

  @Test
  public void leaksAreNamed() throws Exception {
    ChildJvm child = ChildJvm.run(Leaky.class, "-Donetape.leaks=trace");
    check(child);
    assertTrue(
        child.output, child.output.contains("LEAK: tensor [2, 3] of Float was never closed"));
    assertTrue(child.output, child.output.contains("ProcessTest$Leaky.leak(ProcessTest.java:"));
    assertEquals(child.output, 1, child.output.split("LEAK:").length - 1);
    assertFalse(ChildJvm.run(Leaky.class).output.contains("LEAK"));
  }

  /** Uses tensors that were closed. */
  public static final class Careless {
    public static void main(String[] args) {
      Tensor first = make();
      first.close();
      tell(() -> first.add(1));
      tell(first::keep);
      Tensor second = inScope();
      tell(() -> tensor(1.0).add(second));
      Node node = tensor(1.0, requires_grad(true)).mul(2).grad_fn();
      node.close();
      tell(node::name);
    }

    private static Tensor make() {
      return tensor(1.0);
    }

    private static Tensor inScope() {
      try (MemoryScope scope = new MemoryScope()) {
        return make();
      }
    }

    private static void tell(Runnable use) {
      try {
        use.run();
        System.out.println("nothing happened");
      } catch (IllegalStateException error) {
        System.out.println(error.getMessage());
      }
    }
  }

  @Test
  public void tracingTellsWhereATensorWasClosed() throws Exception {
    ChildJvm child = ChildJvm.run(Careless.class, "-Donetape.leaks=trace");
    check(child);
    String line = "\\(ProcessTest\\.java:\\d+\\)";
    String inClass = "org\\.onetape\\.ProcessTest\\$Careless\\.";
    String made =
        "; it was made at " + inClass + "make" + line + "; to use a tensor .*keep\\(\\).*";
    String[] told =
        child.output.lines().filter(l -> l.contains("closed at")).toArray(String[]::new);
    assertEquals(child.output, 4, told.length);
    String byHand = "the tensor was closed at " + inClass + "main" + line + ", by close.*" + made;
    assertTrue(told[0], told[0].matches(byHand));
    assertTrue(told[1], told[1].matches(byHand));
    assertTrue(
        told[2],
        told[2].matches("the tensor was closed at " + inClass + "inScope" + line + ".*" + made));
    assertTrue(told[3], told[3].startsWith("the node was closed at "));
    String untraced = ChildJvm.run(Careless.class).output;
    assertTrue(untraced, untraced.contains("-Donetape.leaks=trace tells where it was closed"));
    assertFalse(untraced, untraced.contains("closed at"));
  }

  /** Makes many tensors, with or without a scope. */
  public static final class ManyOperations {
    public static void main(String[] args) throws IOException {
      boolean scoped = Boolean.getBoolean("scoped");
      Tensor x = tensor(new float[256]);
      MemoryScope scope = scoped ? new MemoryScope() : null;
      for (int i = 0; i < 1_000_000; i++) {
        x.add(1);
      }
      if (scope != null) {
        scope.close();
      }
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("VmHWM:")) {
          System.out.println("peak " + Long.parseLong(line.replaceAll("\\D", "")) / 1024 + " MB");
        }
      }
    }
  }

  private static long peak(String... options) throws Exception {
    ChildJvm child = ChildJvm.run(ManyOperations.class, options);
    check(child);
    return Long.parseLong(child.output.replaceAll("(?s).*peak (\\d+) MB.*", "$1"));
  }

  @Test
  public void aMillionOperationsStayWithinABound() throws Exception {
    // 1.3 GB in all, were nothing freed
    long unscoped = peak("-Xmx256m", "-Dscoped=false");
    assertTrue("peak " + unscoped + " MB", unscoped < 800);
    long scoped = peak("-Xmx256m", "-Dscoped=true");
    assertTrue("peak " + scoped + " MB", scoped < 800);
  }

  /** Goes back through a long chain in a thread with a small stack. */
  public static final class LongChain {
    public static void main(String[] args) throws Exception {
      Thread thread =
          new Thread(
              null,
              () -> {
                Tensor x = tensor(1.0, requires_grad(true));
                Tensor y = x;
                for (int i = 0; i < 1_000_000; i++) {
                  Tensor next = y.add(0);
                  if (i > 0) {
                    y.close();
                  }
                  y = next;
                }
                y.backward();
                System.out.println("gradient " + x.grad());
                y.close();
              },
              "small",
              512 << 10);
      thread.start();
      thread.join();
    }
  }

  @Test
  public void aMillionNodesOnASmallStack() throws Exception {
    ChildJvm child = ChildJvm.run(LongChain.class, "-Xmx256m");
    check(child);
    assertTrue(child.output, child.output.contains("gradient 1.0"));
  }

  @Test
  public void memoryIsABean() throws Exception {
    NativeMemory.registerBean();
    NativeMemory.registerBean();
    ObjectName name = new ObjectName("org.onetape:type=NativeMemory");
    try (MemoryScope scope = new MemoryScope()) {
      Tensor t = tensor(new double[1000]);
      Object live = ManagementFactory.getPlatformMBeanServer().getAttribute(name, "LiveTensors");
      assertTrue((Long) live >= 1);
      Object bytes = ManagementFactory.getPlatformMBeanServer().getAttribute(name, "NativeBytes");
      assertTrue((Long) bytes >= t.nbytes());
    }
  }
}
