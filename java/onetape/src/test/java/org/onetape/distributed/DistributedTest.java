package org.onetape.distributed;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.onetape.TorchException;

/** Process groups of several Java processes, and the stores by which they meet. */
public class DistributedTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static Process rank(String what, String url, int world, int rank) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-ea");
    String library = System.getProperty("onetape.library");
    if (library != null) {
      command.add("-Donetape.library=" + library);
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(RankProgram.class.getName());
    command.addAll(List.of(what, url, Integer.toString(world), Integer.toString(rank)));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static void run(String what) throws Exception {
    String url = "tcp://127.0.0.1:" + freePort();
    List<Process> ranks = List.of(rank(what, url, 2, 0), rank(what, url, 2, 1));
    for (Process one : ranks) {
      String output = new String(one.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(one.waitFor(60, TimeUnit.SECONDS));
      assertEquals(output, 0, one.exitValue());
    }
  }

  @Test
  public void operations() throws Exception {
    run("operations");
  }

  @Test
  public void asynchronous() throws Exception {
    run("asynchronous");
  }

  @Test
  public void objects() throws Exception {
    run("objects");
  }

  @Test
  public void dataParallelTraining() throws Exception {
    for (String what : List.of("trains", "accumulates", "hooks", "uneven", "shares")) {
      run(what);
    }
  }

  @Test
  public void aRankThatDies() throws Exception {
    run("dies");
  }

  @Test
  public void callsThatDoNotBelongTogether() throws Exception {
    run("differs");
  }

  @Test
  public void otherModelsAreRefused() throws Exception {
    run("models");
  }

  @Test
  public void wrongBeginnings() {
    assertTrue(Distributed.isAvailable() && Distributed.isGlooAvailable());
    assertFalse(Distributed.isInitialized());
    assertEquals(
        "Default process group has not been initialized, please make sure to call"
            + " init_process_group.",
        assertThrows(IllegalArgumentException.class, Distributed::getRank).getMessage());
    assertThrows(
        IllegalArgumentException.class, () -> Distributed.initProcessGroup("nccl", "tcp://x:1"));
    TorchException handler =
        assertThrows(
            TorchException.class, () -> Distributed.initProcessGroup("gloo", "foo://x", "w", 1, 0));
    assertEquals("No rendezvous handler for foo://", handler.getMessage());
    assertTrue(
        assertThrows(
                IllegalArgumentException.class,
                () -> Distributed.initProcessGroup("gloo", "tcp://127.0.0.1:1", "w", -1, 0))
            .getMessage()
            .contains("world size parameter missing"));
    assertThrows(
        DistributedException.class,
        () ->
            Distributed.initProcessGroup(
                "gloo", "tcp://127.0.0.1:1", "w", 2, 1, Duration.ofMillis(200)));
    assertFalse(Distributed.isInitialized());
  }

  @Test
  public void stores() {
    try (Store server = Store.tcpServer(0);
        Store file = Store.file(folder.getRoot().toPath().resolve("store"), 1);
        Store hash = Store.hash()) {
      for (Store store : List.of(server, file, hash, hash.withPrefix("pre"))) {
        store.set("a", "ä");
        assertEquals("ä", store.getString("a"));
        store.set("raw", new byte[] {0, -1});
        assertArrayEquals(new byte[] {0, -1}, store.get("raw"));
        assertEquals(3, store.add("n", 3));
        assertEquals(1, store.add("n", -2));
        store.append("a", "b");
        assertEquals("äb", store.getString("a"));
        assertEquals("c", store.compareSet("a", "äb", "c"));
        assertTrue(store.check("a", "n") && !store.check("a", "none"));
        assertTrue(store.deleteKey("a") && !store.deleteKey("a"));
        assertTrue(store.numKeys() >= 2);
        store.waitFor("n", "raw");
        DistributedException late =
            assertThrows(
                DistributedException.class, () -> store.waitFor(Duration.ofMillis(50), "none"));
        assertTrue(late.getMessage().startsWith("wait timeout after 50ms, keys: /"));
        store.setTimeout(Duration.ofMillis(50));
        assertThrows(DistributedException.class, () -> store.get("none"));
        assertThrows(NullPointerException.class, () -> store.set(null, "x"));
        assertThrows(TorchException.class, () -> store.add("raw", 1));
      }
      assertThrows(IllegalArgumentException.class, hash::port);
    }
  }

  @Test
  public void tokensAndStrangers() throws Exception {
    try (Store server = Store.tcpServer(0, Duration.ofSeconds(20), "secret")) {
      int port = server.port();
      DistributedException refused =
          assertThrows(
              DistributedException.class,
              () -> Store.tcp("127.0.0.1", port, Duration.ofSeconds(5), "wrong"));
      assertTrue(refused.getMessage().contains("ONETAPE_STORE_TOKEN"));
      assertThrows(DistributedException.class, () -> Store.tcpServer(port));
      try (Socket stranger = new Socket("127.0.0.1", port)) {
        stranger.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        assertEquals(-1, stranger.getInputStream().read());
      }
      try (Store client = Store.tcp("127.0.0.1", port, Duration.ofSeconds(5), "secret")) {
        client.set("a", "b");
        assertEquals("b", server.getString("a"));
      }
    }
    Store closed = Store.hash();
    closed.close();
    closed.close();
    assertThrows(IllegalArgumentException.class, () -> closed.set("a", "b"));
  }

  @Test
  public void aGroupOfOne() {
    try (Store store = Store.file(folder.getRoot().toPath().resolve("store"), 1);
        ProcessGroup group =
            Distributed.initProcessGroup("gloo", store, "one", 1, 0, Duration.ofSeconds(20))) {
      assertEquals(1, group.size());
      assertArrayEquals(new int[] {0}, group.ranks());
      group.barrier();
    }
    assertFalse(Distributed.isInitialized());
  }
}
