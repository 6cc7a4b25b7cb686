package org.onetape.utils;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** A message of protocol buffers, put together field by field. */
final class Message {
  private static final int MASK = 0xa282ead8;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private Message key(int field, int wire) {
    varint((long) field << 3 | wire);
    return this;
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  private static ByteBuffer buffer(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** An integer field. */
  Message integer(int field, long value) {
    key(field, 0).varint(value);
    return this;
  }

  /** A field of 64 bits. */
  Message float64(int field, double value) {
    key(field, 1).out.writeBytes(buffer(8).putDouble(value).array());
    return this;
  }

  /** A field of 32 bits. */
  Message float32(int field, float value) {
    key(field, 5).out.writeBytes(buffer(4).putFloat(value).array());
    return this;
  }

  /** A field of many numbers of 64 bits. */
  Message float64s(int field, double[] values) {
    ByteBuffer numbers = buffer(8 * values.length);
    for (double value : values) {
      numbers.putDouble(value);
    }
    return data(field, numbers.array());
  }

  /** A field of bytes. */
  Message data(int field, byte[] bytes) {
    key(field, 2).varint(bytes.length);
    out.writeBytes(bytes);
    return this;
  }

  /** A field that is a text. */
  Message data(int field, String text) {
    return data(field, text.getBytes(StandardCharsets.UTF_8));
  }

  /** A field that is another message. */
  Message data(int field, Message message) {
    return data(field, message.out.toByteArray());
  }

  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return Integer.rotateRight((int) crc.getValue(), 15) + MASK;
  }

  /** The message as a record of an event file: length and data, each with its checksum. */
  byte[] record() {
    byte[] data = out.toByteArray();
    byte[] length = buffer(8).putLong(data.length).array();
    return buffer(data.length + 16)
        .put(length)
        .putInt(checksum(length))
        .put(data)
        .putInt(checksum(data))
        .array();
  }
}
