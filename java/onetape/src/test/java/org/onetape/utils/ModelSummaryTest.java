package org.onetape.utils;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import org.junit.Test;
import org.onetape.MemoryScope;
import org.onetape.NativeMemory;
import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.nn.DropoutImpl;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.LinearOptions;
import org.onetape.nn.Module;
import org.onetape.nn.ReLUImpl;
import org.onetape.nn.SequentialImpl;

public class ModelSummaryTest {
  private static SequentialImpl model() {
    SequentialImpl inner =
        new SequentialImpl(
            new DropoutImpl(0.5), new LinearImpl(new LinearOptions(8, 300).bias(false)));
    return new SequentialImpl(new LinearImpl(4, 8), new ReLUImpl(), inner);
  }

  @Test
  public void theTableIsPythons() {
    try (MemoryScope scope = new MemoryScope()) {
      SequentialImpl model = model();
      model.get(0).asLinear().bias().requires_grad_(false);
      ModelSummary summary = ModelSummary.of(model, torch.zeros(3, 4));
      assertEquals(
          String.join(
              "\n",
              "Module           Output shape  Parameters  Output memory",
              "--------------------------------------------------------",
              "Sequential       [3, 300]               0        3.5 KiB",
              "  0: Linear      [3, 8]                40           96 B",
              "  1: ReLU        [3, 8]                 0           96 B",
              "  2: Sequential  [3, 300]               0        3.5 KiB",
              "    0: Dropout   [3, 8]                 0           96 B",
              "    1: Linear    [3, 300]           2,400        3.5 KiB",
              "--------------------------------------------------------",
              "Parameters: 2,440 (9.5 KiB), 8 of them fixed",
              "Outputs: 3.8 KiB"),
          summary.toString());
      assertEquals(2440, summary.totalParameters());
      assertEquals(2432, summary.trainableParameters());
      assertEquals(9760, summary.parameterBytes());
      assertEquals(3888, summary.outputBytes());
      ModelSummary.Row last = summary.rows().get(5);
      assertEquals("2.1", last.path());
      assertEquals("Linear", last.kind());
      assertArrayEquals(new long[] {3, 300}, last.shape());
      assertEquals(2400, last.parameters());
      assertEquals(3600, last.outputBytes());
    }
  }

  /** Calls its part where nobody sees it. */
  private static final class Own extends Module {
    private final LinearImpl part = new LinearImpl(4, 2);
    private boolean trained;

    @Override
    public Tensor forward(Tensor input) {
      trained = is_training();
      return part.forward(input);
    }
  }

  @Test
  public void theModelStaysAsItWas() {
    try (MemoryScope scope = new MemoryScope()) {
      Own model = new Own();
      model.part.eval();
      Tensor input = torch.zeros(5, 4);
      long before = NativeMemory.liveTensors();
      ModelSummary summary = ModelSummary.of(model, input);
      assertTrue(NativeMemory.liveTensors() <= before);
      assertFalse(model.trained);
      assertTrue(model.is_training());
      assertFalse(model.part.is_training());
      assertArrayEquals(new long[] {5, 2}, summary.rows().get(0).shape());
      assertNull(summary.rows().get(1).shape());
      assertEquals("part", summary.rows().get(1).path());
      assertTrue(ModelSummary.of(model).toString().contains("–"));
    }
  }

  /** Calls its part so that hooks see it. */
  private static final class Seen extends Module {
    private final LinearImpl part = new LinearImpl(4, 2);

    @Override
    public Tensor forward(Tensor input) {
      return part.call(input).relu();
    }
  }

  @Test
  public void partsThatAreCalled() {
    try (MemoryScope scope = new MemoryScope()) {
      ModelSummary summary = ModelSummary.of(new Seen(), torch.zeros(5, 4));
      assertArrayEquals(new long[] {5, 2}, summary.rows().get(1).shape());
      assertEquals("part", summary.rows().get(1).path());
    }
  }
}
