package org.onetape;

/**
 * Loads native code in other projects; here there is nothing to do, since the library is loaded
 * when it is first needed.
 */
public final class Loader {
  private Loader() {}

  /** Does nothing. */
  public static String load() {
    return "";
  }

  /** Does nothing. */
  public static String load(Class<?> type) {
    return "";
  }

  /** Does nothing. */
  public static String load(Class<?>... types) {
    return "";
  }

  /** Does nothing. */
  public static String load(boolean pathsFirst) {
    return "";
  }

  /** Does nothing. */
  public static String load(Class<?> type, java.util.Properties properties, boolean pathsFirst) {
    return "";
  }
}
