package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Test;
import org.onetape.data.Batch;
import org.onetape.data.DataLoader;
import org.onetape.data.DataLoaderOptions;
import org.onetape.data.Example;
import org.onetape.data.TensorDataset;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.MSELossImpl;
import org.onetape.nn.RNNCellImpl;
import org.onetape.optim.SGD;
import org.onetape.optim.SGDOptions;

/** What the documents name without a listing, as tests/documents/test_named_parts.py has it. */
public class NamedPartsTest extends ScopedTest {
  private static Tensor leaf(double... values) {
    return values.length == 1
        ? tensor(values[0], requires_grad(true))
        : tensor(values, requires_grad(true));
  }

  private static Tensor square(Tensor w, Tensor x, Tensor b) {
    return w.mul(x).add(b).pow(2);
  }

  // ---- principles ----

  @Test
  public void theChainRuleOfASquare() {
    Tensor w = leaf(1.5);
    Tensor x = leaf(-2);
    Tensor b = leaf(0.25);
    square(w, x, b).backward();
    double inner = 1.5 * -2 + 0.25;
    assertElements(w.grad(), 2 * inner * -2);
    assertElements(x.grad(), 2 * inner * 1.5);
    assertElements(b.grad(), 2 * inner);
  }

  @Test
  public void forwardModeReverseModeAndDifferencesAgree() {
    double[] point = {1.5, -2, 0.25};
    Tensor[] inputs = {tensor(point[0]), tensor(point[1]), tensor(point[2])};
    Autograd.TensorsFunction gradients = Autograd.grad(in -> square(in[0], in[1], in[2]), 0, 1, 2);
    Tensor[] reverse = gradients.apply(inputs);
    for (int i = 0; i < 3; i++) {
      Tensor forward;
      try (ForwardAD level = new ForwardAD()) {
        Tensor[] moved = inputs.clone();
        moved[i] = ForwardAD.makeDual(inputs[i], tensor(1.0));
        forward = ForwardAD.unpackDual(square(moved[0], moved[1], moved[2])).tangent();
      }
      assertEquals(forward.item_double(), reverse[i].item_double(), 0);
      double[] ahead = point.clone();
      double[] behind = point.clone();
      ahead[i] += 1e-6;
      behind[i] -= 1e-6;
      assertEquals((squareOf(ahead) - squareOf(behind)) / 2e-6, reverse[i].item_double(), 1e-6);
    }
  }

  private static double squareOf(double[] p) {
    return square(tensor(p[0]), tensor(p[1]), tensor(p[2])).item_double();
  }

  // ---- the graph ----

  private static Tensor asFarAsNeeded(Tensor x) {
    Tensor y = x;
    while (y.item_double() < 10) {
      y = y.mul(3);
    }
    return y.item_double() < 15 ? y.exp() : y.neg();
  }

  private static List<String> namesOfNodes(Tensor result) {
    List<String> names = new ArrayList<>();
    Node node = result.grad_fn();
    names.add(node.name());
    while (!node.next_functions().isEmpty()) {
      node = node.next_functions().get(0).function();
      names.add(node.name());
    }
    return names;
  }

  @Test
  public void theGraphIsWhatRan() {
    assertEquals(
        List.of("ExpBackward0", "MulBackward0", "AccumulateGrad"),
        namesOfNodes(asFarAsNeeded(leaf(4))));
    Tensor two = leaf(2);
    Tensor result = asFarAsNeeded(two);
    assertEquals(
        List.of("NegBackward0", "MulBackward0", "MulBackward0", "AccumulateGrad"),
        namesOfNodes(result));
    result.backward();
    assertElements(two.grad(), -9);
  }

  @Test
  public void aRecurrentNetworkRunsForAsLongAsItsInput() {
    for (int length : new int[] {1, 4}) {
      RNNCellImpl cell = new RNNCellImpl(2, 3);
      Tensor state = torch.zeros(1, 3);
      for (int i = 0; i < length; i++) {
        state = cell.forward(torch.randn(1, 2), state);
      }
      int steps = 0;
      for (JsonElement node : facts(Graph.of(state)).getAsJsonArray("nodes")) {
        steps += node.getAsJsonObject().get("name").getAsString().startsWith("Rnn") ? 1 : 0;
      }
      assertEquals(length, steps);
      state.sum().backward();
      for (Tensor parameter : List.of(cell.weight_ih(), cell.bias_hh())) {
        assertTrue(parameter.grad().abs().sum().item_double() > 0);
      }
    }
  }

