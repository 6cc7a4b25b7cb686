package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.onetape.global.torch;
import org.onetape.nn.LinearImpl;

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
    Path dot = graph.save(folder.getRoot() + "/step.dot");
    assertEquals(graph.toDot(), Files.readString(dot));
    IllegalArgumentException png =
        assertThrows(IllegalArgumentException.class, () -> graph.save("step.png"));
    assertEquals("a graph is saved as .dot, .svg or .html, not as .png", png.getMessage());
    IllegalArgumentException none =
        assertThrows(IllegalArgumentException.class, () -> graph.save("folder.d/step"));
    assertEquals(
        "a graph is saved as .dot, .svg or .html, not as a file without ending", none.getMessage());
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
}
