package org.onetape;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a class of the tests in a Java of its own, where properties and limits can be chosen. */
final class ChildJvm {
  final int status;
  final String output;

  private ChildJvm(int status, String output) {
    this.status = status;
    this.output = output;
  }

  /** Runs with the library that these tests use. */
  static ChildJvm run(Class<?> main, String... options) throws Exception {
    return runWith(main, options);
  }

  /** The same with arguments for the program. */
  static ChildJvm runWith(Class<?> main, String[] options, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(options));
    String library = System.getProperty("onetape.library");
    if (library != null) {
      all.add(0, "-Donetape.library=" + library);
    }
    return start(main, all, Map.of(), arguments);
  }

  /** Runs with the library as it is found on the class path. */
  static ChildJvm runFromClassPath(
      Class<?> main, Map<String, String> environment, String... options) throws Exception {
    return start(main, List.of(options), environment);
  }

  private static ChildJvm start(
      Class<?> main, List<String> options, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-ea");
    command.addAll(options);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(5, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new AssertionError("still running: " + command + "\n" + output);
    }
    return new ChildJvm(process.exitValue(), output);
  }
}
