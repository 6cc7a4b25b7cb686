package org.onetape.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.onetape.MemoryScope;
import org.onetape.data.Batch;
import org.onetape.data.DataLoader;

/**
 * What all programs share: the command line, the bar of progress, and what is left at the end, as
 * examples/run.py has it for Python.
 *
 * <p>{@code java -cp … org.onetape.examples.NAME data-folder result-folder [steps]} leaves
 * NAME-java.txt and NAME-java.png in the folder of results.
 */
final class Run {
  /** Where the data is. */
  final Path data;

  /** The losses of every step. */
  final Map<String, List<Double>> losses = new LinkedHashMap<>();

  private final Map<String, Double> results = new LinkedHashMap<>();
  private final String name;
  private final Path folder;
  private final int wanted;
  private final long started = System.nanoTime();

  Run(String name, String[] args) {
    if (args.length < 2) {
      throw new IllegalArgumentException("arguments: data-folder result-folder [steps]");
    }
    this.name = name;
    data = Path.of(args[0]);
    folder = Path.of(args[1]);
    wanted = args.length > 2 ? Integer.parseInt(args[2]) : Integer.MAX_VALUE;
  }

  /** A number of steps, or the smaller one that the command line asks for. */
  int limited(int count) {
    return Math.min(count, wanted);
  }

  /** Does steps, each in a memory scope, under a bar of progress that shows the last losses. */
  void steps(int count, IntConsumer step) {
    ProgressBarBuilder builder =
        new ProgressBarBuilder()
            .setTaskName(name)
            .setInitialMax(limited(count))
            .setUpdateIntervalMillis(100);
    try (ProgressBar bar = builder.build()) {
      for (int i = 0; i < limited(count); i++) {
        try (MemoryScope scope = new MemoryScope()) {
          step.accept(i);
        }
        bar.step();
        bar.setExtraMessage(lastLosses());
      }
    }
  }

  /** Does something with every batch of some passes; see {@link #steps}. */
  void batches(DataLoader<?> loader, int epochs, Consumer<Batch> step) {
    int size = Math.toIntExact(loader.size());
    List<Iterator<Batch>> pass = new ArrayList<>(List.of(loader.iterator()));
    steps(
        epochs * size,
        i -> {
          if (i > 0 && i % size == 0) {
            pass.set(0, loader.iterator());
          }
          step.accept(pass.get(0).next());
        });
  }

  private String lastLosses() {
    StringBuilder text = new StringBuilder();
    losses.forEach(
        (of, values) ->
            text.append(String.format(Locale.ROOT, " %s %.4f", of, values.get(values.size() - 1))));
    return text.toString();
  }

  /** Keeps a loss of a step. */
  void log(String of, double loss) {
    losses.computeIfAbsent(of, unknown -> new ArrayList<>()).add(loss);
  }

  /** Prints and keeps a result. */
  void report(String of, double value) {
    System.out.printf(Locale.ROOT, "%s: %.4f%n", of, value);
    results.put(of, value);
  }

  /** Writes losses and results; the path that the picture is to have. */
  Path finish() throws IOException {
    System.out.printf(Locale.ROOT, "seconds: %.1f%n", (System.nanoTime() - started) / 1e9);
    List<String> lines = new ArrayList<>();
    losses.forEach((of, values) -> values.forEach(loss -> lines.add(of + "," + loss)));
    results.forEach((of, value) -> lines.add(of + "," + value));
    Files.createDirectories(folder);
    Files.write(folder.resolve(name + "-java.txt"), lines);
    Path picture = folder.resolve(name + "-java.png");
    System.out.println("picture: " + picture);
    return picture;
  }
}
