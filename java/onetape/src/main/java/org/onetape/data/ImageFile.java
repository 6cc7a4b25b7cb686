package org.onetape.data;

import java.awt.image.BufferedImage;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import org.onetape.Tensor;

/** Pictures, read by javax.imageio. */
final class ImageFile {
  /** The most pixels that Python's reader takes, too: more is an attack on the memory. */
  private static final long MOST_PIXELS = 178_956_970;

  private ImageFile() {}

  static Tensor read(Path file) throws IOException {
    return decode(Files.readAllBytes(file), "readImage: " + file);
  }

  static Tensor decode(byte[] bytes, String where) throws IOException {
    try (ImageInputStream in = ImageIO.createImageInputStream(new ByteArrayInputStream(bytes))) {
      Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
      if (!readers.hasNext()) {
        throw new IOException(where + ": not a picture in a known format");
      }
      ImageReader reader = readers.next();
      try {
        reader.setInput(in, true, true);
        return read(reader, where);
      } finally {
        reader.dispose();
      }
    } catch (RuntimeException e) { // readers throw many kinds on broken files
      throw new IOException(where + ": the picture is broken: " + e.getMessage(), e);
    }
  }

  private static Tensor read(ImageReader reader, String where) throws IOException {
    try {
      long pixels = (long) reader.getWidth(0) * reader.getHeight(0);
      if (pixels > MOST_PIXELS) {
        throw new IOException(pixels + " pixels are too many");
      }
      boolean[] truncated = {false};
      reader.addIIOReadWarningListener(
          (source, warning) -> truncated[0] |= warning.contains("Premature end"));
      BufferedImage image = reader.read(0);
      if (truncated[0]) {
        throw new IOException("the file is truncated");
      }
      return tensor(image);
    } catch (IOException e) {
      throw new IOException(where + ": " + e.getMessage(), e);
    }
  }

  private static Tensor tensor(BufferedImage image) {
    int width = image.getWidth();
    int height = image.getHeight();
    boolean grey =
        image.getRaster().getNumBands() == 1 && image.getColorModel().getNumComponents() == 1;
    int channels = grey ? 1 : image.getColorModel().hasAlpha() ? 4 : 3;
    byte[] bytes = new byte[Math.multiplyExact(channels, Math.multiplyExact(width, height))];
    if (grey) {
      grey(image.getRaster(), bytes);
    } else {
      colours(image, channels, bytes);
    }
    return Tensor.create(bytes, channels, height, width);
  }

  /** The samples as they are: getRGB would change their brightness. */
  private static void grey(Raster raster, byte[] bytes) {
    int bits = raster.getSampleModel().getSampleSize(0);
    int[] row = new int[raster.getWidth()];
    int place = 0;
    for (int y = 0; y < raster.getHeight(); y++) {
      raster.getSamples(0, y, row.length, 1, 0, row);
      for (int sample : row) {
        bytes[place++] =
            (byte) (bits > 8 ? sample >> (bits - 8) : sample * 255 / ((1 << bits) - 1));
      }
    }
  }

  private static void colours(BufferedImage image, int channels, byte[] bytes) {
    int width = image.getWidth();
    int plane = width * image.getHeight();
    int[] row = new int[width];
    for (int y = 0; y < image.getHeight(); y++) {
      image.getRGB(0, y, width, 1, row, 0, width);
      for (int x = 0; x < width; x++) {
        int place = y * width + x;
        bytes[place] = (byte) (row[x] >> 16);
        bytes[plane + place] = (byte) (row[x] >> 8);
        bytes[2 * plane + place] = (byte) row[x];
        if (channels == 4) {
          bytes[3 * plane + place] = (byte) (row[x] >> 24);
        }
      }
    }
  }
}
