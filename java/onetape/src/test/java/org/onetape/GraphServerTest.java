package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.global.torch;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.ReLUImpl;
import org.onetape.nn.SequentialImpl;

public class GraphServerTest {
  private GraphServer view;

  @Before
  public void start() throws IOException {
    view = GraphServer.start();
  }

  @After
  public void close() {
    view.close();
  }

  /** The token between slashes. */
  private static String home(GraphServer server) {
    return server.url().replaceFirst("http://127.0.0.1:[0-9]+", "");
  }

  /** A whole answer to a request that is written as it stands, so that it may be no good one. */
  private static String raw(GraphServer server, String request) {
    try (Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), server.port())) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      InputStream answer = socket.getInputStream();
      return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String ask(GraphServer server, String method, String path, String host) {
    String head = method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n";
    return raw(server, head + "\r\n");
  }

  private static String ask(GraphServer server, String path) {
    return ask(server, "GET", path, "127.0.0.1:" + server.port());
  }

  private static int status(String answer) {
    Matcher first = Pattern.compile("HTTP/1.1 ([0-9]+) .*", Pattern.DOTALL).matcher(answer);
    assertTrue(answer, first.matches());
    return Integer.parseInt(first.group(1));
  }

  private static JsonObject news(String answer) {
    assertEquals(200, status(answer));
    String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
    return JsonParser.parseString(body).getAsJsonObject();
  }

  /** Asks for news; returns when the server knows that it is waited for. */
  private static CompletableFuture<String> later(GraphServer server, long after) throws Exception {
    CompletableFuture<String> news =
        CompletableFuture.supplyAsync(() -> ask(server, home(server) + "graph?after=" + after));
    TimeUnit.MILLISECONDS.sleep(50);
    for (int i = 0; i < 1000 && !server.isWatched(); i++) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    return news;
  }

  @Test
  public void thePageNeedsTheToken() {
    String page = ask(view, home(view));
    assertEquals(200, status(page));
    assertTrue(page.contains("<!DOCTYPE html>") && page.contains("default-src 'none'"));
    String token = home(view).replace("/", "");
    assertEquals(32, token.length());
    for (String path :
        new String[] {
          "/",
          "/graph",
          "/" + token + "x/",
          "/x/" + token + "/",
          "//" + token + "/",
          "/?" + token,
          "/%00/"
        }) {
      assertEquals(path, 403, status(ask(view, path)));
    }
    assertFalse(view.toString().contains(token));
  }

  @Test
  public void thereAreNoFiles() {
    for (String path :
        new String[] {"../../etc/passwd", "..%2f..%2fetc/passwd", "page.html", "graph/", "./"}) {
      assertEquals(path, 404, status(ask(view, home(view) + path)));
    }
    assertEquals(403, status(ask(view, "/.." + home(view))));
  }

  @Test
  public void otherNamesOfTheHostAreRefused() {
    for (String host :
        new String[] {"evil.example", "evil.example:" + view.port(), "127.0.0.1", ""}) {
      assertEquals(host, 403, status(ask(view, "GET", home(view), host)));
    }
    assertEquals(200, status(ask(view, "GET", home(view), "localhost:" + view.port())));
    assertTrue(raw(view, "GET " + home(view) + " HTTP/1.0\r\n\r\n").contains(" 403 "));
  }

  @Test
  public void nothingCanBeChanged() {
    for (String method : new String[] {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
      assertEquals(405, status(ask(view, method, home(view), "127.0.0.1:" + view.port())));
    }
    String head = ask(view, "HEAD", home(view), "127.0.0.1:" + view.port());
    assertEquals(200, status(head));
    assertTrue(head.endsWith("\r\n\r\n"));
  }

  @Test
  public void whoAsksGetsTheNextStep() throws Exception {
    SequentialImpl net = new SequentialImpl(new LinearImpl(2, 3), new ReLUImpl());
    try (GraphServer server = GraphServer.start(net)) {
      assertFalse(server.isWatched());
      CompletableFuture<String> first = later(server, 0);
      try (MemoryScope step = new MemoryScope()) {
        Tensor loss = net.forward(torch.ones(1, 2)).sum();
        loss.backward();
        server.update(loss);
      }
      JsonObject news = news(first.get(30, TimeUnit.SECONDS));
      assertEquals(1, news.get("step").getAsInt());
      assertTrue(node(news, "0.weight").has("grad_norm"));
      assertFalse(node(news, "AddmmBackward0").has("places"));
      // From now on nodes note where they come from; what is known already is handed out at once.
      assertEquals(news, news(ask(server, home(server) + "graph?after=0")));
      CompletableFuture<String> second = later(server, 1);
      TimeUnit.MILLISECONDS.sleep(300);
      server.update(net.forward(torch.ones(1, 2)), net.forward(torch.ones(2, 2)));
      news = news(second.get(30, TimeUnit.SECONDS));
      assertEquals(2, news.get("step").getAsInt());
      assertTrue(node(news, "AddmmBackward0").get("places").toString().contains("GraphServerTest"));
    }
    assertFalse(Graph.of(net.forward(torch.ones(1, 2))).toJson().contains("places"));
  }

  private static JsonObject node(JsonObject news, String name) {
    for (JsonElement node : news.getAsJsonObject("graph").getAsJsonArray("nodes")) {
      if (node.getAsJsonObject().get("name").getAsString().equals(name)) {
        return node.getAsJsonObject();
      }
    }
    throw new AssertionError(name + " is not in " + news);
  }

  @Test
  public void nobodyLookingCostsNothing() {
    Tensor loss = torch.ones(1).requires_grad_(true).mul(2);
    long begin = System.nanoTime();
    for (int i = 0; i < 100_000; i++) {
      view.update(loss);
    }
    assertTrue(
        System.nanoTime() - begin < 500_000_000L); // a graph would take a thousand times as long
    assertFalse(view.isWatched());
  }

  @Test
  public void strangeVersionsAreNone() throws Exception {
    CompletableFuture<String> first = later(view, 0);
    view.update(torch.ones(1));
    first.get(30, TimeUnit.SECONDS);
    for (String query :
        new String[] {"", "?after=", "?after=-1", "?after=x", "?after=99999999999999999999"}) {
      assertEquals(query, 200, status(ask(view, home(view) + "graph" + query)));
    }
  }

  @Test
  public void closingFreesThePortAndLetsGoOfWhoWaits() throws Exception {
    CompletableFuture<Void> waiting = later(view, 0).handle((answer, error) -> null);
    int port = view.port();
    String token = home(view);
    view.close();
    view.close();
    waiting.get(20, TimeUnit.SECONDS);
    view.update(torch.ones(1)); // a loop may go on
    assertFalse(view.isWatched());
    assertEquals("GraphServer, closed", view.toString());
    assertThrows(ConnectException.class, () -> new Socket("127.0.0.1", port).close());
    try (GraphServer again = GraphServer.start(port)) {
      assertEquals(200, status(ask(again, home(again))));
      assertNotEquals(token, home(again));
    }
  }

  @Test
  public void twoViewsAndAPortThatIsTaken() throws IOException {
    try (GraphServer other = GraphServer.start()) {
      assertEquals(403, status(ask(view, home(other))));
      assertEquals(200, status(ask(other, home(other))));
    }
    assertThrows(BindException.class, () -> GraphServer.start(view.port()));
    assertThrows(IllegalArgumentException.class, () -> GraphServer.start(70_000));
  }

  @Test
  public void manyAskWhileThreadsTrain() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    List<CompletableFuture<Void>> trainers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      LinearImpl net = new LinearImpl(4, 1);
      trainers.add(
          CompletableFuture.runAsync(
              () -> {
                while (!stop.get()) {
                  try (MemoryScope scope = new MemoryScope()) {
                    Tensor loss = net.forward(torch.randn(8, 4)).square().mean();
                    loss.backward();
                    view.update(loss);
                    net.zero_grad();
                  }
                }
              },
              task -> new Thread(task).start()));
    }
    List<CompletableFuture<Void>> lookers = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      lookers.add(CompletableFuture.runAsync(this::lookTenTimes, task -> new Thread(task).start()));
    }
    for (CompletableFuture<Void> looker : lookers) {
      looker.get(60, TimeUnit.SECONDS);
    }
    stop.set(true);
    for (CompletableFuture<Void> trainer : trainers) {
      trainer.get(60, TimeUnit.SECONDS);
    }
  }

  private void lookTenTimes() {
    long version = 0;
    for (int i = 0; i < 10; i++) {
      long next = news(ask(view, home(view) + "graph?after=" + version)).get("version").getAsLong();
      assertTrue(next > version);
      version = next;
    }
  }
}
