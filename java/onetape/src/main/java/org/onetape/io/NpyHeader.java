package org.onetape.io;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.onetape.Tensor;
import org.onetape.TypeException;
import org.onetape.global.torch.ScalarType;

/** What stands before the elements of NumPy's arrays. */
final class NpyHeader {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final int MOST = 1 << 20;
  private static final Pattern ENTRY =
      Pattern.compile(
          "\\s*(?:'(descr)'\\s*:\\s*'([^']*)'|'(fortran_order)'\\s*:\\s*(True|False)"
              + "|'(shape)'\\s*:\\s*\\(([0-9L,\\s]*)\\))\\s*");

  private final int start;
  private final long length;
  private ScalarType type;
  private long[] shape;
  private boolean fortran;
  private boolean foreign;
  private long bytes;

  // ---- writing ----

  /**
   * The header of a tensor.
   *
   * @throws TypeException if NumPy has no such element type
   */
  static byte[] of(Tensor tensor) {
    String code = Names.numpy(tensor.scalar_type());
    if (code == null) {
      throw new TypeException("save_npy: NumPy has no dtype " + Names.dtype(tensor.scalar_type()));
    }
    StringBuilder sizes = new StringBuilder();
    for (long n : tensor.shape()) {
      sizes.append(sizes.length() > 0 ? ", " : "").append(n);
    }
    String text =
        "{'descr': '"
            + (tensor.element_size() == 1 ? "|" : "<")
            + code
            + "', 'fortran_order': False, 'shape': ("
            + sizes
            + (tensor.dim() == 1 ? "," : "")
            + "), }";
    int size = (text.length() + 11 + 63) / 64 * 64 - 10;
    ByteBuffer header = ByteBuffer.allocate(10 + size).order(ByteOrder.LITTLE_ENDIAN);
    header.put(MAGIC).put((byte) 1).put((byte) 0).putShort((short) size);
    header.put(text.getBytes(StandardCharsets.US_ASCII));
    while (header.remaining() > 1) {
      header.put((byte) ' ');
    }
    return header.put((byte) '\n').array();
  }

  // ---- reading ----

  /** Reads how long the header is; first: the first 12 bytes. */
  NpyHeader(byte[] first) {
    need(
        first.length == 12 && Arrays.equals(first, 0, 6, MAGIC, 0, 6),
        "the magic string is not correct");
    need(
        first[6] >= 1 && first[6] <= 3,
        "we only support format version (1,0), (2,0), and (3,0), not version " + first[6]);
    ByteBuffer data = ByteBuffer.wrap(first).order(ByteOrder.LITTLE_ENDIAN);
    start = first[6] == 1 ? 10 : 12;
    length = first[6] == 1 ? data.getShort(8) & 0xFFFF : data.getInt(8) & 0xFFFFFFFFL;
    need(length <= MOST, "the header has " + length + " bytes, which is too large");
  }

  private static void need(boolean condition, String what) {
    if (!condition) {
      throw new IllegalArgumentException(what);
    }
  }

  /** Where the text of the header begins. */
  int start() {
    return start;
  }

  long length() {
    return length;
  }

  /** Where the elements begin. */
  long data() {
    return start + length;
  }

  ScalarType type() {
    return type;
  }

  /** The bytes of all elements. */
  long bytes() {
    return bytes;
  }

  /** Reads the dict that tells type, order and shape. */
  void parse(byte[] header) {
    need(
        header.length == length,
        "EOF: reading array header, expected " + length + " bytes got " + header.length);
    String text = new String(header, StandardCharsets.ISO_8859_1).strip();
    Map<String, String> found = new HashMap<>();
    Matcher entry = ENTRY.matcher(text);
    int at = 1;
    while (text.startsWith("{")
        && at <= text.length()
        && entry.region(at, text.length()).lookingAt()) {
      for (int group = 1; group < 6; group += 2) {
        if (entry.group(group) != null) {
          found.put(entry.group(group), entry.group(group + 1));
        }
      }
      at = entry.end();
      if (at == text.length() || text.charAt(at) != ',') {
        break;
      }
      at++;
    }
    if (found.size() != 3 || !text.substring(at).strip().equals("}")) {
      if (text.contains("'descr': [")) {
        throw new TypeException("an array of records has no tensor");
      }
      need(false, "Cannot parse header: " + text.substring(0, Math.min(200, text.length())));
    }
    setType(found.get("descr"));
    fortran = found.get("fortran_order").equals("True");
    setShape(found.get("shape"));
  }

  private void setType(String code) {
    String name = code.isEmpty() ? "" : code.substring(1);
    need(
        !name.matches("O[48]?") && !code.equals("O"),
        "Object arrays cannot be loaded when allow_pickle=False");
    type = Names.ofNumpy(name);
    if (type == null || "<>|=".indexOf(code.charAt(0)) < 0) {
      throw new TypeException("an array of dtype '" + code + "' has no tensor");
    }
    foreign = code.charAt(0) == '>';
  }

  private void setShape(String text) {
    String invalid =
        "shape is not valid: (" + text.substring(0, Math.min(100, text.length())) + ")";
    try {
      shape =
          Arrays.stream(text.split(","))
              .map(String::strip)
              .filter(part -> !part.isEmpty())
              .mapToLong(part -> Long.parseLong(part.replaceAll("L+$", "")))
              .toArray();
    } catch (NumberFormatException error) {
      throw new IllegalArgumentException(invalid, error);
    }
    need(shape.length <= 64, invalid);
    BigInteger all = BigInteger.valueOf(type.itemsize());
    BigInteger reach = all;
    for (long n : shape) {
      all = all.multiply(BigInteger.valueOf(n));
      reach = reach.multiply(BigInteger.valueOf(Math.max(1, n)));
    }
    need(reach.bitLength() < 64, invalid);
    bytes = all.longValue();
  }

  /** Compares the size with the bytes that there are. */
  void check(long there) {
    need(
        there >= bytes,
        "cannot read " + bytes + " bytes of elements: the file has only " + Math.max(0, there));
  }

  /** The tensor of the elements' bytes. */
  Tensor tensor(Tensor memory) throws IOException {
    try (Tensor own = foreign ? memory.clone() : new Tensor(memory)) {
      if (foreign) {
        Memory.swap(own, Names.width(type));
      }
      return Memory.placed(own, type, shape, Memory.strides(shape, fortran), 0);
    }
  }
}
