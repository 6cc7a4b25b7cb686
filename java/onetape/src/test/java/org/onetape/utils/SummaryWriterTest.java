package org.onetape.utils;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.onetape.MemoryScope;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Reads event files again, bit by bit as they are documented. */
public class SummaryWriterTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** A message as it was read: the values of each field. */
  private static final class Read {
    private final List<Object[]> fields = new ArrayList<>();

    Read(byte[] bytes) {
      ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      while (in.hasRemaining()) {
        long key = varint(in);
        Object value;
        switch ((int) key & 7) {
          case 0:
            value = varint(in);
            break;
          case 1:
            value = in.getDouble();
            break;
          case 2:
            byte[] data = new byte[(int) varint(in)];
            in.get(data);
            value = data;
            break;
          default:
            assertEquals(5, key & 7);
            value = in.getFloat();
        }
        fields.add(new Object[] {key >> 3, value});
      }
    }

    private static long varint(ByteBuffer in) {
      long value = 0;
      for (int shift = 0; ; shift += 7) {
        byte part = in.get();
        value |= (long) (part & 0x7f) << shift;
        if (part >= 0) {
          return value;
        }
      }
    }

    Object get(long field) {
      return fields.stream().filter(f -> f[0].equals(field)).findFirst().get()[1];
    }

    Read message(long field) {
      return new Read((byte[]) get(field));
    }

    String text(long field) {
      return new String((byte[]) get(field), StandardCharsets.UTF_8);
    }

    double[] doubles(long field) {
      ByteBuffer in = ByteBuffer.wrap((byte[]) get(field)).order(ByteOrder.LITTLE_ENDIAN);
      double[] values = new double[in.remaining() / 8];
      in.asDoubleBuffer().get(values);
      return values;
    }
  }

  /** The checksum, bit by bit. */
  private static int masked(byte[] data) {
    int crc = -1;
    for (byte b : data) {
      crc ^= b & 0xff;
      for (int i = 0; i < 8; i++) {
        crc = (crc >>> 1) ^ ((crc & 1) != 0 ? 0x82F63B78 : 0);
      }
    }
    crc = ~crc;
    return ((crc >>> 15) | (crc << 17)) + 0xa282ead8;
  }

  private static List<Read> events(Path of) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(of)) {
      files = all.filter(Files::isRegularFile).collect(Collectors.toList());
    }
    assertEquals(1, files.size());
    assertTrue(files.get(0).getFileName().toString().startsWith("events.out.tfevents."));
    ByteBuffer in =
        ByteBuffer.wrap(Files.readAllBytes(files.get(0))).order(ByteOrder.LITTLE_ENDIAN);
    List<Read> events = new ArrayList<>();
    while (in.hasRemaining()) {
      byte[] length = new byte[8];
      in.get(length);
      assertEquals(masked(length), in.getInt());
      byte[] data =
          new byte[(int) ByteBuffer.wrap(length).order(ByteOrder.LITTLE_ENDIAN).getLong()];
      in.get(data);
      assertEquals(masked(data), in.getInt());
      events.add(new Read(data));
    }
    assertEquals("brain.Event:2", events.get(0).text(3));
    return events.subList(1, events.size());
  }

  private static Read value(Read event) {
    assertTrue((double) event.get(1) > 1.7e9); // seconds since 1970
    return event.message(5).message(1);
  }

  @Test
  public void numbersAndTexts() throws IOException {
    Path path = folder.getRoot().toPath();
    try (SummaryWriter writer = new SummaryWriter(path.toString())) {
      for (int i = 0; i < 30; i++) {
        writer.addScalar("loss", 1.0 / (i + 1), i * 100L);
      }
      writer.addScalar("t", 2.5, -1);
      writer.addText("note", "**größer**", 3);
      writer.addScalars("both/x", Map.of("a", 1, "b", 2.0), 7);
      writer.flush();
      assertEquals(path, writer.folder());
    }
    List<Read> events = events(path);
    assertEquals(32, events.size());
    assertEquals("loss", value(events.get(9)).text(1));
    assertEquals(0.1f, value(events.get(9)).get(2));
    assertEquals(900L, events.get(9).get(2));
    assertEquals(2.5f, value(events.get(30)).get(2));
    assertEquals(-1L, events.get(30).get(2));
    Read text = value(events.get(31));
    assertEquals("note/text_summary", text.text(1));
    assertEquals("**größer**", text.message(8).text(8));
    assertEquals(7L, text.message(8).get(1));
    assertEquals(1L, text.message(8).message(2).message(2).get(1));
    assertEquals("text", text.message(9).message(1).text(1));
    assertEquals(1f, value(events(path.resolve("both_x_a")).get(0)).get(2));
    assertEquals(2f, value(events(path.resolve("both_x_b")).get(0)).get(2));
  }

  @Test
  public void distributions() throws IOException {
    Path path = folder.getRoot().toPath().resolve("new");
    try (MemoryScope scope = new MemoryScope();
        SummaryWriter writer = new SummaryWriter(path)) {
      writer.addHistogram("h", torch.tensor(-1.5, 0, 0.5, 0.5, 3, Double.NaN), 2);
      Tensor empty = torch.empty(0);
      Tensor infinite = torch.tensor(Double.POSITIVE_INFINITY);
      assertThrows(IllegalArgumentException.class, () -> writer.addHistogram("h", empty, 2));
      assertThrows(IllegalArgumentException.class, () -> writer.addHistogram("h", infinite, 2));
    }
    Read histogram = value(events(path).get(0)).message(5);
    double[] sums = {-1.5, 3, 5, 2.5, 11.75};
    for (int i = 0; i < 5; i++) {
      assertEquals(sums[i], histogram.get(i + 1L));
    }
    double[] limits = histogram.doubles(6);
    double[] counts = histogram.doubles(7);
    assertEquals(limits.length, counts.length);
    assertEquals(0, counts[0], 0);
    double total = 0;
    for (int i = 0; i < counts.length; i++) {
      total += counts[i];
      double edge = limits[i];
      long below = Stream.of(-1.5, 0.0, 0.5, 0.5, 3.0).filter(v -> v < edge).count();
      assertEquals(below, total, 0);
    }
  }

  @Test
  public void pictures() throws IOException {
    Path path = folder.getRoot().toPath();
    try (MemoryScope scope = new MemoryScope();
        SummaryWriter writer = new SummaryWriter(path)) {
      Tensor colours = torch.zeros(3, 4, 5);
      colours.select(0, 0).fill_(new Scalar(0.5));
      colours.select(0, 2).fill_(new Scalar(7));
      writer.addImage("c", colours, 1);
      writer.addImage("g", Tensor.create(new byte[] {0, 100, (byte) 200, 1}, 1, 2, 2), 1);
      writer.addImage("a", torch.ones(4, 2, 2), 1);
      writer.addImage("b", torch.ones(2, 2, 2), 1);
      Tensor flat = torch.zeros(4, 5);
      assertThrows(IllegalArgumentException.class, () -> writer.addImage("x", flat, 1));
      Tensor many = torch.zeros(5, 5, 5);
      assertThrows(IllegalArgumentException.class, () -> writer.addImage("x", many, 1));
    }
    List<Read> events = events(path);
    Read picture = value(events.get(0)).message(4);
    assertEquals(4L, picture.get(1));
    assertEquals(5L, picture.get(2));
    assertEquals(3L, picture.get(3));
    BufferedImage image = ImageIO.read(new ByteArrayInputStream((byte[]) picture.get(4)));
    assertEquals(0xff7f00ff, image.getRGB(4, 3));
    picture = value(events.get(1)).message(4);
    image = ImageIO.read(new ByteArrayInputStream((byte[]) picture.get(4)));
    assertArrayEquals(
        new int[] {0, 100, 200, 1}, image.getRaster().getSamples(0, 0, 2, 2, 0, (int[]) null));
    assertEquals(4L, value(events.get(2)).message(4).get(3));
    assertEquals(2L, value(events.get(3)).message(4).get(3));
  }

  @Test
  public void aFolderThatCannotBe() throws IOException {
    Path file = folder.newFile().toPath();
    assertThrows(UncheckedIOException.class, () -> new SummaryWriter(file));
  }
}
