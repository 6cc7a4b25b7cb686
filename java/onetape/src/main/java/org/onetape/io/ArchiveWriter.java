package org.onetape.io;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.onetape.Tensor;

/**
 * Writes ZIP archives of records that are stored as they are and whose data begins at multiples of
 * 64 bytes, byte by byte as PyTorch's own writer does. Sizes beyond 4 GB get the fields of ZIP64.
 */
final class ArchiveWriter {
  private static final long MOST = 0xFFFFFFFFL;
  private static final int LOCAL = 30;

  private final Output output;
  private final String folder;
  private final ByteArrayOutputStream central = new ByteArrayOutputStream();
  private final List<Long> sums = new ArrayList<>();
  private long place;

  ArchiveWriter(Output output, String folder) {
    this.output = output;
    this.folder = folder;
  }

  /** Writes the data of a record. */
  interface Data {
    void to(Output target) throws IOException;
  }

  /** The check sums of the records so far. */
  List<Long> sums() {
    return sums;
  }

  private void put(ByteBuffer data) throws IOException {
    place += data.remaining();
    output.write(data);
  }

  private void put(byte[] data) throws IOException {
    put(ByteBuffer.wrap(data));
  }

  /** Writes a record of bytes. */
  void write(String name, byte[]... parts) throws IOException {
    write(name, parts, null, 0, 0);
  }

  /** Writes a record of bytes and of some of the memory behind a tensor. */
  void write(String name, byte[][] parts, Tensor memory, long offset, long count)
      throws IOException {
    long size = count + Arrays.stream(parts).mapToLong(part -> part.length).sum();
    write(
        name,
        size,
        target -> {
          for (byte[] part : parts) {
            target.write(ByteBuffer.wrap(part));
          }
          if (memory != null) {
            Memory.each(memory, offset, count, target::write);
          }
        });
  }

  /** Writes a record of a known size. */
  void write(String name, long size, Data data) throws IOException {
    byte[] path = (folder.isEmpty() ? name : folder + "/" + name).getBytes(StandardCharsets.UTF_8);
    long start = place;
    byte[] wide = wide(size, start);
    int filling = (int) -(start + LOCAL + path.length + wide.length + 4) & 63;
    int flags = size > 0 ? 0x0808 : 0x0800;
    ByteBuffer header = little(LOCAL + path.length + wide.length + 4 + filling);
    header.put(new byte[] {'P', 'K', 3, 4}).putShort((short) 0).putShort((short) flags);
    header.put(new byte[18]).putShort((short) path.length);
    header.putShort((short) (wide.length + 4 + filling)).put(path).put(wide);
    header.put(new byte[] {'F', 'B'}).putShort((short) filling);
    while (header.hasRemaining()) {
      header.put((byte) 'Z');
    }
    put(header.flip());
    CRC32 sum = new CRC32();
    data.to(
        part -> {
          sum.update(part.duplicate());
          put(part);
        });
    if (size > 0) {
      ByteBuffer after = little(wide.length > 0 ? 24 : 16).put(new byte[] {'P', 'K', 7, 8});
      after.putInt((int) sum.getValue());
      if (wide.length > 0) {
        after.putLong(size).putLong(size);
      } else {
        after.putInt((int) size).putInt((int) size);
      }
      put(after.flip());
    }
    list(path, wide, flags, sum.getValue(), size, start);
  }

  /** The sizes and the place that need more than 32 bits. */
  private static byte[] wide(long size, long start) {
    int count = (size >= MOST ? 2 : 0) + (start >= MOST ? 1 : 0);
    if (count == 0) {
      return new byte[0];
    }
    ByteBuffer field = little(4 + 8 * count).putShort((short) 1).putShort((short) (8 * count));
    if (size >= MOST) {
      field.putLong(size).putLong(size);
    }
    if (start >= MOST) {
      field.putLong(start);
    }
    return field.array();
  }

  private void list(byte[] path, byte[] wide, int flags, long sum, long size, long start) {
    int brief = (int) Math.min(size, MOST);
    ByteBuffer entry = little(46 + path.length + wide.length).put(new byte[] {'P', 'K', 1, 2});
    entry.putInt(0).putShort((short) flags).putShort((short) 0).putInt(0).putInt((int) sum);
    entry.putInt(brief).putInt(brief).putShort((short) path.length).putShort((short) wide.length);
    entry.put(new byte[10]).putInt((int) Math.min(start, MOST)).put(path).put(wide);
    central.writeBytes(entry.array());
    sums.add(sum);
  }

  /** Writes the directory at the end. */
  void close() throws IOException {
    long start = place;
    int count = sums.size();
    put(central.toByteArray());
    long end = place;
    int few = Math.min(count, 0xFFFF);
    ByteBuffer last = little(56 + 20 + 22).put(new byte[] {'P', 'K', 6, 6}).putLong(44);
    last.putShort((short) 0x031E).putShort((short) 45).putInt(0).putInt(0);
    last.putLong(count).putLong(count).putLong(end - start).putLong(start);
    last.put(new byte[] {'P', 'K', 6, 7}).putInt(0).putLong(end).putInt(1);
    last.put(new byte[] {'P', 'K', 5, 6}).putInt(0).putShort((short) few).putShort((short) few);
    last.putInt((int) Math.min(end - start, MOST)).putInt((int) Math.min(start, MOST));
    last.putShort((short) 0);
    put(last.flip());
  }

  private static ByteBuffer little(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }
}
