package org.onetape.data;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import org.onetape.Tensor;
import org.onetape.internal.ArrayTensors;

/** The IDX format: two zero bytes, a type, the number of sizes, the sizes, the elements. */
final class IdxFile {
  private static final int GZIP = 0x1f8b;
  private static final int MOST_DIMS = 64;

  private IdxFile() {}

  static Tensor read(Path file) throws IOException {
    try (InputStream raw = new BufferedInputStream(Files.newInputStream(file))) {
      raw.mark(2);
      boolean compressed = (raw.read() << 8 | raw.read()) == GZIP;
      raw.reset();
      return read(new DataInputStream(compressed ? new GZIPInputStream(raw) : raw));
    } catch (EOFException e) {
      throw new IOException("readIdx: " + file + ": the file is truncated", e);
    } catch (IOException e) {
      if (e instanceof FileSystemException) {
        throw e;
      }
      throw new IOException("readIdx: " + file + ": " + e.getMessage(), e);
    }
  }

  private static Tensor read(DataInputStream in) throws IOException {
    if (in.readUnsignedShort() != 0) {
      throw new IOException("not an IDX file");
    }
    int type = in.readUnsignedByte();
    int itemSize = itemSize(type);
    int dims = in.readUnsignedByte();
    if (dims > MOST_DIMS) {
      throw new IOException("too many dimensions: " + dims);
    }
    long[] sizes = new long[dims];
    long bytes = itemSize;
    for (int i = 0; i < dims; i++) {
      sizes[i] = Integer.toUnsignedLong(in.readInt());
      bytes =
          sizes[i] != 0 && bytes > Long.MAX_VALUE / sizes[i] ? Long.MAX_VALUE : bytes * sizes[i];
    }
    if (bytes > Integer.MAX_VALUE - 64) {
      throw new IOException("sizes " + Arrays.toString(sizes) + " are too large for an array");
    }
    byte[] elements = take(in, (int) bytes);
    if (in.read() >= 0) {
      throw new IOException("there is more than the elements of sizes " + Arrays.toString(sizes));
    }
    return tensor(type, ByteBuffer.wrap(elements), sizes);
  }

  /** Reads by and by, so that a false size takes no more memory than the file has. */
  private static byte[] take(InputStream in, int count) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] part = new byte[1 << 16];
    int left = count;
    while (left > 0) {
      int got = in.read(part, 0, Math.min(part.length, left));
      if (got < 0) {
        throw new EOFException();
      }
      out.write(part, 0, got);
      left -= got;
    }
    return out.toByteArray();
  }

  private static int itemSize(int type) throws IOException {
    switch (type) {
      case 0x08:
      case 0x09:
        return 1;
      case 0x0B:
        return 2;
      case 0x0C:
      case 0x0D:
        return 4;
      case 0x0E:
        return 8;
      default:
        throw new IOException(String.format("unknown type of elements: 0x%02x", type));
    }
  }

  private static Tensor tensor(int type, ByteBuffer elements, long[] sizes) {
    int count = elements.remaining() / size(type);
    switch (type) {
      case 0x08:
      case 0x09:
        return bytes(elements.array(), type == 0x09, sizes);
      case 0x0B:
        short[] shorts = new short[count];
        elements.asShortBuffer().get(shorts);
        return ArrayTensors.tensor(shorts, sizes, null);
      case 0x0C:
        int[] ints = new int[count];
        elements.asIntBuffer().get(ints);
        return ArrayTensors.tensor(ints, sizes, null);
      case 0x0D:
        float[] floats = new float[count];
        elements.asFloatBuffer().get(floats);
        return ArrayTensors.tensor(floats, sizes, null);
      default:
        double[] doubles = new double[count];
        elements.asDoubleBuffer().get(doubles);
        return ArrayTensors.tensor(doubles, sizes, null);
    }
  }

  private static int size(int type) {
    return type < 0x0B ? 1 : type == 0x0B ? 2 : type == 0x0E ? 8 : 4;
  }

  private static Tensor bytes(byte[] values, boolean signed, long[] sizes) {
    try (Tensor flat = Tensor.create(values, signed, values.length)) {
      return flat.reshape(sizes);
    }
  }
}
