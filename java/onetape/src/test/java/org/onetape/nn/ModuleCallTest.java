package org.onetape.nn;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.LongOptional;
import org.onetape.LongPointer;
import org.onetape.MemoryScope;
import org.onetape.StringTensorDict;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;

/** Calling modules with hooks, handing them on, and containers of parameters. */
public class ModuleCallTest {
  private MemoryScope scope;

  @Before
  public void open() {
    scope = new MemoryScope();
  }

  @After
  public void close() {
    scope.close();
  }

  /** Twice the input. */
  private static class Twice extends Module {
    @Override
    public Tensor forward(Tensor input) {
      return input.mul(torch.tensor(2f));
    }
  }

  private static float[] values(Tensor tensor) {
    return tensor.toFloatArray();
  }

  @Test
  public void forwardHooksSeeAndReplace() {
    Module twice = new Twice();
    Tensor x = torch.tensor(1f, 2f);
    List<String> seen = new ArrayList<>();
    ModuleHook before =
        twice.register_forward_pre_hook(
            (module, inputs) -> {
              assertSame(twice, module);
              seen.add("before");
              return new Tensor[] {inputs[0].add(torch.tensor(1f))};
            });
    ModuleHook after =
        twice.register_forward_hook(
            (module, inputs, result) -> {
              seen.add("after " + inputs[0].max().item_float());
              return result.neg();
            });
    assertArrayEquals(new float[] {-4, -6}, values(twice.call(x)), 0);
    assertEquals(List.of("before", "after 3.0"), seen);
    assertArrayEquals(new float[] {2, 4}, values(twice.forward(x)), 0); // as in PyTorch, no hooks
    before.remove();
    before.remove();
    assertArrayEquals(new float[] {-2, -4}, values(twice.call(x)), 0);
    after.close();
    assertArrayEquals(new float[] {2, 4}, values(twice.call(x)), 0);
  }

  @Test
  public void sequencesCallTheirParts() {
    SequentialImpl model = new SequentialImpl(new Twice(), new Twice());
    List<float[]> seen = new ArrayList<>();
    model
        .get(0)
        .register_forward_hook(
            (module, inputs, result) -> {
              seen.add(values(result));
              return null;
            });
    assertArrayEquals(new float[] {4}, values(model.forward(torch.tensor(new float[] {1}))), 0);
    assertArrayEquals(new float[] {2}, seen.get(0), 0);
  }

  @Test
  public void backwardHooksSeeAndReplace() {
    Module twice = new Twice();
    Tensor x = torch.tensor(1f, 2f).requires_grad_(true);
    List<float[]> seen = new ArrayList<>();
    try (ModuleHook before =
            twice.register_full_backward_pre_hook(
                (module, gradient) -> gradient.mul(torch.tensor(10f)));
        ModuleHook after =
            twice.register_full_backward_hook(
                (module, gradInputs, gradOutput) -> {
                  seen.add(values(gradOutput));
                  return new Tensor[] {gradInputs[0].add(torch.tensor(1f))};
                })) {
      twice.call(x).sum().backward();
    }
    assertArrayEquals(new float[] {10, 10}, seen.get(0), 0);
    assertArrayEquals(new float[] {21, 21}, values(x.grad()), 0);
    twice.call(x).sum().backward(); // both are gone
    assertArrayEquals(new float[] {23, 23}, values(x.grad()), 0);
  }

  @Test
  public void backwardHooksOfInputsWithoutGradients() {
    LinearImpl layer = new LinearImpl(2, 1);
    List<Integer> seen = new ArrayList<>();
    layer.register_full_backward_hook(
        (module, gradInputs, gradOutput) -> {
          seen.add(gradInputs.length);
          return null;
        });
    layer.call(torch.ones(3, 2)).sum().backward();
    assertEquals(List.of(0), seen);
    assertArrayEquals(new float[] {3, 3}, values(layer.weight().grad()), 0);
    Tensor x = torch.ones(3, 2).requires_grad_(true);
    layer.register_full_backward_hook((module, gradInputs, gradOutput) -> new Tensor[2]);
    Tensor loss = layer.call(x).sum();
    TorchException refused = assertThrows(TorchException.class, loss::backward);
    assertTrue(
        refused
            .getMessage()
            .contains("invalid number of grad in grad_input, got 2, but expected 1"));
  }

  @Test
  public void hooksOfSeveralInputs() {
    BilinearImpl layer = new BilinearImpl(2, 2, 1);
    Tensor x = torch.ones(1, 2).requires_grad_(true);
    Tensor y = torch.ones(1, 2);
    List<Boolean> known = new ArrayList<>();
    layer.register_full_backward_hook(
        (module, gradInputs, gradOutput) -> {
          known.add(gradInputs[0] != null);
          known.add(gradInputs[1] != null);
          return null;
        });
    layer.call(x, y).sum().backward();
    assertEquals(List.of(true, false), known);
    assertThrows(IllegalArgumentException.class, layer::call);
  }

