package org.onetape.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.onetape.Tensor;

/**
 * Reads ZIP archives. Nothing in them is trusted: sizes are compared with the file's, and records
 * may not overlap.
 */
final class Archive {
  private static final int LOCAL = 30;
  private static final int CENTRAL = 46;
  private static final int END = 22;
  private static final int END64 = 56;
  private static final int LOCATOR = 20;
  private static final int DEFLATED = 8;
  private static final long MOST = 0xFFFFFFFFL;

  /** No deflated byte stands for more bytes than that. */
  private static final int RATIO = 1032;

  private final Source source;
  private final Map<String, Entry> records = new LinkedHashMap<>();

  /** One record. */
  static final class Entry {
    private final String name;
    private final long size;
    private final long packed;
    private final boolean deflated;
    private final long start;
    private long room;

    private Entry(String name, long size, long packed, boolean deflated, long start) {
      this.name = name;
      this.size = size;
      this.packed = packed;
      this.deflated = deflated;
      this.start = start;
    }

    /** The bytes of the record. */
    long size() {
      return size;
    }
  }

  /** Where the directory is. */
  private record Directory(long start, long size, long count) {}

  Archive(Source source) throws IOException, ArchiveException {
    this.source = source;
    Directory directory = directory();
    list(directory);
    if (records.size() != directory.count) {
      throw new ArchiveException("two records have the same name");
    }
    List<Entry> order = new ArrayList<>(records.values());
    order.sort(Comparator.comparingLong((Entry entry) -> entry.start).reversed());
    long limit = directory.start;
    for (Entry entry : order) {
      entry.room = limit - entry.start;
      if (entry.room < LOCAL + entry.packed) {
        throw new ArchiveException("record '" + entry.name + "' reaches into what follows it");
      }
      limit = entry.start;
    }
  }

  /** The records under their names. */
  Map<String, Entry> records() {
    return records;
  }

  private static ArchiveException noDirectory() {
    return new ArchiveException("failed finding central directory");
  }

