package org.onetape.utils;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.onetape.Tensor;
import org.onetape.global.torch.ScalarType;

/**
 * Writes curves, distributions, pictures and texts for TensorBoard, in the files that Python's
 * writer makes, too. Threads may share a writer.
 *
 * <p>A file that cannot be written is an {@link UncheckedIOException}.
 */
public final class SummaryWriter implements AutoCloseable {
  private static final DateTimeFormatter NOW =
      DateTimeFormatter.ofPattern("MMMdd_HH-mm-ss", Locale.ENGLISH);

  /** Something that may fail. */
  private interface Action {
    void run() throws IOException;
  }

  private final Path folder;
  private final Map<Path, EventFile> files = new LinkedHashMap<>();

  /** Writes to a new folder below {@code runs}. */
  public SummaryWriter() {
    this(Path.of("runs", NOW.format(LocalDateTime.now()) + "_" + EventFile.host()));
  }

  /** Writes to a folder. */
  public SummaryWriter(String folder) {
    this(Path.of(folder));
  }

  /** Writes to a folder. */
  public SummaryWriter(Path folder) {
    this.folder = folder;
    attempt(() -> file(folder).flush());
  }

  private static void attempt(Action action) {
    try {
      action.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized EventFile file(Path of) throws IOException {
    EventFile file = files.get(of);
    if (file == null) {
      file = new EventFile(of);
      files.put(of, file);
    }
    return file;
  }

  private static Message value(String tag, int field, Message content) {
    return new Message().data(1, tag).data(field, content);
  }

  private void add(Message value, long step) {
    attempt(() -> file(folder).add(new Message().data(1, value), step));
  }

  /** The folder. */
  public Path folder() {
    return folder;
  }

  /** A number of a curve. */
  public void addScalar(String tag, double value, long step) {
    add(new Message().data(1, tag).float32(2, (float) value), step);
  }

  /** Numbers of several curves in one picture: each has a file in a folder of its own. */
  public void addScalars(String tag, Map<String, ? extends Number> values, long step) {
    values.forEach(
        (name, number) ->
            attempt(
                () -> {
                  Path of = Path.of(folder + "/" + tag.replace('/', '_') + "_" + name);
                  Message value = new Message().data(1, tag).float32(2, number.floatValue());
                  file(of).add(new Message().data(1, value), step);
                }));
  }

  /**
   * The distribution of the elements of a tensor.
   *
   * @throws IllegalArgumentException if no element is finite
   */
  public void addHistogram(String tag, Tensor values, long step) {
    try (Tensor plain = values.detach();
        Tensor doubles = plain.to(ScalarType.Double)) {
      add(value(tag, 5, Histogram.of(doubles.toDoubleArray())), step);
    }
  }

  /**
   * A picture: bytes, or numbers from 0 to 1, of size (channels, height, width).
   *
   * @throws IllegalArgumentException if it has other sizes
   */
  public void addImage(String tag, Tensor image, long step) {
    add(value(tag, 4, Picture.of(image)), step);
  }

  /** A text, which TensorBoard reads as Markdown. */
  public void addText(String tag, String text, long step) {
    Message shape = new Message().data(2, new Message().integer(1, 1));
    Message tensor = new Message().integer(1, 7).data(2, shape).data(8, text);
    Message plugin = new Message().data(1, new Message().data(1, "text"));
    add(value(tag + "/text_summary", 8, tensor).data(9, plugin), step);
  }

  /** Writes what waits in memory. */
  public synchronized void flush() {
    files.values().forEach(file -> attempt(file::flush));
  }

  /** Ends the files. */
  @Override
  public synchronized void close() {
    files.values().forEach(file -> attempt(file::close));
  }
}
