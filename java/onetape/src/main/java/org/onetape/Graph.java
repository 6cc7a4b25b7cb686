package org.onetape;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.onetape.internal.Engine;

/**
 * A picture of the recorded graph behind some tensors: leaves, operations, results, and how data
 * flows between them.
 *
 * <pre>{@code
 * Graph.of(loss).named(model.named_parameters()).save(Path.of("step.svg"));
 * }</pre>
 *
 * <p>The graph is read when a text is asked for; the tensors must not be closed before.
 */
public final class Graph {
  private final Tensor[] tensors;
  private final Map<String, Tensor> names;
  private final String title;

  private Graph(Tensor[] tensors, Map<String, Tensor> names, String title) {
    this.tensors = tensors;
    this.names = names;
    this.title = title;
  }

  /** The graph from the leaves to the given tensors. */
  public static Graph of(Tensor... tensors) {
    return new Graph(tensors.clone(), Map.of(), "The recorded graph");
  }

  /** The graph from the leaves to a tensor, with names of leaves and results. */
  public static Graph of(Tensor tensor, StringTensorDict names) {
    return of(tensor).named(names);
  }

  /** The same graph with a name for one more leaf or result. */
  public Graph named(String name, Tensor tensor) {
    return named(Map.of(name, tensor));
  }

  /** The same graph with names for more leaves and results. */
  public Graph named(Map<String, Tensor> more) {
    Map<String, Tensor> all = new LinkedHashMap<>(names);
    all.putAll(more);
    return new Graph(tensors, all, title);
  }

  /** The same graph with names for more leaves and results, such as the parameters of a module. */
  public Graph named(StringTensorDict more) {
    return named(more.entries());
  }

  /** The same graph with another heading for the page that {@link #toHtml()} makes. */
  public Graph titled(String heading) {
    return new Graph(tensors, names, heading);
  }

  /** The graph in Graphviz's language. */
  public String toDot() {
    return text("dot");
  }

  /**
   * A picture: drawn by Graphviz where its program {@code dot} is installed, else by the engine.
   */
  public String toSvg() {
    String drawn = drawnByGraphviz(toDot());
    return drawn == null ? text("svg") : drawn;
  }

  /**
   * A page that needs nothing else: drag it, zoom with the wheel, search, click a box to see what
   * hangs on it.
   */
  public String toHtml() {
    return text("html");
  }

  /**
   * Writes the graph in the form that the name ends with: .dot, .svg or .html; returns the file.
   *
   * @throws IllegalArgumentException if the name ends otherwise
   * @throws IOException if the file cannot be written
   */
  public Path save(Path file) throws IOException {
    String name = file.getFileName() == null ? "" : file.getFileName().toString();
    int dot = name.lastIndexOf('.');
    String ending = dot > 0 ? name.substring(dot) : "";
    String text;
    switch (ending) {
      case ".dot":
        text = toDot();
        break;
      case ".svg":
        text = toSvg();
        break;
      case ".html":
        text = toHtml();
        break;
      default:
        throw new IllegalArgumentException(
            "a graph is saved as .dot, .svg or .html, not as "
                + (ending.isEmpty() ? "a file without ending" : ending));
    }
    return Files.writeString(file, text);
  }

  /** Writes the graph in the form that the name ends with: .dot, .svg or .html. */
  public Path save(String file) throws IOException {
    return save(Path.of(file));
  }

  private String text(String form) {
    return Engine.graphText(
        tensors, names.keySet().toArray(new String[0]), names.values().toArray(), form, title);
  }

  /** What Graphviz draws, or null where it is not installed or does not draw. */
  private static String drawnByGraphviz(String graph) {
    try {
      Process process =
          new ProcessBuilder("dot", "-Tsvg").redirectError(ProcessBuilder.Redirect.DISCARD).start();
      try (OutputStream input = process.getOutputStream()) {
        input.write(graph.getBytes(StandardCharsets.UTF_8));
      }
      String drawn = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor() == 0 ? drawn : null;
    } catch (IOException e) {
      return null; // there is no such program
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /** The graph in Graphviz's language. */
  @Override
  public String toString() {
    return toDot();
  }
}
