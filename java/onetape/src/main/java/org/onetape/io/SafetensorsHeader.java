package org.onetape.io;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.onetape.global.torch.ScalarType;

/**
 * The header of a safetensors file, with nothing in it trusted: tensors fill the data without gaps
 * and do not overlap.
 */
final class SafetensorsHeader {
  private static final long MOST = 100_000_000;
  private static final Set<String> PARTS = Set.of("dtype", "shape", "data_offsets");

  private final long start;
  private final Map<String, String> metadata;
  private final List<Entry> entries = new ArrayList<>();

  /** One tensor. */
  record Entry(String name, ScalarType type, long[] shape, long start, long end) {}

  SafetensorsHeader(Source source) throws IOException {
    need(source.size() >= 8, "header too small");
    byte[] first = source.read(0, 8);
    long size = ByteBuffer.wrap(first).order(ByteOrder.LITTLE_ENDIAN).getLong();
    need(size >= 0 && size <= MOST, "header too large");
    need(size <= source.size() - 8, "invalid header length");
    Map<?, ?> all = parsed(source.read(8, size));
    start = 8 + size;
    metadata = texts(all.remove("__metadata__"));
    all.forEach((name, entry) -> entries.add(entry((String) name, entry)));
    entries.sort(Comparator.comparingLong(Entry::start).thenComparingLong(Entry::end));
    long at = 0;
    for (Entry entry : entries) {
      need(
          entry.start == at,
          "InvalidOffset(`" + entry.name + "`): tensors overlap, or there is a gap");
      at = entry.end;
    }
    need(at == source.size() - start, "incomplete metadata, file not fully covered");
  }

  private static void need(boolean condition, String what) {
    if (!condition) {
      throw new SafetensorException("Error while deserializing header: " + what);
    }
  }

  private static Map<?, ?> parsed(byte[] bytes) {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException error) {
      throw new SafetensorException("Error while deserializing header: invalid UTF-8 in header");
    }
    need(text.startsWith("{"), "invalid header start");
    try {
      return (Map<?, ?>) Json.read(text);
    } catch (IllegalArgumentException error) {
      throw new SafetensorException(
          "Error while deserializing header: invalid JSON in header: " + error.getMessage());
    }
  }

  private static Map<String, String> texts(Object given) {
    if (given == null) {
      return null;
    }
    Map<String, String> made = new LinkedHashMap<>();
    need(given instanceof Map, "invalid JSON in header: the metadata are no texts");
    ((Map<?, ?>) given)
        .forEach(
            (name, text) -> {
              need(text instanceof String, "invalid JSON in header: the metadata are no texts");
              made.put((String) name, (String) text);
            });
    return made;
  }

  private static Entry entry(String name, Object given) {
    String invalid = "invalid JSON in header: tensor `" + name + "`";
    need(given instanceof Map && ((Map<?, ?>) given).keySet().equals(PARTS), invalid);
    Map<?, ?> parts = (Map<?, ?>) given;
    long[] shape = numbers(parts.get("shape"), invalid);
    long[] offsets = numbers(parts.get("data_offsets"), invalid);
    need(offsets.length == 2, invalid);
    Object kind = parts.get("dtype");
    ScalarType type = kind instanceof String ? Names.ofSafetensors((String) kind) : null;
    need(type != null, "tensor `" + name + "`: dtype '" + kind + "' is not supported");
    need(shape.length <= 64, "tensor `" + name + "`: " + shape.length + " dimensions");
    BigInteger size = BigInteger.valueOf(type.itemsize());
    BigInteger reach = size;
    for (long n : shape) {
      size = size.multiply(BigInteger.valueOf(n));
      reach = reach.multiply(BigInteger.valueOf(Math.max(1, n)));
    }
    need(reach.bitLength() < 64, "tensor `" + name + "`: the sizes are too large");
    need(
        size.equals(BigInteger.valueOf(offsets[1] - offsets[0])),
        "InvalidOffset(`" + name + "`): the offsets do not fit the shape and dtype");
    return new Entry(name, type, shape, offsets[0], offsets[1]);
  }

  private static long[] numbers(Object given, String invalid) {
    need(given instanceof List, invalid);
    List<?> items = (List<?>) given;
    need(items.stream().allMatch(n -> n instanceof Long && (Long) n >= 0), invalid);
    return items.stream().mapToLong(n -> (Long) n).toArray();
  }

  /** Where the data begins. */
  long start() {
    return start;
  }

  Map<String, String> metadata() {
    return metadata;
  }

  /** The tensors in the order of their data. */
  List<Entry> entries() {
    return entries;
  }
}
