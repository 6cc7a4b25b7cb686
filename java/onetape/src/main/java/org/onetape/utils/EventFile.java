package org.onetape.utils;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** One event file. Threads may share it. */
final class EventFile {
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final int MOST_WAITING = 10;
  private static final long LONGEST_NANOS = 120_000_000_000L;

  private final OutputStream out;
  private int waiting;
  private long flushed = System.nanoTime();

  EventFile(Path folder) throws IOException {
    Files.createDirectories(folder);
    String name =
        String.format(
            "events.out.tfevents.%010d.%s.%d.%d",
            System.currentTimeMillis() / 1000,
            host(),
            ProcessHandle.current().pid(),
            NUMBERS.getAndIncrement());
    out = new BufferedOutputStream(Files.newOutputStream(folder.resolve(name)));
    write(new Message().float64(1, now()).data(3, "brain.Event:2"));
    flush();
  }

  static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }

  private static double now() {
    return System.currentTimeMillis() / 1e3;
  }

  private synchronized void write(Message event) throws IOException {
    out.write(event.record());
    if (++waiting > MOST_WAITING || System.nanoTime() - flushed > LONGEST_NANOS) {
      flush();
    }
  }

  void add(Message summary, long step) throws IOException {
    write(new Message().float64(1, now()).integer(2, step).data(5, summary));
  }

  synchronized void flush() throws IOException {
    out.flush();
    waiting = 0;
    flushed = System.nanoTime();
  }

  synchronized void close() throws IOException {
    out.close();
  }
}
