package org.onetape.io;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes the JSON of safetensors headers: objects, arrays, texts and whole numbers. */
final class Json {
  private static final int DEPTH = 8;

  private final String text;
  private int at;
  private int depth;

  private Json(String text) {
    this.text = text;
  }

  /**
   * The value of a text.
   *
   * @throws IllegalArgumentException if it is none
   */
  static Object read(String text) {
    Json json = new Json(text);
    Object value = json.value();
    json.skip();
    if (json.at != text.length()) {
      throw json.wrong("trailing characters");
    }
    return value;
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException(what + " at column " + at);
  }

  private void skip() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char next() {
    skip();
    if (at == text.length()) {
      throw wrong("EOF while parsing a value");
    }
    return text.charAt(at);
  }

  private boolean taken(char sign) {
    boolean there = next() == sign;
    at += there ? 1 : 0;
    return there;
  }

  private void take(char sign) {
    if (!taken(sign)) {
      throw wrong("expected `" + sign + "`");
    }
  }

  private Object value() {
    char first = next();
    if (first == '"') {
      return string();
    }
    if (first != '{' && first != '[') {
      return number();
    }
    if (++depth > DEPTH) {
      throw wrong("recursion limit exceeded");
    }
    Object made = first == '{' ? object() : array();
    depth--;
    return made;
  }

  private Map<String, Object> object() {
    Map<String, Object> made = new LinkedHashMap<>();
    take('{');
    if (taken('}')) {
      return made;
    }
    do {
      next();
      String key = string();
      take(':');
      if (made.containsKey(key)) {
        throw wrong("duplicate keys");
      }
      made.put(key, value());
    } while (taken(','));
    take('}');
    return made;
  }

  private List<Object> array() {
    List<Object> made = new ArrayList<>();
    take('[');
    if (taken(']')) {
      return made;
    }
    do {
      made.add(value());
    } while (taken(','));
    take(']');
    return made;
  }

  private Long number() {
    int start = at;
    while (at < text.length() && "-0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    try {
      return Long.valueOf(text.substring(start, at));
    } catch (NumberFormatException error) {
      throw wrong("expected a whole number");
    }
  }

  private String string() {
    take('"');
    StringBuilder made = new StringBuilder();
    while (at < text.length() && text.charAt(at) != '"') {
      char sign = text.charAt(at++);
      if (sign < ' ') {
        throw wrong("control character in a string");
      }
      made.append(sign == '\\' ? escaped() : sign);
    }
    if (at == text.length()) {
      throw wrong("EOF while parsing a string");
    }
    at++;
    return made.toString();
  }

  private char escaped() {
    if (at == text.length()) {
      throw wrong("EOF while parsing a string");
    }
    char sign = text.charAt(at++);
    int plain = "\"\\/bfnrt".indexOf(sign);
    if (plain >= 0) {
      return "\"\\/\b\f\n\r\t".charAt(plain);
    }
    if (sign != 'u' || at + 4 > text.length()) {
      throw wrong("invalid escape");
    }
    int code = 0;
    for (int end = at + 4; at < end; at++) {
      int digit = Character.digit(text.charAt(at), 16);
      if (digit < 0) {
        throw wrong("invalid escape");
      }
      code = code * 16 + digit;
    }
    return (char) code;
  }

  /** The text of a string, an object, an array or a whole number. */
  static String write(Object value) {
    StringBuilder made = new StringBuilder();
    write(value, made);
    return made.toString();
  }

  private static void write(Object value, StringBuilder out) {
    if (value instanceof Map) {
      String gap = "{";
      for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
        out.append(gap);
        quote((String) entry.getKey(), out);
        out.append(':');
        write(entry.getValue(), out);
        gap = ",";
      }
      out.append(gap.equals("{") ? "{}" : "}");
    } else if (value instanceof List) {
      String gap = "[";
      for (Object item : (List<?>) value) {
        out.append(gap);
        write(item, out);
        gap = ",";
      }
      out.append(gap.equals("[") ? "[]" : "]");
    } else if (value instanceof String) {
      quote((String) value, out);
    } else {
      out.append(value);
    }
  }

  private static void quote(String text, StringBuilder out) {
    out.append('"');
    for (char sign : text.toCharArray()) {
      int special = "\"\\\b\f\n\r\t".indexOf(sign);
      if (special >= 0) {
        out.append('\\').append("\"\\bfnrt".charAt(special));
      } else if (sign < ' ') {
        out.append(String.format("\\u%04x", (int) sign));
      } else {
        out.append(sign);
      }
    }
    out.append('"');
  }
}
