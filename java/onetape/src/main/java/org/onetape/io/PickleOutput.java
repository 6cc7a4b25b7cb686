package org.onetape.io;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.onetape.TorchException;

/** The bytes of a pickle: opcodes and numbers. */
final class PickleOutput {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  void write(int code) {
    out.write(code);
  }

  void write(byte[] bytes) {
    out.writeBytes(bytes);
  }

  byte[] toByteArray() {
    return out.toByteArray();
  }

  void place(int small, int large, int at) {
    if (at < 256) {
      out.write(small);
      out.write(at);
    } else {
      out.write(large);
      little(4, at);
    }
  }

  void little(int size, long value) {
    for (int i = 0; i < size; i++) {
      out.write((int) (value >> (8 * i)));
    }
  }

  void number(double value) {
    out.write('G');
    out.writeBytes(ByteBuffer.allocate(8).order(ByteOrder.BIG_ENDIAN).putDouble(value).array());
  }

  void integer(long value) {
    if (value >= 0 && value < 256) {
      out.write('K');
      out.write((int) value);
    } else if (value >= 0 && value < 65536) {
      out.write('M');
      little(2, value);
    } else if (value == (int) value) {
      out.write('J');
      little(4, value);
    } else {
      integer(BigInteger.valueOf(value));
    }
  }

  void integer(BigInteger value) {
    if (value.bitLength() < 32) {
      integer(value.longValue());
      return;
    }
    byte[] big = value.toByteArray();
    if (big.length > 255) {
      throw new TorchException(
          "save: an integer has more than 255 bytes, which PyTorch would not load");
    }
    out.write(0x8a);
    out.write(big.length);
    for (int i = big.length - 1; i >= 0; i--) {
      out.write(big[i]);
    }
  }
}
