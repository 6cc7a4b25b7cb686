package org.onetape;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.onetape.internal.Engine;
import org.onetape.internal.GraphNews;
import org.onetape.internal.Recording;
import org.onetape.nn.Module;

/**
 * A live view of a running training: its graph and the gradient norms of its parameters, in the
 * browser.
 *
 * <pre>{@code
 * try (GraphServer view = GraphServer.start(net)) {
 *   System.out.println(view.url());
 *   for (Batch batch : batches) {
 *     optimizer.zero_grad();
 *     Tensor loss = lossOf(net, batch);
 *     loss.backward();
 *     view.update(loss);
 *     optimizer.step();
 *   }
 * }
 * }</pre>
 *
 * <p>It listens on 127.0.0.1 alone, and answers only who knows the random token in its address.
 * While nobody looks, {@link #update} returns at once; while somebody does, it hands out as many
 * graphs as the page asks for, and nodes note where they come from as in {@link Graph#record}.
 */
public final class GraphServer implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final int MOST_THREADS = 16;
  private static final int TOKEN_BYTES = 24;
  private static final Map<String, String> HEADERS =
      Map.of(
          "Cache-Control", "no-store",
          "Content-Security-Policy",
              "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
                  + "connect-src 'self'; frame-ancestors 'none'",
          "Cross-Origin-Resource-Policy", "same-origin",
          "Referrer-Policy", "no-referrer",
          "X-Content-Type-Options", "nosniff");

  private final Module[] modules;
  private final GraphNews news = new GraphNews();
  private final AtomicLong step = new AtomicLong();
  private final HttpServer server;
  private final ThreadPoolExecutor threads;
  private final String token = newToken();
  private final byte[] page;
  private final Set<String> hosts;
  private volatile boolean recording;
  private boolean closed;

  private GraphServer(String title, int port, Module... modules) throws IOException {
    this.modules = modules.clone();
    page = Engine.graphLivePage(title).getBytes(StandardCharsets.UTF_8);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getByName(HOST), port), 0);
    hosts = Set.of(HOST + ":" + port(), "localhost:" + port());
    threads =
        new ThreadPoolExecutor(
            MOST_THREADS,
            MOST_THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            GraphServer::daemon);
    threads.allowCoreThreadTimeOut(true);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
  }

  /**
   * Starts a live view on a free port.
   *
   * @param modules those whose parameters have their names in the view, such as the model
   * @throws IOException if no port can be had
   */
  public static GraphServer start(Module... modules) throws IOException {
    return start(0, modules);
  }

  /**
   * Starts a live view on a port.
   *
   * @throws IOException if the port is taken
   */
  public static GraphServer start(int port, Module... modules) throws IOException {
    GraphServer view = new GraphServer("Live graph", port, modules);
    // The thread that takes connections is made here, and is a daemon as its maker is.
    Thread starter = daemon(view.server::start);
    starter.start();
    try {
      starter.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return view;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "onetape graph server");
    thread.setDaemon(true);
    return thread;
  }

  private static String newToken() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** The port on 127.0.0.1. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** The address to open in a browser. */
  public String url() {
    return "http://" + HOST + ":" + port() + "/" + token + "/";
  }

  /** Whether somebody looks, or has until some seconds ago. */
  public boolean isWatched() {
    return news.isLookedAt();
  }

  /**
   * To be called once a step, best after {@code backward()}: shows the graph behind the tensors if
   * somebody looks.
   */
  public void update(Tensor... tensors) {
    long now = step.incrementAndGet();
    if (news.isWanted() || recording) {
      show(now, tensors);
    }
  }

  private synchronized void show(long now, Tensor... tensors) {
    record(!closed && isWatched());
    if (closed || !news.isWanted()) {
      return;
    }
    try (MemoryScope scope = new MemoryScope()) {
      news.put(now, Graph.of(tensors).named(names()).toJson());
    }
  }

  /** The parameters under their paths, after the module's name where there are several modules. */
  private Map<String, Tensor> names() {
    Map<String, Tensor> names = new LinkedHashMap<>();
    for (Module module : modules) {
      String prefix = modules.length == 1 ? "" : module.name() + ".";
      module
          .named_parameters()
          .entries()
          .forEach((name, tensor) -> names.put(prefix + name, tensor));
    }
    return names;
  }

  private void record(boolean on) {
    if (on == recording) {
      return;
    }
    // Not a GraphRecording, which would end with the scope of the step.
    if (on) {
      Recording.start(modules);
    } else {
      Recording.stop();
    }
    recording = on;
  }

  // ---- answers ----

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getRawPath();
      String[] parts = path == null ? new String[0] : path.split("/", 3);
      String host = exchange.getRequestHeaders().getFirst("Host");
      // A page of another site must not reach this one by a name of its own that leads here.
      if (host == null || !hosts.contains(host)) {
        send(exchange, 403, "this address is known by another name\n");
      } else if (parts.length < 2 || !isToken(parts[1])) {
        send(exchange, 403, "the token is missing or wrong\n");
      } else if (!Set.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
        send(exchange, 405, "there is nothing to change here\n");
      } else if (parts.length == 2 || parts[2].isEmpty()) {
        send(exchange, 200, page, "text/html; charset=utf-8");
      } else if (parts[2].equals("graph")) {
        byte[] body = news.after(version(exchange.getRequestURI().getRawQuery()));
        send(exchange, body == null ? 204 : 200, body, "application/json");
      } else {
        send(exchange, 404, "there is no such page\n");
      }
    }
  }

  private boolean isToken(String given) {
    return MessageDigest.isEqual(
        given.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
  }

  /** Of {@code after=12}, 12; of anything else 0. */
  private static long version(String query) {
    return query != null && query.matches("after=[0-9]{1,18}")
        ? Long.parseLong(query.substring(6))
        : 0;
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    send(exchange, status, text.getBytes(StandardCharsets.UTF_8), "text/plain; charset=utf-8");
  }

  private static void send(HttpExchange exchange, int status, byte[] body, String type)
      throws IOException {
    Headers headers = exchange.getResponseHeaders();
    HEADERS.forEach(headers::set);
    boolean isEmpty = body == null || exchange.getRequestMethod().equals("HEAD");
    if (body != null) {
      headers.set("Content-Type", type);
    }
    exchange.sendResponseHeaders(status, isEmpty ? -1 : body.length);
    if (!isEmpty) {
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(body);
      }
    }
  }

  /** Ends the view and frees its port; does nothing when called again. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      record(false);
    }
    news.close();
    server.stop(0);
    threads.shutdownNow();
  }

  @Override
  public String toString() {
    return closed ? "GraphServer, closed" : "GraphServer on port " + port();
  }
}
