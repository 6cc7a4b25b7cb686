package org.onetape.data;

import java.io.IOException;
import java.nio.file.Path;
import org.onetape.Tensor;

/**
 * Files as tensors.
 *
 * <p>A file that is truncated or holds something else is an {@link IOException} that names it.
 */
public final class Readers {
  private Readers() {}

  /**
   * A file in the IDX format, such as those of MNIST, also if compressed with gzip: a tensor of the
   * file's sizes and element type.
   */
  public static Tensor readIdx(Path file) throws IOException {
    return IdxFile.read(file);
  }

  /** A file in the IDX format; see {@link #readIdx(Path)}. */
  public static Tensor readIdx(String file) throws IOException {
    return readIdx(Path.of(file));
  }

  /** The numbers of a text with a line for each row, separated by commas. */
  public static Tensor readCsv(Path file) throws IOException {
    return readCsv(file, ',', 0, null);
  }

  /**
   * The numbers of a text with a line for each row: floats of size (rows, columns).
   *
   * @param delimiter what separates columns
   * @param skip the first lines, such as headings, that hold no numbers
   * @param missing what an empty place stands for; null if there must be none
   */
  public static Tensor readCsv(Path file, char delimiter, int skip, Double missing)
      throws IOException {
    return CsvFile.read(file, delimiter, skip, missing);
  }

  /**
   * The picture in a file: bytes of size (channels, height, width); one channel if it is grey, four
   * if it is partly transparent, else three.
   */
  public static Tensor readImage(Path file) throws IOException {
    return ImageFile.read(file);
  }

  /** The picture in the bytes of a file; see {@link #readImage}. */
  public static Tensor decodeImage(byte[] bytes) throws IOException {
    return ImageFile.decode(bytes, "decodeImage");
  }
}
