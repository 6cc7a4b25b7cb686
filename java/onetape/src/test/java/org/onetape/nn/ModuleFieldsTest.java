package org.onetape.nn;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.Test;
import org.onetape.Autograd;
import org.onetape.MemoryScope;
import org.onetape.StringTensorDict;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.optim.SGD;
import org.onetape.optim.SGDOptions;

/** Modules whose parts are plain fields. */
public class ModuleFieldsTest {
  private static class Scale extends Module {
    @SuppressWarnings("unused") // a static field is no part of a module
    static final Tensor UNIT = torch.ones(1).requires_grad_(true);

    private final Tensor factor = torch.tensor(new float[] {2f}).requires_grad_(true);
    @Buffer private Tensor calls = torch.zeros(1);
    Tensor last;

    @Override
    public Tensor forward(Tensor x) {
      last = x.mul(factor);
      return last;
    }
  }

  private static final class Net extends Scale {
    LinearImpl first = new LinearImpl(2, 3);
    private Module second = new Scale();

    @SuppressWarnings("unused") // the same part twice
    LinearImpl again = first;

    @Override
    public Tensor forward(Tensor x) {
      return super.forward(second.forward(first.forward(x)));
    }
  }

  private static String names(StringTensorDict dict) {
    return dict.keys().toString();
  }

  @Test
  public void fieldsArePartsUnderTheirNames() {
    try (MemoryScope scope = new MemoryScope();
        Net net = new Net()) {
      assertEquals(
          "[factor, first.weight, first.bias, second.factor]", names(net.named_parameters()));
      assertEquals("[calls, second.calls]", names(net.named_buffers()));
      assertEquals("[first, second]", net.named_children().keys().toString());
      assertEquals(
          "Net(\n  (first): Linear(in_features=2, out_features=3, bias=True)\n"
              + "  (second): Scale()\n)",
          net.toString());
      net.eval();
      assertFalse(net.first.is_training());
    }
  }

  @Test
  public void resultsInFieldsAreNoState() {
    try (MemoryScope scope = new MemoryScope();
        Net net = new Net()) {
      net.forward(torch.ones(1, 2)).sum().backward();
      assertEquals(4, net.named_parameters().size());
      assertEquals(6, net.state_dict().size());
      for (Tensor parameter : net.parameters()) {
        assertTrue(parameter.grad().defined());
      }
    }
  }

  @Test
  public void fieldsOutliveTheScopeTheyWereMadeIn() {
    Scale scale;
    SGD sgd;
    try (MemoryScope scope = new MemoryScope()) {
      scale = new Scale();
      sgd = new SGD(scale.parameters(), new SGDOptions(0.5));
    }
    try (MemoryScope scope = new MemoryScope()) {
      scale.forward(torch.ones(1)).sum().backward();
      sgd.step();
      assertEquals(1.5, scale.factor.item_double(), 0);
    }
    scale.close();
    assertThrows(IllegalStateException.class, () -> scale.forward(torch.ones(1)));
  }

  @Test
  public void whatIsAssignedLaterReplacesAndNullRemoves() {
    try (MemoryScope scope = new MemoryScope();
        Net net = new Net()) {
      assertEquals(4, net.parameters().size());
      LinearImpl other = new LinearImpl(new LinearOptions(2, 3).bias(false));
      net.first = other;
      net.again = null;
      assertEquals("[factor, second.factor, first.weight]", names(net.named_parameters()));
      assertSame(other, net.named_children().get("first"));
      net.second = null;
      net.first = null;
      assertEquals("[factor]", names(net.named_parameters()));
      net.first = other;
      assertEquals(2, net.parameters().size());
      LinearImpl third = net.replace_module("first", new LinearImpl(4, 4));
      assertSame(third, net.first);
      assertThrows(TorchException.class, () -> net.replace_module("second", other));
      assertThrows(NullPointerException.class, () -> net.register_module("none", null));
      assertEquals(3, net.parameters().size());
    }
  }

  @Test
  public void registeredPartsInFieldsCountOnce() {
    class Both extends Module {
      final LinearImpl layer = register_module("inner", new LinearImpl(1, 1));
      final Tensor shift = register_parameter("bias", torch.zeros(1));
    }
    try (Both both = new Both()) {
      assertEquals("[bias, inner.weight, inner.bias]", names(both.named_parameters()));
      assertTrue(both.shift.requires_grad());
      assertSame(both.layer, both.named_children().get("inner"));
    }
  }

  @Test
  public void functionalCallReachesFields() {
    try (MemoryScope scope = new MemoryScope();
        Net net = new Net()) {
      Tensor before = net.second.registered("factor");
      Tensor three = torch.tensor(new float[] {3f});
      Tensor x = torch.ones(1, 2);
      Tensor expected = net.forward(x).mul(torch.tensor(1.5f));
      Tensor result = net.functionalCall(Map.of("second.factor", three), x);
      assertTrue(torch.allclose(expected, result));
      assertEquals(before, net.second.registered("factor"));
      Tensor[] gradient =
          Autograd.grad(in -> net.functionalCall(Map.of("factor", in[0]), x).sum()).apply(three);
      assertEquals(net.forward(x).sum().item_double() / 2, gradient[0].item_double(), 1e-5);
      assertEquals(2, net.state_dict().get("factor").item_double(), 0);
    }
  }

  @Test
  public void aStateNeedNotFit() {
    try (MemoryScope scope = new MemoryScope();
        Scale scale = new Scale()) {
      StringTensorDict state = new StringTensorDict();
      state.insert("y", torch.ones(1));
      state.insert("x", torch.ones(1));
      state.insert("calls", torch.tensor(new float[] {7f}));
      IncompatibleKeys keys = scale.load_state_dict(state, false);
      assertEquals(List.of("factor"), keys.missing_keys());
      assertEquals(List.of("y", "x"), keys.unexpected_keys());
      assertEquals(
          "_IncompatibleKeys(missing_keys=['factor'], unexpected_keys=['y', 'x'])",
          keys.toString());
      assertEquals(7, scale.calls.item_double(), 0);
      state.get("calls").set_data(torch.ones(3));
      TorchException error = assertThrows(TorchException.class, () -> scale.load_state_dict(state));
      assertEquals(
          "Error(s) in loading state_dict for Scale:\n"
              + "\tMissing key(s) in state_dict: \"factor\". \n"
              + "\tUnexpected key(s) in state_dict: \"y\", \"x\". \n"
              + "\tsize mismatch for calls: copying a param with shape torch.Size([3]) from"
              + " checkpoint, the shape in current model is torch.Size([1]).",
          error.getMessage());
      assertThrows(TorchException.class, () -> scale.load_state_dict(state, false));
      assertEquals(7, scale.calls.item_double(), 0);
      try (Scale other = new Scale()) {
        assertEquals(
            "<All keys matched successfully>",
            scale.load_state_dict(other.state_dict()).toString());
        assertNotSame(other.calls, scale.calls);
      }
    }
  }
}
