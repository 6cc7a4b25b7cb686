package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.onetape.global.torch;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.Module;
import org.onetape.nn.ReLUImpl;
import org.onetape.nn.SequentialImpl;

public class GraphTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private static Tensor leaf(double... values) {
    return tensor(values, requires_grad(true));
  }

  @Test
  public void leavesOperationsAndResultsAreThere() {
    Tensor w = leaf(1, 2);
    String dot = Graph.of(w.mul(w).sum()).named("weight", w).toDot();
    assertTrue(dot, dot.startsWith("digraph"));
    for (String part : new String[] {"weight", "MulBackward0", "SumBackward0", "(2) float64"}) {
      assertTrue(part + " is not in " + dot, dot.contains(part));
    }
    assertEquals(dot, Graph.of(w.mul(w).sum()).named(Map.of("weight", w)).toString());
  }

  @Test
  public void aModuleNamesItsParameters() {
    LinearImpl layer = new LinearImpl(3, 2);
    Tensor loss = layer.forward(torch.ones(4, 3)).sum();
    String dot = Graph.of(loss, layer.named_parameters()).toDot();
    assertTrue(dot, dot.contains("weight") && dot.contains("bias"));
  }

  @Test
  public void namesMayBeInAnyScript() {
    Tensor w = leaf(1);
    String name = "größe 重み 🙂";
    Graph graph = Graph.of(w.mul(2)).named(name, w).titled("標題 🙂 & <b>");
    assertTrue(graph.toDot().contains(name));
    assertTrue(graph.toHtml().contains("標題 🙂 &amp; &lt;b"));
    assertFalse(graph.toHtml().contains("& <b>"));
  }

  @Test
  public void severalResults() {
    Tensor w = leaf(3);
    String dot = Graph.of(w.mul(2), w.exp()).toDot();
    assertTrue(dot, dot.contains("MulBackward0") && dot.contains("ExpBackward0"));
  }

  @Test
  public void theNameSaysTheForm() throws IOException {
    Tensor w = leaf(1);
    Graph graph = Graph.of(w.mul(2));
    Path svg = graph.save(folder.getRoot().toPath().resolve("step.svg"));
    assertTrue(Files.readString(svg).contains("<svg"));
    assertTrue(graph.toSvg().contains("</svg>"));
    Path html = graph.save(folder.getRoot() + "/step.html");
    assertTrue(Files.readString(html).contains("<html"));
    Path json = graph.save(folder.getRoot() + "/step.json");
    assertEquals(graph.toJson(), Files.readString(json));
    Path dot = graph.save(folder.getRoot() + "/step.dot");
    assertEquals(graph.toDot(), Files.readString(dot));
    IllegalArgumentException png =
        assertThrows(IllegalArgumentException.class, () -> graph.save("step.png"));
    assertEquals("a graph is saved as .dot, .svg, .html or .json, not as .png", png.getMessage());
    IllegalArgumentException none =
        assertThrows(IllegalArgumentException.class, () -> graph.save("folder.d/step"));
    assertEquals(
        "a graph is saved as .dot, .svg, .html or .json, not as a file without ending",
        none.getMessage());
  }

  @Test
  public void badTensorsAreRefused() {
    Tensor w = leaf(1);
    assertThrows(NullPointerException.class, () -> Graph.of(w, (Tensor) null).toDot());
    assertThrows(TorchException.class, () -> Graph.of(new Tensor()).toDot());
    Graph closed = Graph.of(w);
    w.close();
    assertThrows(IllegalStateException.class, closed::toDot);
  }

  // ---- what is known of a node ----

  private static JsonObject facts(Graph graph) {
    return JsonParser.parseString(graph.toJson()).getAsJsonObject();
  }

  private static JsonObject named(JsonObject facts, String name) {
    for (JsonElement node : facts.getAsJsonArray("nodes")) {
      if (node.getAsJsonObject().get("name").getAsString().equals(name)) {
        return node.getAsJsonObject();
      }
    }
    throw new AssertionError("no " + name + " in " + facts);
  }

  /** The path of the module that a node belongs to. */
  private static String moduleOf(JsonObject facts, String node) {
    StringBuilder path = new StringBuilder();
    JsonElement at = named(facts, node).get("module");
    while (at != null) {
      JsonObject module = facts.getAsJsonArray("modules").get(at.getAsInt()).getAsJsonObject();
      path.insert(0, "." + module.get("name").getAsString());
      at = module.get("parent");
    }
    return path.length() == 0 ? "" : path.substring(1);
  }

  private static String place(JsonObject facts, String node) {
    JsonElement places = named(facts, node).get("places");
    return places == null ? "" : places.getAsJsonArray().get(0).getAsString();
  }

  @Test
  public void aRecordingKnowsLinesShapesAndBytes() {
    Tensor w = leaf(1, 2, 3);
    Tensor loss;
    try (GraphRecording recording = Graph.record()) {
      loss = w.exp().add(w).sum();
    }
    Tensor later = loss.mul(2);
    JsonObject facts = facts(Graph.of(later).named("w", w));
    assertTrue(
        place(facts, "ExpBackward0"),
        place(facts, "ExpBackward0")
            .matches("GraphTest.java:[0-9]+ in GraphTest.aRecordingKnowsLinesShapesAndBytes"));
    assertEquals("(3) float64", named(facts, "AddBackward0").get("shape").getAsString());
    assertEquals(24, named(facts, "ExpBackward0").get("saved_bytes").getAsInt());
    assertEquals("", place(facts, "MulBackward0"));
    assertFalse(named(facts, "w").has("grad_norm"));
    later.backward();
    facts = facts(Graph.of(later).named("w", w));
    assertTrue(named(facts, "ExpBackward0").get("freed").getAsBoolean());
    double norm = 0;
    for (double x : new double[] {1, 2, 3}) {
      norm += Math.pow(2 * Math.exp(x) + 2, 2);
    }
    assertEquals(Math.sqrt(norm), named(facts, "w").get("grad_norm").getAsDouble(), 1e-6);
  }

  @Test
  public void anomalyModeNotesTheLinesToo() {
    Tensor w = leaf(1);
    try (DetectAnomalyGuard guard = new DetectAnomalyGuard()) {
      assertTrue(place(facts(Graph.of(w.exp())), "ExpBackward0").startsWith("GraphTest.java:"));
    }
    assertEquals("", place(facts(Graph.of(w.exp())), "ExpBackward0"));
  }

  /** Says itself that it is called, since a net has several. */
  private static final class Block extends Module {
    final LinearImpl layer = register_module("layer", new LinearImpl(3, 3));

    @Override
    public Tensor forward(Tensor x) {
      try (GraphRecording.Call call = entered()) {
        return layer.forward(x).tanh();
      }
    }
  }

  private static final class Net extends Module {
    final SequentialImpl body =
        register_module(
            "body", new SequentialImpl(new LinearImpl(3, 3), new ReLUImpl(), new LinearImpl(3, 3)));
    final Block first = register_module("first", new Block());
    final Block second = register_module("second", new Block());

    @Override
    public Tensor forward(Tensor x) {
      return first.forward(second.forward(body.forward(x)).exp());
    }
  }

  @Test
  public void modulesOwnWhatTheirForwardMakes() {
    Net net = new Net();
    Tensor loss;
    try (GraphRecording recording = Graph.record(net)) {
      loss = net.forward(torch.ones(2, 3)).sum();
    }
    Graph graph = Graph.of(loss, net.named_parameters());
    JsonObject facts = facts(graph);
    assertEquals("Net.body.1", moduleOf(facts, "ReluBackward0"));
    assertEquals("Net", moduleOf(facts, "ExpBackward0"));
    assertEquals("Net.first", moduleOf(facts, "TanhBackward0"));
    assertEquals("Net.second.layer", moduleOf(facts, "second.layer.bias"));
    assertEquals("", moduleOf(facts, "SumBackward0"));
    assertTrue(graph.toDot(), graph.toDot().contains("label=\"body: Sequential\""));
    assertFalse(facts(Graph.of(net.forward(torch.ones(2, 3)))).toString().contains("places"));
  }

  @Test
  public void modulesThatNobodyNamedGetNamesOfTheirOwn() {
    LinearImpl first = new LinearImpl(2, 2);
    LinearImpl second = new LinearImpl(2, 2);
    try (GraphRecording outer = Graph.record();
        GraphRecording inner = Graph.record()) {
      Tensor y = second.forward(first.forward(torch.ones(1, 2)).tanh());
      JsonObject facts =
          facts(Graph.of(y).named("one", first.weight()).named("two", second.weight()));
      assertEquals("Linear", moduleOf(facts, "one"));
      assertEquals("Linear 2", moduleOf(facts, "two"));
      assertEquals("", moduleOf(facts, "TanhBackward0"));
    }
  }

  @Test
  public void aModuleThatThrowsIsLeft() {
    Module failing =
        new Module("Failing") {
          @Override
          public Tensor forward(Tensor x) {
            try (GraphRecording.Call call = entered()) {
              throw new ArithmeticException("mine");
            }
          }
        };
    Tensor w = leaf(1);
    try (GraphRecording recording = Graph.record(failing)) {
      assertThrows(ArithmeticException.class, () -> failing.forward(w));
      assertEquals("", moduleOf(facts(Graph.of(w.exp())), "ExpBackward0"));
      recording.close();
      recording.close();
    }
    assertThrows(NullPointerException.class, () -> Graph.record((Module) null));
    assertEquals("", place(facts(Graph.of(w.exp())), "ExpBackward0"));
  }

  @Test
  public void hostileNamesAreOnlyText() {
    String name = "</script><script>alert(1)</script>\"'&\\ \u0001\n{{data}} 名 🙂";
    Tensor w = leaf(1);
    Graph graph = Graph.of(w.mul(2)).named(name, w).titled(name);
    assertEquals("leaf", named(facts(graph), name).get("kind").getAsString());
    assertEquals(name, facts(graph).get("title").getAsString());
    assertFalse(graph.toHtml().contains("<script>alert"));
    assertFalse(graph.toSvg().contains("<script>alert"));
  }

  @Test
  public void tenThousandNodes() {
    Tensor w = leaf(1);
    Tensor y = w;
    for (int i = 0; i < 10_000; i++) {
      y = y.mul(w);
    }
    Graph graph = Graph.of(y).named("w", w);
    assertEquals(10_002, facts(graph).getAsJsonArray("nodes").size());
    assertTrue(graph.toSvg().contains("class=\"box operation\"")); // too many for Graphviz
    assertTrue(graph.toHtml().length() > 10_000);
  }

  @Test
  public void graphsOfNothing() {
    assertEquals(0, facts(Graph.of()).getAsJsonArray("nodes").size());
    assertTrue(Graph.of().toSvg().contains("<svg"));
    assertEquals(1, facts(Graph.of(torch.ones(2))).getAsJsonArray("nodes").size());
  }
}
