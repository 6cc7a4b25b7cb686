package org.onetape;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.onetape.internal.Engine;
import org.onetape.nn.Module;

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
  // Graphviz draws well, but takes minutes for more than this.
  private static final int MOST_FOR_GRAPHVIZ = 1500;
  private static final long GRAPHVIZ_SECONDS = 60;

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

  /**
   * Lets nodes note where they come from until the recording is closed.
   *
   * @param modules those whose paths begin with their own names, such as the model that is trained
   */
  public static GraphRecording record(Module... modules) {
    return new GraphRecording(modules);
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

  /** The graph in Graphviz's language, with the modules as clusters. */
  public String toDot() {
    return text("dot");
  }

  /**
   * A picture: drawn by Graphviz where its program {@code dot} is installed and the graph is not
   * too large for it, else by the engine.
   */
  public String toSvg() {
    String dot = toDot();
    boolean isSmall =
        dot.split(" \\[label=", MOST_FOR_GRAPHVIZ + 2).length <= MOST_FOR_GRAPHVIZ + 1;
    String drawn = isSmall ? drawnByGraphviz(dot) : null;
    return drawn == null ? text("svg") : drawn;
  }

  /**
   * A page that needs nothing else, no network either: drag it, zoom with the wheel, fold modules,
   * search, click a box to see what is known of it and what hangs on it.
   */
  public String toHtml() {
    return text("html");
  }

  /**
   * What is known of the graph, for programs: an object with {@code nodes} (kind, name, shape,
   * module, saved_bytes, freed, grad_norm, places, details; what is not known is left out), {@code
   * edges} (from node, to node, how often), {@code modules} (name, type, parent) and {@code
   * kept_bytes}.
   */
  public String toJson() {
    return text("json");
  }

  /**
   * Writes the graph in the form that the name ends with: .dot, .svg, .html or .json; returns the
   * file.
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
      case ".json":
        text = toJson();
        break;
      default:
        throw new IllegalArgumentException(
            "a graph is saved as .dot, .svg, .html or .json, not as "
                + (ending.isEmpty() ? "a file without ending" : ending));
    }
    return Files.writeString(file, text);
  }

  /** Writes the graph in the form that the name ends with: .dot, .svg, .html or .json. */
  public Path save(String file) throws IOException {
    return save(Path.of(file));
  }

  private String text(String form) {
    return Engine.graphText(
        tensors, names.keySet().toArray(new String[0]), names.values().toArray(), form, title);
  }

  /** What Graphviz draws, or null where it is not installed, does not draw, or takes too long. */
  private static String drawnByGraphviz(String graph) {
    Process process;
    try {
      process =
          new ProcessBuilder("dot", "-Tsvg").redirectError(ProcessBuilder.Redirect.DISCARD).start();
    } catch (IOException e) {
      return null; // there is no such program
    }
    process
        .onExit()
        .orTimeout(GRAPHVIZ_SECONDS, TimeUnit.SECONDS)
        .exceptionally(late -> process.destroyForcibly());
    try (OutputStream input = process.getOutputStream()) {
      input.write(graph.getBytes(StandardCharsets.UTF_8));
      input.close();
      String drawn = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor() == 0 ? drawn : null;
    } catch (IOException e) {
      return null;
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