  @Test
  public void noGradientArrivesWhereTheGraphIsCut() {
    Tensor cut = leaf(2);
    Tensor kept = leaf(3);
    Tensor constant = tensor(4.0);
    cut.detach().mul(kept).mul(constant).backward();
    assertFalse(cut.grad().defined());
    assertFalse(constant.grad().defined());
    assertElements(kept.grad(), 8);
  }

  @Test
  public void parametersAreLeavesThatWantGradients() {
    LinearImpl layer = new LinearImpl(3, 2);
    Tensor own = layer.register_parameter("own", torch.zeros(2));
    for (Tensor parameter : List.of(layer.weight(), layer.bias(), own)) {
      assertTrue(parameter.requires_grad() && parameter.is_leaf());
      assertTrue(parameter.grad_fn().isNull());
    }
    assertFalse(layer.forward(torch.ones(1, 3)).is_leaf());
  }

  // ---- pictures ----

  /** input · weightᵀ + bias */
  private static final class Affine extends Function {
    @Override
    public Tensor[] forward(Context ctx, Object... args) {
      Tensor weight = (Tensor) args[1];
      ctx.saveForBackward((Tensor) args[0], weight);
      return new Tensor[] {((Tensor) args[0]).mm(weight.t()).add((Tensor) args[2])};
    }

    @Override
    public Tensor[] backward(Context ctx, Tensor... grads) {
      Tensor[] saved = ctx.savedTensors();
      return new Tensor[] {grads[0].mm(saved[1]), grads[0].t().mm(saved[0]), grads[0].sum(0)};
    }
  }

  private static JsonObject facts(Graph graph) {
    return JsonParser.parseString(graph.toJson()).getAsJsonObject();
  }

  private static void assertArrows(Tensor result, Map<String, Tensor> named, String... arrows) {
    Graph graph = Graph.of(result).named(named);
    JsonObject facts = facts(graph);
    List<String> names = new ArrayList<>();
    for (JsonElement node : facts.getAsJsonArray("nodes")) {
      names.add(node.getAsJsonObject().get("name").getAsString());
    }
    Set<String> found = new TreeSet<>();
    for (JsonElement one : facts.getAsJsonArray("edges")) {
      JsonArray edge = one.getAsJsonArray();
      found.add(names.get(edge.get(0).getAsInt()) + ">" + names.get(edge.get(1).getAsInt()));
    }
    assertEquals(new TreeSet<>(List.of(arrows)), found);
    String svg = graph.toSvg();
    for (String name : names) {
      assertTrue(name, svg.contains(name));
    }
  }

  @Test
  public void picturesOfFormulas() {
    Tensor a = leaf(3);
    Tensor x = leaf(2);
    Tensor b = leaf(1);
    Tensor loss = square(a, x, b);
    assertArrows(
        loss,
        Map.of("a", a, "x", x, "b", b, "L", loss),
        "a>MulBackward0",
        "x>MulBackward0",
        "MulBackward0>AddBackward0",
        "b>AddBackward0",
        "AddBackward0>PowBackward0",
        "PowBackward0>L");
    Tensor z = a.mul(x).add(b);
    assertArrows(
        z,
        Map.of("w", a, "x", x, "b", b, "z", z),
        "w>MulBackward0",
        "x>MulBackward0",
        "MulBackward0>AddBackward0",
        "b>AddBackward0",
        "AddBackward0>z");
  }

  @Test
  public void picturesOfWhatLeavesInputsOut() {
    Tensor w = leaf(0.5, -1);
    Tensor b = leaf(0.1);
    Tensor y = w.mul(tensor(1.0, 2.0)).add(b);
    // Broadcasting is an operation of its own in the graph.
    assertArrows(
        y,
        Map.of("w", w, "b", b, "y", y),
        "w>MulBackward0",
        "MulBackward0>AddBackward0",
        "b>ExpandBackward0",
        "ExpandBackward0>AddBackward0",
        "AddBackward0>y");
    Tensor a = leaf(2, 3);
    Tensor c = a.mul(3).mean();
    assertArrows(
        c,
        Map.of("a", a, "c", c),
        "a>MulBackward0",
        "MulBackward0>MeanBackward0",
        "MeanBackward0>c");
    Tensor weight = torch.ones(new long[] {5, 3}, requires_grad(true));
    Tensor mean = torch.ones(1, 5).matmul(weight).mean();
    assertArrows(
        mean,
        Map.of("w", weight, "z", mean),
        "w>MmBackward0",
        "MmBackward0>MeanBackward0",
        "MeanBackward0>z");
  }

