package org.onetape.jit;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.global.torch;
import org.onetape.nn.LinearImpl;
import org.onetape.optim.Adafactor;
import org.onetape.optim.AdafactorOptions;
import org.onetape.optim.Adam;
import org.onetape.optim.AdamOptions;
import org.onetape.optim.LBFGS;
import org.onetape.optim.Muon;
import org.onetape.optim.MuonOptions;
import org.onetape.optim.Optimizer;
import org.onetape.optim.SGD;
import org.onetape.optim.SGDOptions;

public class CompiledStepTest {
  private MemoryScope scope;
  private Tensor[] batches;

  @Before
  public void open() {
    scope = new MemoryScope();
    torch.manual_seed(0);
    batches = new Tensor[6];
    for (int i = 0; i < batches.length; i++) {
      batches[i] = torch.randn(8, 4);
    }
  }

  @After
  public void close() {
    scope.close();
  }

  private interface MakeOptimizer {
    Optimizer of(LinearImpl layer);
  }

  private static Tensor loss(LinearImpl layer, Tensor x) {
    return layer.forward(x).tanh().square().mean();
  }

  private void assertStepsAsEver(MakeOptimizer make) {
    torch.manual_seed(1);
    LinearImpl eager = new LinearImpl(4, 3);
    torch.manual_seed(1);
    LinearImpl taped = new LinearImpl(4, 3);
    Optimizer first = make.of(eager);
    Optimizer second = make.of(taped);
    try (CompiledStep step = new CompiledStep(in -> loss(taped, in[0]), second)) {
      for (Tensor batch : batches) {
        first.zero_grad();
        Tensor expected = loss(eager, batch);
        expected.backward();
        first.step();
        assertEquals(expected.item_float(), step.run(batch).item_float(), 0f);
        assertArrayEquals(eager.weight().toFloatArray(), taped.weight().toFloatArray(), 0f);
        assertArrayEquals(eager.bias().toFloatArray(), taped.bias().toFloatArray(), 0f);
        assertArrayEquals(
            eager.weight().grad().toFloatArray(), taped.weight().grad().toFloatArray(), 0f);
      }
      assertEquals(1, step.tapes().size());
    }
  }

  @Test
  public void trainsAsTheLoopItStandsFor() {
    assertStepsAsEver(layer -> new SGD(layer.parameters(), new SGDOptions(0.1)));
    SGDOptions momentum = new SGDOptions(0.1);
    momentum.momentum().put(0.9);
    assertStepsAsEver(layer -> new SGD(layer.parameters(), momentum));
    assertStepsAsEver(layer -> new Adam(layer.parameters(), new AdamOptions(0.01)));
    assertStepsAsEver(layer -> new Adafactor(layer.parameters(), new AdafactorOptions(0.01)));
  }

  @Test
  public void readsTheNumbersInEveryStep() {
    assertNumbersAreRead(layer -> new SGD(layer.parameters(), new SGDOptions(0.1)));
    // Its step is made of operators, of which none is on the tape.
    assertNumbersAreRead(layer -> new Muon(new TensorVector(layer.weight()), new MuonOptions(0.1)));
  }

  private void assertNumbersAreRead(MakeOptimizer make) {
    LinearImpl layer = new LinearImpl(4, 3);
    Optimizer optimizer = make.of(layer);
    try (CompiledStep step = new CompiledStep(in -> loss(layer, in[0]), optimizer)) {
      for (int i = 0; i < 4; i++) {
        step.run(batches[0]);
      }
      float[] before = layer.weight().toFloatArray();
      optimizer.param_groups().get(0).options().set_lr(0);
      step.run(batches[1]);
      assertArrayEquals(before, layer.weight().toFloatArray(), 0f);
    }
  }

  @Test
  public void sumsMayBeReordered() {
    LinearImpl layer = new LinearImpl(4, 3);
    Optimizer optimizer = new SGD(layer.parameters(), new SGDOptions(0.1));
    try (CompiledStep step = new CompiledStep(in -> loss(layer, in[0]), optimizer, true)) {
      float first = step.run(batches[0]).item_float();
      for (int i = 0; i < 4; i++) {
        step.run(batches[0]);
      }
      assertTrue(step.run(batches[0]).item_float() < first);
      assertTrue(step.tapes().get(0).toString().contains("another order"));
    }
  }

  @Test
  public void wantsANativeStep() {
    LinearImpl layer = new LinearImpl(4, 3);
    assertThrows(
        IllegalArgumentException.class,
        () -> new CompiledStep(in -> loss(layer, in[0]), new LBFGS(layer.parameters())));
  }
}
