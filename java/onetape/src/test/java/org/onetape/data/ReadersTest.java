package org.onetape.data;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import javax.imageio.ImageIO;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch.ScalarType;

public class ReadersTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private MemoryScope scope;

  @Before
  public void open() {
    scope = new MemoryScope();
  }

  @After
  public void close() {
    scope.close();
  }

  private Path file(String name, byte[] bytes) throws IOException {
    return Files.write(folder.getRoot().toPath().resolve(name), bytes);
  }

  private static byte[] idx(int type, int[] sizes, byte[] elements) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(type << 8 | sizes.length);
    for (int size : sizes) {
      out.writeInt(size);
    }
    out.write(elements);
    return bytes.toByteArray();
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(packed)) {
      out.write(bytes);
    }
    return packed.toByteArray();
  }

  @Test
  public void idxOfEveryType() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeDouble(1.5);
    out.writeDouble(-2);
    Tensor doubles = Readers.readIdx(file("d", idx(0x0E, new int[] {2}, bytes.toByteArray())));
    assertArrayEquals(new double[] {1.5, -2}, doubles.toDoubleArray(), 0);
    assertEquals(ScalarType.Double, doubles.scalar_type());
    byte[] four = {1, 2, -1, -2};
    check(idx(0x08, new int[] {2, 2}, four), ScalarType.Byte, 1, 2, 255, 254);
    check(idx(0x09, new int[] {2, 2}, four), ScalarType.Char, 1, 2, -1, -2);
    check(idx(0x0B, new int[] {2}, four), ScalarType.Short, 258, -2);
    check(idx(0x0C, new int[] {1}, four), ScalarType.Int, 0x0102FFFE);
    check(idx(0x08, new int[] {0, 3}, new byte[0]), ScalarType.Byte);
    Tensor single =
        Readers.readIdx(file("f", idx(0x0D, new int[] {1}, new byte[] {0x3f, (byte) 0x80, 0, 0})));
    assertEquals(1f, single.item_float(), 0);
  }

  private void check(byte[] bytes, ScalarType type, long... elements) throws IOException {
    for (byte[] form : new byte[][] {bytes, gzip(bytes)}) {
      Tensor tensor = Readers.readIdx(file("x", form));
      assertEquals(type, tensor.scalar_type());
      assertArrayEquals(elements, tensor.reshape(-1).toLongArray());
    }
  }

  private void refuse(byte[] bytes, String what) throws IOException {
    Path path = file("broken", bytes);
    IOException error = assertThrows(IOException.class, () -> Readers.readIdx(path));
    assertTrue(error.getMessage(), error.getMessage().startsWith("readIdx: " + path + ": "));
    assertTrue(error.getMessage(), error.getMessage().contains(what));
  }

  @Test
  public void brokenIdx() throws IOException {
    byte[] good = idx(0x08, new int[] {2, 2}, new byte[] {1, 2, 3, 4});
    for (int length = 0; length < good.length; length++) {
      refuse(Arrays.copyOf(good, length), "truncated");
    }
    refuse(Arrays.copyOf(good, good.length + 1), "there is more");
    refuse(idx(0x07, new int[] {1}, new byte[1]), "unknown type of elements: 0x07");
    refuse("hello".getBytes(StandardCharsets.UTF_8), "not an IDX file");
    refuse(idx(0x08, new int[] {-1, -1, -1}, new byte[4]), "too large");
    refuse(idx(0x08, new int[] {0x7fffff00}, new byte[4]), "truncated");
    refuse(idx(0x08, new int[200], new byte[4]), "too many dimensions");
    byte[] packed = gzip(good);
    refuse(Arrays.copyOf(packed, packed.length - 9), "");
    Random random = new Random(1);
    for (int i = 0; i < 500; i++) { // whatever is broken, it is an IOException or still a file
      byte[] changed = (i % 2 == 0 ? good : packed).clone();
      changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      try {
        Readers.readIdx(file("fuzz", changed));
      } catch (IOException e) {
        assertTrue(e.getMessage().startsWith("readIdx: "));
      }
    }
    assertThrows(NoSuchFileException.class, () -> Readers.readIdx("/no/such/file"));
  }

  @Test
  public void csv() throws IOException {
    Path path = file("t.csv", "a,b\n1, 2.5\n\n\"3\",-4e2\r\n".getBytes(StandardCharsets.UTF_8));
    Tensor table = Readers.readCsv(path, ',', 1, null);
    assertArrayEquals(new long[] {2, 2}, table.shape());
    assertArrayEquals(new double[] {1, 2.5, 3, -400}, table.reshape(-1).toDoubleArray(), 0);
    Exception error = assertThrows(IOException.class, () -> Readers.readCsv(path));
    assertEquals(
        "readCsv: " + path + ", line 1, column 1: 'a' is not a number", error.getMessage());
    Path holes = file("h", "1;;inf\n;NaN;-inf\n".getBytes(StandardCharsets.UTF_8));
    double nan = Double.NaN;
    double inf = Double.POSITIVE_INFINITY;
    assertArrayEquals(
        new double[] {1, -1, inf, -1, nan, -inf},
        Readers.readCsv(holes, ';', 0, -1.0).reshape(-1).toDoubleArray(),
        0);
    error = assertThrows(IOException.class, () -> Readers.readCsv(holes, ';', 0, null));
    assertTrue(error.getMessage().endsWith("line 1, column 2: '' is not a number"));
    Path ragged = file("r", "1,2\n3\n".getBytes(StandardCharsets.UTF_8));
    error = assertThrows(IOException.class, () -> Readers.readCsv(ragged));
    assertTrue(error.getMessage().endsWith("line 2: 1 columns, but there were 2 before"));
    Path java = file("j", "1f\n".getBytes(StandardCharsets.UTF_8));
    assertThrows(IOException.class, () -> Readers.readCsv(java));
    Path binary = file("b", new byte[] {(byte) 0xff, (byte) 0xfe, 1});
    assertThrows(IOException.class, () -> Readers.readCsv(binary));
    assertArrayEquals(new long[] {0, 0}, Readers.readCsv(file("e", new byte[0])).shape());
  }

  private static byte[] picture(int type, String format) throws IOException {
    BufferedImage image = new BufferedImage(3, 2, type);
    for (int i = 0; i < 6; i++) {
      image.setRGB(i % 3, i / 3, 0xff000000 | 0x102030 * i);
    }
    if (type == BufferedImage.TYPE_BYTE_GRAY) {
      image.getRaster().setSample(1, 1, 0, 77);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertTrue(ImageIO.write(image, format, out));
    return out.toByteArray();
  }

  @Test
  public void pictures() throws IOException {
    Tensor colours = Readers.readImage(file("c.png", picture(BufferedImage.TYPE_INT_RGB, "png")));
    assertArrayEquals(new long[] {3, 2, 3}, colours.shape());
    assertEquals(ScalarType.Byte, colours.scalar_type());
    assertArrayEquals(
        new long[] {0, 0x10, 0x20, 0x30, 0x40, 0x50}, colours.get(0).reshape(-1).toLongArray());
    assertArrayEquals(
        new long[] {0, 0x30, 0x60, 0x90, 0xc0, 0xf0}, colours.get(2).reshape(-1).toLongArray());
    Tensor clear = Readers.decodeImage(picture(BufferedImage.TYPE_INT_ARGB, "png"));
    assertArrayEquals(new long[] {4, 2, 3}, clear.shape());
    assertEquals(255, clear.get(3).min().item_int());
    Tensor grey = Readers.decodeImage(picture(BufferedImage.TYPE_BYTE_GRAY, "png"));
    assertArrayEquals(new long[] {1, 2, 3}, grey.shape());
    assertEquals(77, grey.get(0).get(1).get(1).item_int());
    Tensor photo = Readers.decodeImage(picture(BufferedImage.TYPE_INT_RGB, "jpg"));
    assertArrayEquals(new long[] {3, 2, 3}, photo.shape());
  }

  @Test
  public void brokenPictures() throws IOException {
    Random random = new Random(1);
    for (String format : new String[] {"png", "jpg", "gif", "bmp"}) {
      byte[] good = picture(BufferedImage.TYPE_INT_RGB, format);
      for (int length = 0; length < good.length / 2; length += 7) {
        byte[] part = Arrays.copyOf(good, length);
        IOException error = assertThrows(IOException.class, () -> Readers.decodeImage(part));
        assertTrue(error.getMessage().startsWith("decodeImage: "));
      }
      for (int i = 0; i < 100; i++) {
        byte[] changed = good.clone();
        changed[random.nextInt(changed.length)] = (byte) random.nextInt();
        try {
          Readers.decodeImage(changed);
        } catch (IOException e) {
          assertTrue(e.getMessage().startsWith("decodeImage: "));
        }
      }
    }
    Path none = file("none.png", "no picture".getBytes(StandardCharsets.UTF_8));
    IOException error = assertThrows(IOException.class, () -> Readers.readImage(none));
    assertEquals("readImage: " + none + ": not a picture in a known format", error.getMessage());
  }

  private String mnist(int count, boolean packed) throws IOException {
    byte[] pixels = new byte[count * 28 * 28];
    byte[] labels = new byte[count];
    for (int i = 0; i < count; i++) {
      pixels[i * 784] = (byte) (51 * i);
      labels[i] = (byte) i;
    }
    byte[] images = idx(0x08, new int[] {count, 28, 28}, pixels);
    byte[] targets = idx(0x08, new int[] {count}, labels);
    for (String name : new String[] {"train", "t10k"}) {
      String end = packed ? ".gz" : "";
      file(name + "-images-idx3-ubyte" + end, packed ? gzip(images) : images);
      file(name + "-labels-idx1-ubyte" + end, packed ? gzip(targets) : targets);
    }
    return folder.getRoot().getPath();
  }

  @Test
  public void mnist() throws IOException {
    for (boolean packed : new boolean[] {true, false}) {
      MNIST digits = new MNIST(mnist(5, packed));
      assertTrue(digits.is_train());
      assertEquals(5, digits.size().get());
      assertArrayEquals(new long[] {5, 1, 28, 28}, digits.images().shape());
      assertEquals(0.6, digits.get(3).data().get(0).get(0).get(0).item_float(), 1e-6);
      assertEquals(4, digits.get(4).target().item_long());
      MNISTMapDataset dataset =
          new MNIST(digits.is_train() ? folder.getRoot().getPath() : "", 1).map(new ExampleStack());
      MNISTRandomDataLoader loader =
          new MNISTRandomDataLoader(
              dataset, new RandomSampler(dataset.size().get()), new DataLoaderOptions(2));
      long sum = 0;
      for (ExampleIterator it = loader.begin(); !it.equals(loader.end()); it = it.increment()) {
        Example batch = it.access();
        assertArrayEquals(new long[] {1, 28, 28}, Arrays.copyOfRange(batch.data().shape(), 1, 4));
        sum += batch.target().sum().item_long();
      }
      assertEquals(10, sum);
      assertEquals(2, dataset.get_batch_example(0, 4).target().size(0));
    }
    Exception error = assertThrows(TorchException.class, () -> new MNIST("/nowhere"));
    assertTrue(error.getMessage().startsWith("Error opening images file at /nowhere"));
  }
}
