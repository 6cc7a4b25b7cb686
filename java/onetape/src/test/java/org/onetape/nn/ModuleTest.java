package org.onetape.nn;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;
import org.onetape.LongOptional;
import org.onetape.LongVector;
import org.onetape.MemoryScope;
import org.onetape.NativeMemory;
import org.onetape.StringTensorDict;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

public class ModuleTest {
  private static final class Net extends Module {
    private final LinearImpl first;
    private final LinearImpl second;

    Net() {
      super("Net");
      first = register_module("first", new LinearImpl(3, 4));
      second = register_module("second", new LinearImpl(new LinearOptions(4, 2).bias(false)));
      register_buffer("count", torch.tensor(0f));
    }

    @Override
    public Tensor forward(Tensor x) {
      return second.forward(first.forward(x).relu());
    }
  }

  private static List<String> names(StringTensorDict dict) {
    List<String> names = new ArrayList<>();
    dict.forEach(item -> names.add(item.key().getString()));
    return names;
  }

  @Test
  public void partsAndParametersHaveNames() {
    try (MemoryScope scope = new MemoryScope();
        Net net = new Net()) {
      List<String> parameters = List.of("first.weight", "first.bias", "second.weight");
      assertEquals(parameters, names(net.named_parameters()));
      assertEquals(List.of("count"), names(net.named_buffers()));
      assertEquals(3, net.parameters().size());
      assertEquals(0, net.parameters(false).size());
      assertEquals("[, first, second]", net.named_modules().keys().toString());
      assertEquals(2, net.children().size());
      assertSame(net.first, net.named_children().get("first"));
      assertEquals(
          "Net(\n  (first): Linear(in_features=3, out_features=4, bias=True)\n"
              + "  (second): Linear(in_features=4, out_features=2, bias=False)\n)",
          net.toString());
      assertThrows(TorchException.class, () -> net.register_module("first", new ReLUImpl()));
      assertThrows(TorchException.class, () -> net.register_module("a.b", new ReLUImpl()));
    }
  }

  @Test
  public void parametersOutliveScopes() {
    Net net;
    try (MemoryScope scope = new MemoryScope()) {
      net = new Net();
    }
    try (MemoryScope scope = new MemoryScope()) {
      net.first.weight().close();
      net.forward(torch.ones(1, 3)).sum().backward();
      assertTrue(net.first.weight().grad().defined());
      net.zero_grad();
      assertFalse(net.first.weight().grad().defined());
      net.forward(torch.ones(1, 3)).sum().backward();
      net.zero_grad(false);
      assertEquals(0, net.first.weight().grad().abs().sum().item_double(), 0);
    }
    net.close();
    assertThrows(IllegalStateException.class, () -> net.forward(torch.ones(1, 3)));
  }

  @Test
  public void trainingReachesEveryPart() {
    try (Net net = new Net()) {
      assertTrue(net.first.is_training());
      net.eval();
      assertFalse(net.first.is_training());
      net.train(true);
      assertTrue(net.first.is_training());
    }
  }

  @Test
  public void stateIsSavedAndLoaded() {
    try (MemoryScope scope = new MemoryScope();
        Net one = new Net();
        Net other = new Net()) {
      other.load_state_dict(one.state_dict());
      assertArrayEquals(one.first.weight().toFloatArray(), other.first.weight().toFloatArray(), 0);
      assertTrue(other.first.weight().is_leaf());
      StringTensorDict wrong = new StringTensorDict();
      wrong.insert("first.weight", torch.ones(2, 2));
      wrong.insert("third", torch.ones(1));
      TorchException error = assertThrows(TorchException.class, () -> other.load_state_dict(wrong));
      assertTrue(error.getMessage().contains("Missing key(s) in state_dict: \"count\""));
      assertTrue(error.getMessage().contains("Unexpected key(s) in state_dict: \"third\". "));
      assertTrue(error.getMessage().contains("size mismatch for first.weight"));
      assertArrayEquals(one.first.weight().toFloatArray(), other.first.weight().toFloatArray(), 0);
    }
  }

