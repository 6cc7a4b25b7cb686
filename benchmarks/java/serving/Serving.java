import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.NotificationEmitter;
import com.sun.management.GarbageCollectionNotificationInfo;
import javax.management.openmbean.CompositeData;

/**
 * Threads that ask a model for single rows: {@code Serving onetape|djl FOLDER THREADS SECONDS}. Prints a name and
 * a figure a line: seconds for the latencies and pauses, answers a second, and the scores of one row.
 */
public final class Serving {
  private static final int FEATURES = 784;
  private static final int MOST = 4_000_000;

  /** What one thread measured. */
  private static final class Client extends Thread {
    private final Served.Model model;
    private final CountDownLatch start;
    private final long seconds;
    private final float[] row = new float[FEATURES];
    final long[] nanos;
    int answers;

    Client(Served.Model model, CountDownLatch start, long seconds, int threads, int number) {
      this.model = model;
      this.start = start;
      this.seconds = seconds;
      this.nanos = new long[MOST / threads];
      Random random = new Random(number);
      for (int i = 0; i < FEATURES; i++) {
        row[i] = random.nextFloat();
      }
    }

    @Override
    public void run() {
      try (Served served = model.forThread()) {
        start.countDown();
        start.await();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        long before = System.nanoTime();
        while (before < end && answers < nanos.length) {
          served.answer(row);
          long now = System.nanoTime();
          nanos[answers++] = now - before;
          before = now;
        }
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static long[] measure(Served.Model model, int threads, long seconds) throws Exception {
    CountDownLatch start = new CountDownLatch(threads);
    Client[] clients = new Client[threads];
    for (int i = 0; i < threads; i++) {
      clients[i] = new Client(model, start, seconds, threads, i);
      clients[i].start();
    }
    long[] all = new long[0];
    for (Client client : clients) {
      client.join();
      int have = all.length;
      all = Arrays.copyOf(all, have + client.answers);
      System.arraycopy(client.nanos, 0, all, have, client.answers);
    }
    Arrays.sort(all);
    return all;
  }

  /** The longest pause of a collector from now on, in milliseconds. */
  private static AtomicLong watchPauses() {
    AtomicLong longest = new AtomicLong();
    for (var bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) bean)
          .addNotificationListener(
              (notice, ignored) -> {
                var info = GarbageCollectionNotificationInfo.from((CompositeData) notice.getUserData());
                longest.accumulateAndGet(info.getGcInfo().getDuration(), Math::max);
              },
              notice -> notice.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION),
              null);
    }
    return longest;
  }

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[1]);
    int threads = Integer.parseInt(args[2]);
    long seconds = Long.parseLong(args[3]);
    try (Served.Model model =
        (Served.Model)
            Class.forName(args[0].equals("djl") ? "DjlModel" : "OnetapeModel")
                .getDeclaredConstructor(Path.class)
                .newInstance(folder)) {
      float[] row = new float[FEATURES];
      Arrays.fill(row, 0.5f);
      try (Served one = model.forThread()) {
        System.out.println("scores " + Arrays.toString(one.answer(row)));
      }
      measure(model, threads, Math.max(2, seconds / 2)); // for the compiler
      AtomicLong pause = watchPauses();
      long[] nanos = measure(model, threads, seconds);
      System.out.printf("median %.3e%n", nanos[nanos.length / 2] * 1e-9);
      System.out.printf("p99 %.3e%n", nanos[(int) (nanos.length * 0.99)] * 1e-9);
      System.out.printf("throughput %.6e%n", (double) nanos.length / seconds);
      System.out.printf("pause %.3e%n", pause.get() * 1e-3);
    }
  }

  private Serving() {}
}