  @Test
  public void pictureOfAFunctionOfOnesOwn() {
    Tensor x = torch.ones(new long[] {3, 10}, requires_grad(true));
    Tensor w = torch.ones(new long[] {5, 10}, requires_grad(true));
    Tensor b = torch.ones(new long[] {5}, requires_grad(true));
    Tensor y = new Affine().apply(x, w, b);
    assertArrows(
        y,
        Map.of("x", x, "w", w, "b", b, "y", y),
        "x>AffineBackward",
        "w>AffineBackward",
        "b>AffineBackward",
        "AffineBackward>y");
  }

  // ---- training ----

  @Test
  public void partsOfABatchAddUpToTheWhole() {
    torch.manual_seed(0);
    Tensor inputs = torch.randn(12, 3);
    Tensor targets = torch.randn(12, 1);
    LinearImpl whole = new LinearImpl(3, 1);
    LinearImpl parts = new LinearImpl(3, 1);
    parts.load_state_dict(whole.state_dict());
    MSELossImpl criterion = new MSELossImpl();

    SGD optimizer = new SGD(whole.parameters(), new SGDOptions(0.1));
    criterion.forward(whole.forward(inputs), targets).backward();
    optimizer.step();

    SGD other = new SGD(parts.parameters(), new SGDOptions(0.1));
    other.zero_grad();
    try (DataLoader<Example> loader =
        new DataLoader<>(new TensorDataset(inputs, targets), new DataLoaderOptions(4))) {
      for (Batch batch : loader) {
        Tensor loss = criterion.forward(parts.forward(batch.data()), batch.target());
        loss.div(loader.size()).backward();
      }
    }
    other.step();

    assertTrue(whole.weight().grad().allclose(parts.weight().grad()));
    assertTrue(whole.weight().allclose(parts.weight()) && whole.bias().allclose(parts.bias()));
  }

  // ---- functions of one's own ----

  /** The nearest whole number, with the slope of the line through them. */
  private static final class Rounded extends Function {
    @Override
    public Tensor forward(Tensor input) {
      return input.round();
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      return gradOutput;
    }
  }

  @Test
  public void aStraightThroughEstimator() {
    Tensor plain = leaf(0.4, 1.6);
    Tensor straight = leaf(0.4, 1.6);
    plain.round().mul(3).sum().backward();
    new Rounded().apply(straight).mul(3).sum().backward();
    assertElements(plain.grad(), 0, 0);
    assertElements(straight.grad(), 3, 3);
  }

  /** The sine as another library computes it. */
  private static final class ForeignSine extends Function {
    @Override
    public Tensor forward(Tensor input) {
      double[] values = input.toDoubleArray();
      for (int i = 0; i < values.length; i++) {
        values[i] = Math.sin(values[i]);
      }
      return tensor(values);
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      double[] values = input.toDoubleArray();
      for (int i = 0; i < values.length; i++) {
        values[i] = Math.cos(values[i]);
      }
      return gradOutput.mul(tensor(values));
    }
  }

  @Test
  public void aFunctionThatAnotherLibraryComputes() {
    ForeignSine sine = new ForeignSine();
    assertElements(sine.apply(x), Math.sin(1), Math.sin(2), Math.sin(3));
    assertTrue(Autograd.gradcheck(in -> sine.apply(in[0]), x));
  }

  /** x³, with a backward of differentiable operators, computed anew from the input alone. */
  private static final class Cube extends Function {
    @Override
    public Tensor forward(Tensor input) {
      return input.pow(3);
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      return gradOutput.mul(3).mul(input.pow(2));
    }
  }

  @Test
  public void aPenaltyOnTheNormOfAGradient() {
    Tensor at = leaf(1, -2);
    Cube cube = new Cube();
    assertTrue(Autograd.gradgradcheck(in -> cube.apply(in[0]), at));
    Tensor[] outputs = {cube.apply(at).sum()};
    Tensor gradient = Autograd.grad(outputs, new Tensor[] {at}, null, true, true, false)[0];
    gradient.square().sum().backward(); // Σ 9 x⁴
    assertElements(at.grad(), 36, -288);
  }

  @Test
  public void reshapeCopiesOnlyWhereAViewCannotBe() {
    Tensor t = torch.arange(new Scalar(12), new TensorOptions(ScalarType.Double)).view(3, 4);
    assertEquals(t.data_ptr().address(), t.reshape(-1).data_ptr().address());
    Tensor flat = t.t().reshape(-1);
    assertNotEquals(t.data_ptr().address(), flat.data_ptr().address());
    assertTrue(flat.is_contiguous());
    assertElements(flat, 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11);
    Tensor part = t.narrow(0, 1, 2).narrow(1, 2, 2);
    assertEquals(6, part.storage_offset());
    assertEquals("[4, 1]", part.strides().toString());
    assertFalse(part.is_contiguous());
    assertEquals(t.data_ptr().address() + 6 * 8, part.data_ptr().address());
  }
}