  @Test
  public void elementTypeChangesInPlace() {
    try (MemoryScope scope = new MemoryScope();
        Net net = new Net()) {
      Tensor weight = net.first.weight();
      net.to(ScalarType.Double, false);
      assertEquals(ScalarType.Double, weight.scalar_type());
      assertTrue(weight.requires_grad());
      assertEquals(
          ScalarType.Double,
          net.forward(torch.ones(new long[] {1, 3}, torch.dtype(torch.kDouble()))).scalar_type());
    }
  }

  @Test
  public void listsAndDictionariesRegisterTheirModules() {
    try (MemoryScope scope = new MemoryScope()) {
      ModuleListImpl list = new ModuleListImpl(new LinearImpl(2, 2), new ReLUImpl());
      list.insert(0, new LinearImpl(3, 2));
      assertEquals(
          List.of("0.weight", "0.bias", "1.weight", "1.bias"), names(list.named_parameters()));
      int count = 0;
      for (Module module : list) {
        assertSame(list.get(count++), module);
      }
      assertEquals(3, count);
      ModuleDictImpl dict = new ModuleDictImpl().insert("a", new LinearImpl(2, 2));
      assertEquals(2, dict.parameters().size());
      assertTrue(dict.contains("a"));
      SequentialImpl sequence =
          new SequentialImpl().push_back(new LinearImpl(2, 2)).push_back("act", new ReLUImpl());
      assertEquals(List.of("0.weight", "0.bias"), names(sequence.named_parameters()));
      assertEquals(2, sequence.size());
      assertTrue(sequence.get(1) instanceof ReLUImpl);
    }
  }

  @Test
  public void sameSeedSameParameters() {
    try (MemoryScope scope = new MemoryScope()) {
      torch.manual_seed(0);
      LinearImpl one = new LinearImpl(2, 2);
      torch.manual_seed(0);
      LinearImpl other = new LinearImpl(2, 2);
      assertArrayEquals(one.weight().toFloatArray(), other.weight().toFloatArray(), 0);
      // PyTorch 2: torch.manual_seed(0); torch.nn.Linear(2, 2).weight
      assertEquals(
          "tensor([[-0.0053,  0.3793],\n        [-0.5820, -0.5204]])", one.weight().toString());
    }
  }

  @Test
  public void dropoutWorksInTrainingOnly() {
    try (MemoryScope scope = new MemoryScope()) {
      DropoutImpl dropout = new DropoutImpl(0.5);
      Tensor x = torch.ones(1000);
      double sum = dropout.forward(x).sum().item_double();
      assertTrue("sum " + sum, sum > 800 && sum < 1200);
      dropout.eval();
      assertEquals(1000, dropout.forward(x).sum().item_double(), 0);
      assertThrows(IllegalArgumentException.class, () -> new DropoutImpl(1.5));
    }
  }

  @Test
  public void nothingIsLeftBehind() {
    long before = NativeMemory.liveTensors();
    try (MemoryScope scope = new MemoryScope();
        Net net = new Net()) {
      net.forward(torch.ones(1, 3)).sum().backward();
    }
    assertTrue(NativeMemory.liveTensors() <= before);
  }

  @Test
  public void embeddings() {
    try (MemoryScope scope = new MemoryScope()) {
      torch.manual_seed(0);
      EmbeddingImpl table =
          new EmbeddingImpl(new EmbeddingOptions(3, 2).padding_idx(new LongOptional(-1)));
      // PyTorch 2: torch.manual_seed(0); torch.nn.Embedding(3, 2, padding_idx=-1).weight
      assertEquals(
          "tensor([[ 1.5410, -0.2934],\n        [-2.1788,  0.5684],\n        [ 0.0000,  0.0000]])",
          table.weight().toString());
      Tensor vectors = table.forward(torch.tensor(new long[][] {{0, 1}, {0, 2}}));
      assertArrayEquals(new long[] {2, 2, 2}, vectors.shape());
      vectors.sum().backward();
      assertArrayEquals(new float[] {2, 2, 1, 1, 0, 0}, table.weight().grad().toFloatArray(), 0);
      assertEquals("Embedding(3, 2, padding_idx=2)", table.toString());
      assertThrows(
          IllegalArgumentException.class,
          () -> new EmbeddingImpl(new EmbeddingOptions(3, 2).padding_idx(new LongOptional(3))));
    }
  }