  private ByteBuffer at(long offset, long count) throws IOException {
    return ByteBuffer.wrap(source.read(offset, count)).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static boolean marked(ByteBuffer data, int at, int third, int fourth) {
    return data.get(at) == 'P'
        && data.get(at + 1) == 'K'
        && data.get(at + 2) == third
        && data.get(at + 3) == fourth;
  }

  private static long unsigned(ByteBuffer data, int at) {
    return data.getInt(at) & MOST;
  }

  private static int small(ByteBuffer data, int at) {
    return data.getShort(at) & 0xFFFF;
  }

  private Directory directory() throws IOException, ArchiveException {
    long tail = Math.min(source.size(), 0xFFFF + END);
    ByteBuffer data = at(source.size() - tail, tail);
    int end = (int) tail - END;
    while (end >= 0 && !marked(data, end, 5, 6)) {
      end--;
    }
    if (end < 0) {
      throw noDirectory();
    }
    long place = source.size() - tail + end;
    Directory found =
        new Directory(unsigned(data, end + 16), unsigned(data, end + 12), small(data, end + 10));
    boolean wide = place >= LOCATOR && marked(at(place - LOCATOR, LOCATOR), 0, 6, 7);
    if (wide) {
      place = placeOf64(place - LOCATOR);
      ByteBuffer end64 = at(place, END64);
      found = new Directory(end64.getLong(48), end64.getLong(40), end64.getLong(32));
    }
    boolean fits =
        found.start >= 0
            && found.size >= 0
            && found.count >= 0
            && found.start <= place
            && found.size <= place - found.start
            && found.count <= found.size / CENTRAL
            && found.size <= Integer.MAX_VALUE - 8;
    if (!fits) {
      throw noDirectory();
    }
    return found;
  }

  private long placeOf64(long locator) throws IOException, ArchiveException {
    long place = at(locator, LOCATOR).getLong(8);
    if (place < 0 || place > locator - END64 || !marked(at(place, END64), 0, 6, 6)) {
      throw noDirectory();
    }
    return place;
  }

  private void list(Directory directory) throws IOException, ArchiveException {
    ByteBuffer data = at(directory.start, directory.size);
    int at = 0;
    for (long i = 0; i < directory.count; i++) {
      if (data.limit() - at < CENTRAL) {
        throw new ArchiveException("the central directory ends early");
      }
      int nameSize = small(data, at + 28);
      int extraSize = small(data, at + 30);
      int head = at + CENTRAL;
      int end = head + nameSize + extraSize + small(data, at + 32);
      if (!marked(data, at, 1, 2) || end > data.limit()) {
        throw new ArchiveException("the central directory is damaged");
      }
      String name = new String(data.array(), head, nameSize, StandardCharsets.UTF_8);
      long[] numbers = {unsigned(data, at + 24), unsigned(data, at + 20), unsigned(data, at + 42)};
      widen(data, head + nameSize, extraSize, numbers);
      int method = small(data, at + 10);
      if ((small(data, at + 8) & 1) != 0) {
        throw new ArchiveException("record '" + name + "' is encrypted");
      }
      if (method != 0 && method != DEFLATED) {
        throw new ArchiveException(
            "record '" + name + "' is compressed in a way that is not supported");
      }
      records.put(name, entry(name, numbers, method == DEFLATED, directory.start));
      at = end;
    }
  }

  private static Entry entry(String name, long[] numbers, boolean deflated, long limit)
      throws ArchiveException {
    long size = numbers[0];
    long packed = numbers[1];
    long start = numbers[2];
    boolean possible =
        size >= 0
            && packed >= 0
            && start >= 0
            && start <= limit
            && packed <= limit - start
            && (deflated ? size / RATIO <= packed : size == packed);
    if (!possible) {
      throw new ArchiveException("record '" + name + "' has an impossible size");
    }
    return new Entry(name, size, packed, deflated, start);
  }

  /** Replaces what does not fit 32 bits by what the ZIP64 field has. */
  private static void widen(ByteBuffer data, int at, int size, long[] numbers)
      throws ArchiveException {
    int end = at + size;
    while (at + 4 <= end) {
      int fieldSize = small(data, at + 2);
      if (small(data, at) == 1) {
        int next = at + 4;
        for (int i = 0; i < numbers.length; i++) {
          if (numbers[i] == MOST) {
            if (next + 8 > Math.min(end, at + 4 + fieldSize)) {
              throw new ArchiveException("the central directory is damaged");
            }
            numbers[i] = data.getLong(next);
            next += 8;
          }
        }
        return;
      }
      at += 4 + fieldSize;
    }
  }

  /** Where the data of a record begins. */
  private long data(Entry entry) throws IOException, ArchiveException {
    ByteBuffer header = at(entry.start, LOCAL);
    long head = (long) LOCAL + small(header, 26) + small(header, 28);
    if (!marked(header, 0, 3, 4) || head + entry.packed > entry.room) {
      throw new ArchiveException("the header of record '" + entry.name + "' is damaged");
    }
    return entry.start + head;
  }

  /** The data of a record that is expected to be small. */
  byte[] read(Entry entry, long most) throws IOException, ArchiveException {
    if (entry.size > Math.min(most, Integer.MAX_VALUE - 8)) {
      throw new ArchiveException(
          "record '" + entry.name + "' is too large: " + entry.size + " bytes");
    }
    return head(entry, entry.size);
  }

  /** The first bytes of a record, as many as there are. */
  byte[] head(Entry entry, long count) throws IOException, ArchiveException {
    int size = (int) Math.min(count, entry.size);
    if (!entry.deflated) {
      return source.read(data(entry), size);
    }
    byte[] bytes = new byte[size];
    try (Unpacking unpacking = new Unpacking(entry)) {
      unpacking.fill(ByteBuffer.wrap(bytes));
    }
    return bytes;
  }

  /** The data of a record, but for the first bytes, as a tensor that is all of its storage. */
  Tensor storage(Entry entry, long skip, int alignment) throws IOException, ArchiveException {
    if (!entry.deflated) {
      return source.storage(data(entry) + skip, entry.size - skip, alignment);
    }
    Tensor made = Memory.allocate(entry.size - skip);
    try (Unpacking unpacking = new Unpacking(entry)) {
      unpacking.fill(ByteBuffer.allocate((int) skip));
      Memory.each(made, 0, entry.size - skip, unpacking::fillUnchecked);
    } catch (UnpackingException error) {
      throw new ArchiveException(error.getMessage());
    }
    return made;
  }

  /** Carries an exception out of a function that cannot throw it. */
  private static final class UnpackingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnpackingException(ArchiveException cause) {
      super(cause.getMessage(), cause);
    }
  }

  /** The data of a deflated record, one part after the other. */
  private final class Unpacking implements AutoCloseable {
    private final Entry entry;
    private final Inflater inflater = new Inflater(true);
    private long at;
    private long left;

    Unpacking(Entry entry) throws IOException, ArchiveException {
      this.entry = entry;
      at = data(entry);
      left = entry.packed;
    }

    void fill(ByteBuffer target) throws IOException, ArchiveException {
      try {
        while (target.hasRemaining()) {
          if (inflater.inflate(target) == 0) {
            if (inflater.finished() || inflater.needsDictionary() || left == 0) {
              throw new ArchiveException(
                  "record '" + entry.name + "' does not have the size it is said to have");
            }
            int size = (int) Math.min(left, 1 << 20);
            inflater.setInput(source.read(at, size));
            at += size;
            left -= size;
          }
        }
      } catch (DataFormatException error) {
        throw new ArchiveException("record '" + entry.name + "' is damaged: " + error.getMessage());
      }
    }

    void fillUnchecked(ByteBuffer target) throws IOException {
      try {
        fill(target);
      } catch (ArchiveException error) {
        throw new UnpackingException(error);
      }
    }

    @Override
    public void close() {
      inflater.end();
    }
  }
}
