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
      assertArrayEquals(
          one.first.weight().toFloatArray(), other.first.weight().toFloatArray(), 0);
      assertTrue(other.first.weight().is_leaf());
      StringTensorDict wrong = new StringTensorDict();
      wrong.insert("first.weight", torch.ones(2, 2));
      wrong.insert("third", torch.ones(1));
      TorchException error =
          assertThrows(TorchException.class, () -> other.load_state_dict(wrong));
      assertTrue(error.getMessage().contains("Missing key(s) in state_dict: \"count\""));
      assertTrue(error.getMessage().contains("Unexpected key(s) in state_dict: \"third\". "));
      assertTrue(error.getMessage().contains("size mismatch for first.weight"));
      assertArrayEquals(
          one.first.weight().toFloatArray(), other.first.weight().toFloatArray(), 0);
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
          net.forward(torch.ones(new long[] {1, 3}, torch.dtype(torch.kDouble())))
              .scalar_type());
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
}
