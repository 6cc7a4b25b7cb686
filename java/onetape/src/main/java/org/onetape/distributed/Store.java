package org.onetape.distributed;

import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.onetape.internal.Groups;

/**
 * A small table of keys and values that the processes of a group share, to find each other by.
 *
 * <p>Calls may come from any thread; those that wait end with a {@link DistributedException} at the
 * timeout.
 */
public final class Store implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final long handle;
  private final Cleaner.Cleanable owned;

  private Store(long handle) {
    this.handle = handle;
    owned = Groups.owned(this, handle, Groups.STORE);
  }

  /** A store that this process keeps for others, on a port; 0 for any free one. */
  public static Store tcpServer(int port) {
    return tcpServer(port, PATIENCE, null);
  }

  /**
   * A store that this process keeps for others, on a port; 0 for any free one.
   *
   * @param token what the others must know; null for that of the environment (ONETAPE_STORE_TOKEN)
   * @throws DistributedException if the port is taken
   */
  public static Store tcpServer(int port, Duration timeout, String token) {
    return new Store(Groups.tcpStore("127.0.0.1", port, true, -1, timeout.toMillis(), token));
  }

  /** The store that another process keeps. */
  public static Store tcp(String host, int port) {
    return tcp(host, port, PATIENCE, null);
  }

  /**
   * The store that another process keeps; waits for it.
   *
   * @throws DistributedException if nobody answers there in time, or the token is wrong
   */
  public static Store tcp(String host, int port, Duration timeout, String token) {
    return new Store(Groups.tcpStore(host, port, false, -1, timeout.toMillis(), token));
  }

  /** A store in a file, which the last of as many processes removes; with 0, nobody does. */
  public static Store file(Path path, int worldSize) {
    return new Store(Groups.fileStore(path.toString(), worldSize));
  }

  /** A store within this process. */
  public static Store hash() {
    return new Store(Groups.hashStore());
  }

  /** This store under keys with a prefix. */
  public Store withPrefix(String prefix) {
    return new Store(Groups.prefixStore(prefix, handle));
  }

  long handle() {
    return handle;
  }

  /** The port of a store that is reached by TCP. */
  public int port() {
    return Groups.storePort(handle);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Sets the value of a key. */
  public void set(String key, byte[] value) {
    Groups.storeSet(handle, key, value);
  }

  /** Sets the value of a key. */
  public void set(String key, String value) {
    set(key, bytes(value));
  }

  /** The value of a key; waits until there is one. */
  public byte[] get(String key) {
    return Groups.storeGet(handle, key);
  }

  /** The value of a key as text; waits until there is one. */
  public String getString(String key) {
    return new String(get(key), StandardCharsets.UTF_8);
  }

  /** Adds to the number that a key holds, 0 if none; returns the sum. */
  public long add(String key, long amount) {
    return Groups.storeAdd(handle, key, amount);
  }

  /** Adds to the end of the value of a key. */
  public void append(String key, String value) {
    Groups.storeAppend(handle, key, bytes(value));
  }

  /**
   * Sets a value if the key has the expected one, or has none and {@code expected} is empty.
   * Returns what it has after that.
   */
  public String compareSet(String key, String expected, String desired) {
    byte[] now = Groups.storeCompareSet(handle, key, bytes(expected), bytes(desired));
    return new String(now, StandardCharsets.UTF_8);
  }

  /** Removes a key; true if there was one. */
  public boolean deleteKey(String key) {
    return Groups.storeDelete(handle, key);
  }

  /** Do all keys have values? */
  public boolean check(String... keys) {
    return Groups.storeCheck(handle, keys);
  }

  /** How many keys there are. */
  public long numKeys() {
    return Groups.storeCount(handle);
  }

  /** Waits until all keys have values. */
  public void waitFor(String... keys) {
    Groups.storeWait(handle, keys, -1);
  }

  /** Waits until all keys have values, not longer than the timeout. */
  public void waitFor(Duration timeout, String... keys) {
    Groups.storeWait(handle, keys, timeout.toMillis());
  }

  /** How long {@link #get} and {@link #waitFor(String...)} wait. */
  public void setTimeout(Duration timeout) {
    Groups.storeSetTimeout(handle, timeout.toMillis());
  }

  /** Lets go of the store; a group that uses it keeps it. */
  @Override
  public void close() {
    owned.clean();
  }
}