  @Test
  public void layerNorms() {
    try (MemoryScope scope = new MemoryScope()) {
      LayerNormImpl norm = new LayerNormImpl(new LongVector(2L));
      Tensor result = norm.forward(torch.tensor(new float[][] {{1, 3}, {5, 5}}));
      assertArrayEquals(new float[] {-1, 1, 0, 0}, result.toFloatArray(), 1e-4f);
      assertEquals(
          "LayerNorm((2,), eps=1e-05, elementwise_affine=True, bias=True)", norm.toString());
      LayerNormImpl plain =
          new LayerNormImpl(new LayerNormOptions(new LongVector(2L)).elementwise_affine(false));
      assertEquals(0, plain.parameters().size());
      assertFalse(plain.weight().defined());
    }
  }

  @Test
  public void functionsAsModules() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = torch.tensor(-1f, 0f, 2f);
      assertArrayEquals(new float[] {-0.01f, 0, 2}, values(new LeakyReLUImpl(), x), 1e-6f);
      assertArrayEquals(
          new float[] {-0.5f, 0, 2},
          values(new LeakyReLUImpl(new LeakyReLUOptions().negative_slope(0.5)), x),
          1e-6f);
      assertArrayEquals(new float[] {-0.1587f, 0, 1.9545f}, values(new GELUImpl(), x), 1e-4f);
      assertArrayEquals(new float[] {-0.2689f, 0, 1.7616f}, values(new SiLUImpl(), x), 1e-4f);
      assertArrayEquals(new float[] {-0.7616f, 0, 0.9640f}, values(new TanhImpl(), x), 1e-4f);
      assertArrayEquals(new float[] {0.2689f, 0.5f, 0.8808f}, values(new SigmoidImpl(), x), 1e-4f);
      assertEquals(1, new SoftmaxImpl(0).forward(x).sum().item_double(), 1e-6);
      assertEquals(1, new LogSoftmaxImpl(0).forward(x).exp().sum().item_double(), 1e-6);
      assertArrayEquals(new long[] {2, 12}, new FlattenImpl().forward(torch.ones(2, 3, 4)).shape());
      assertSame(x, new IdentityImpl().forward(x));
    }
  }

  private static float[] values(Module module, Tensor x) {
    return module.forward(x).toFloatArray();
  }

  @Test
  public void lossesReduce() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = torch.tensor(1f, 3f);
      Tensor y = torch.tensor(0f, 1f);
      assertEquals(2.5, new MSELossImpl().apply(x, y).item_double(), 1e-6);
      assertEquals(
          5, new MSELossImpl(new MSELossOptions(new kSum())).apply(x, y).item_double(), 1e-6);
      assertArrayEquals(
          new float[] {1, 4},
          new MSELossImpl(new MSELossOptions(new kNone())).apply(x, y).toFloatArray(),
          0);
      assertEquals(1.5, new L1LossImpl().apply(x, y).item_double(), 1e-6);
      Tensor scores = torch.tensor(new float[][] {{2, 0}, {0, 0}});
      Tensor classes = torch.tensor(0L, 1L);
      double expected = (Math.log(1 + Math.exp(-2)) + Math.log(2)) / 2;
      assertEquals(expected, new CrossEntropyLossImpl().apply(scores, classes).item_double(), 1e-6);
      Tensor logs = scores.log_softmax(1);
      assertEquals(expected, new NLLLossImpl().apply(logs, classes).item_double(), 1e-6);
      CrossEntropyLossImpl ignoring =
          new CrossEntropyLossImpl(new CrossEntropyLossOptions().ignore_index(0));
      assertEquals(Math.log(2), ignoring.apply(scores, classes).item_double(), 1e-6);
      assertThrows(IllegalArgumentException.class, () -> LossReduction.of("avg"));
    }
  }
}