  @Test
  public void parametersInListsAndDictionaries() {
    ParameterListImpl list = new ParameterListImpl(torch.ones(2), torch.zeros(1));
    assertEquals(2, list.size());
    assertTrue(list.get(0).requires_grad());
    assertEquals(2, list.parameters().size());
    assertThrows(IndexOutOfBoundsException.class, () -> list.get(2));
    int count = 0;
    for (Tensor parameter : list) {
      count += (int) parameter.numel();
    }
    assertEquals(3, count);
    StringTensorDict named = new StringTensorDict();
    named.insert("a", torch.ones(2).requires_grad_(true));
    ParameterDictImpl dict = new ParameterDictImpl(named);
    dict.insert("b", torch.ones(3));
    assertTrue(dict.get("a").requires_grad());
    assertFalse(dict.get("b").requires_grad());
    assertTrue(dict.contains("b"));
    assertEquals(3, dict.pop("b").numel());
    assertThrows(NoSuchElementException.class, () -> dict.get("b"));
    assertEquals(1, dict.size());
    dict.clear();
    assertTrue(dict.empty());
  }

  @Test
  public void modulesOfAnyClass() {
    AnyModule any = new AnyModule(new Twice());
    assertArrayEquals(new float[] {2}, values(any.forward(torch.tensor(new float[] {1}))), 0);
    assertEquals(Twice.class, any.get(Twice.class).getClass());
    assertThrows(IllegalStateException.class, () -> new AnyModule().toModule());
    StringAnyModuleDict named = new StringAnyModuleDict();
    named.insert("first", any);
    named.insert("second", AnyModule.from_module(new ReLUImpl()));
    assertThrows(TorchException.class, () -> named.insert("first", any));
    SequentialImpl model = new SequentialImpl(named).push_back(new AnyModule(new TanhImpl()));
    assertEquals("first", model.named_children().get(0).key().getString());
    assertEquals(3, model.size());
    assertEquals(2, new AnyModuleVector(any).push_back(any).size());
    assertSame(model, model.asModule().asSequential());
    assertThrows(ClassCastException.class, model::asConv2d);
  }

  @Test
  public void tablesOfGivenVectors() {
    Tensor vectors = torch.arange(6).reshape(3, 2).to(torch.ScalarType.Float);
    EmbeddingImpl table =
        EmbeddingImpl.from_pretrained(vectors, new EmbeddingFromPretrainedOptions());
    assertFalse(table.weight().requires_grad());
    assertArrayEquals(new float[] {4, 5}, values(table.forward(torch.tensor(new long[] {2}))), 0);
    EmbeddingBagFromPretrainedOptions options = new EmbeddingBagFromPretrainedOptions();
    options.freeze(false).mode(new EmbeddingBagMode(new kSum())).padding_idx(new LongOptional(0));
    EmbeddingBagImpl bags = EmbeddingBagImpl.from_pretrained(vectors, options);
    assertTrue(bags.weight().requires_grad());
    assertEquals("EmbeddingBag(3, 2, mode='sum', padding_idx=0)", bags.toString());
    Tensor found = bags.forward(torch.tensor(new long[] {0, 1, 2}), torch.tensor(new long[] {0}));
    assertArrayEquals(new float[] {6, 8}, values(found), 0);
    assertThrows(
        IllegalArgumentException.class,
        () -> EmbeddingBagImpl.from_pretrained(found.get(0), options));
  }

  @Test
  public void functionsWithOptions() {
    Tensor x = torch.tensor(-1f, 3f);
    assertArrayEquals(
        values(new ELUImpl(new ELUOptions().alpha(0.5)).forward(x)),
        values(torch.elu(x, new ELUOptions().alpha(0.5))),
        0);
    Tensor scaled = torch.normalize(x.reshape(1, 2), new NormalizeFuncOptions().p(1).dim(1));
    assertArrayEquals(new float[] {-0.25f, 0.75f}, values(scaled), 0);
    HuberLossOptions huber = new HuberLossOptions(new kSum()).delta(0.5);
    assertEquals(1.75, torch.huber_loss(x, torch.zeros(2), huber).item_double(), 1e-6);
    Tensor target = torch.tensor(1f, -1f);
    MarginRankingLossOptions ranking = new MarginRankingLossOptions().margin(0.5);
    assertEquals(
        3.0, torch.margin_ranking_loss(x, torch.zeros(2), target, ranking).item_double() + 0.5, 1);
    InterpolateFuncOptions wider = new InterpolateFuncOptions().size(4).mode(new kNearest());
    assertArrayEquals(
        new float[] {-1, -1, 3, 3}, values(torch.interpolate(x.reshape(1, 1, 2), wider)), 0);
    assertEquals("bilinear", new UpsampleMode(new kBilinear()).toString());
  }

  @Test
  public void wrongOptionsAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new AlphaDropoutImpl(1.5));
    assertThrows(
        IllegalArgumentException.class,
        () -> new TripletMarginLossImpl(new TripletMarginLossOptions().margin(0)));
    assertThrows(
        IllegalArgumentException.class,
        () -> new FractionalMaxPool2dImpl(new FractionalMaxPool2dOptions(2)));
    assertThrows(
        IllegalArgumentException.class, () -> new FractionalMaxPool2dOptions(2).output_ratio(1.5));
    assertThrows(
        IllegalArgumentException.class, () -> new ReflectionPad2dOptions(new LongPointer(1, 2, 3)));
    assertThrows(
        IllegalArgumentException.class, () -> new LPPool1dImpl(0, 2).forward(torch.ones(1, 1, 4)));
    assertThrows(
        IllegalArgumentException.class,
        () -> new MultiMarginLossImpl(new MultiMarginLossOptions().p(3)));
    assertThrows(TorchException.class, () -> new Dropout1dImpl().forward(torch.ones(3)));
    assertThrows(IllegalArgumentException.class, () -> new Softmax2dImpl().forward(torch.ones(3)));
  }
}
