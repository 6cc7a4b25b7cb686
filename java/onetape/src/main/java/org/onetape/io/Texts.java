package org.onetape.io;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** UTF-8 that may hold single surrogates, as Python writes them. */
final class Texts {
  private Texts() {}

  static byte[] encode(String text) {
    byte[] plain = text.getBytes(StandardCharsets.UTF_8);
    if (new String(plain, StandardCharsets.UTF_8).equals(text)) {
      return plain;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    text.codePoints()
        .forEach(
            code -> {
              if (code >= 0xD800 && code < 0xE000) {
                out.write(0xE0 | (code >> 12));
                out.write(0x80 | ((code >> 6) & 0x3F));
                out.write(0x80 | (code & 0x3F));
              } else {
                out.writeBytes(Character.toString(code).getBytes(StandardCharsets.UTF_8));
              }
            });
    return out.toByteArray();
  }

  /** The text of bytes; null if they are none. */
  static String decode(byte[] bytes, int start, int size) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, start, size))
          .toString();
    } catch (CharacterCodingException error) {
      return withSurrogates(bytes, start, start + size);
    }
  }

  private static String withSurrogates(byte[] bytes, int start, int end) {
    StringBuilder text = new StringBuilder();
    int plain = start;
    for (int i = start; i + 2 < end; i++) {
      if ((bytes[i] & 0xFF) == 0xED
          && (bytes[i + 1] & 0xE0) == 0xA0
          && (bytes[i + 2] & 0xC0) == 0x80) {
        String before = strict(bytes, plain, i);
        if (before == null) {
          return null;
        }
        int code = 0xD000 | ((bytes[i + 1] & 0x3F) << 6) | (bytes[i + 2] & 0x3F);
        text.append(before).append((char) code);
        plain = i + 3;
        i += 2;
      }
    }
    String rest = strict(bytes, plain, end);
    return rest == null ? null : text.append(rest).toString();
  }

  private static String strict(byte[] bytes, int start, int end) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, start, end - start))
          .toString();
    } catch (CharacterCodingException error) {
      return null;
    }
  }
}
