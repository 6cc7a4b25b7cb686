package org.onetape.jit;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.nn.LinearImpl;

public class TapeTest {
  private MemoryScope scope;

  @Before
  public void open() {
    scope = new MemoryScope();
    torch.manual_seed(0);
  }

  @After
  public void close() {
    scope.close();
  }

  private static Tensor bent(Tensor x) {
    return x.mul(x).add(new Scalar(1.0)).tanh().mul(x);
  }

  private static void assertSame(Tensor expected, Tensor actual) {
    assertArrayEquals(expected.shape(), actual.shape());
    assertArrayEquals(expected.toFloatArray(), actual.toFloatArray(), 0f);
  }

  @Test
  public void runsTheOperatorsAgain() {
    try (Tape tape = Tape.record(TapeTest::bent, torch.ones(3, 4))) {
      for (int i = 0; i < 4; i++) {
        Tensor x = torch.randn(3, 4);
        assertSame(bent(x), tape.run(x));
      }
    }
  }

  @Test
  public void sumsMayBeReordered() {
    Traced.OnChange refuse = Traced.OnChange.ERROR;
    Tensor first = torch.randn(100, 3000);
    Tape.Programs sum = in -> new Tensor[] {bent(in[0]).sum(), bent(in[0]).sum(-1)};
    Traced traced = new Traced(sum, refuse, true);
    traced.apply(first);
    try (Tape tape = Tape.recordAll(sum, first);
        Tape reordered = tape.reordered()) {
      for (int i = 0; i < 4; i++) {
        Tensor x = torch.randn(100, 3000);
        Tensor[] expected = sum.apply(x);
        Tensor[] exact = tape.runAll(x);
        Tensor[] near = reordered.runAll(x);
        Tensor[] traces = traced.apply(x);
        for (int k = 0; k < 2; k++) {
          assertSame(expected[k], exact[k]);
          assertArrayEquals(expected[k].toFloatArray(), near[k].toFloatArray(), 0.1f);
          assertSame(near[k], traces[k]);
        }
      }
      assertTrue(reordered.toString().contains("another order"));
    }
  }

  @Test
  public void takesAndGivesSeveral() {
    Tape.Programs program = in -> new Tensor[] {in[0].add(in[1]), in[0].sum(), in[1]};
    try (Tape tape = Tape.recordAll(program, torch.ones(2), torch.ones(2))) {
      Tensor x = torch.randn(2);
      Tensor y = torch.randn(2);
      for (int i = 0; i < 3; i++) {
        Tensor[] results = tape.runAll(x, y);
        assertSame(x.add(y), results[0]);
        assertSame(x.sum(), results[1]);
        assertEquals(y, results[2]);
      }
      assertThrows(TorchException.class, () -> tape.run(x));
    }
  }

  @Test
  public void readsParametersWhereTheyAre() {
    LinearImpl layer = new LinearImpl(3, 2);
    try (NoGradGuard guard = new NoGradGuard();
        Tape tape = Tape.record(layer::forward, torch.ones(4, 3))) {
      Tensor x = torch.randn(4, 3);
      for (int i = 0; i < 3; i++) {
        assertSame(layer.forward(x), tape.run(x));
        layer.weight().add_(new Scalar(1.0));
      }
      assertEquals(2, tape.captured().length);
    }
  }

  @Test
  public void gradientsFlowThroughARun() {
    Tensor x = tensor(new double[] {0.5, -2}, requires_grad(true));
    try (Tape tape = Tape.record(TapeTest::bent, x)) {
      bent(x).sum().backward();
      double[] expected = x.grad().toDoubleArray();
      x.mutable_grad().zero_();
      tape.run(x).sum().backward();
      assertArrayEquals(expected, x.grad().toDoubleArray(), 0);
    }
  }

  @Test
  public void refusesWhatDependsOnElements() {
    List<Tape.Program> programs =
        List.of(
            x -> x.mul(new Scalar(x.sum().item_double())),
            x -> torch.nonzero(x),
            x -> tensor(x.toFloatArray()),
            x -> x.masked_select(x.gt(new Scalar(0.0))));
    for (Tape.Program program : programs) {
      TorchException refused =
          assertThrows(TorchException.class, () -> Tape.record(program, torch.ones(3)));
      assertTrue(refused.getMessage(), refused.getMessage().startsWith("Tape: "));
    }
    assertThrows(
        IllegalStateException.class,
        () ->
            Tape.record(
                x -> {
                  throw new IllegalStateException("mine");
                },
                torch.ones(1)));
    try (Tape tape = Tape.record(TapeTest::bent, torch.ones(1))) {
      assertNull(tape.mismatch(torch.ones(1)));
    }
  }

  @Test
  public void otherFormsAreRefusedOrRecorded() {
    Tape.Programs program = in -> new Tensor[] {bent(in[0])};
    try (Traced strict = new Traced(program, Traced.OnChange.ERROR);
        Traced lenient = new Traced(program, Traced.OnChange.RECORD)) {
      strict.apply(torch.ones(2));
      TorchException refused =
          assertThrows(TorchException.class, () -> strict.apply(torch.ones(3)));
      assertEquals("Tape: input 0 has shape [3] but had [2] when recorded", refused.getMessage());
      for (int size : new int[] {2, 3, 2, 3}) {
        Tensor x = torch.randn(size);
        assertSame(bent(x), lenient.apply(x)[0]);
      }
      assertEquals(2, lenient.tapes().size());
    }
  }

  @Test
  public void threadsShareATape() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try (Tape tape = Tape.record(TapeTest::bent, torch.ones(64, 64))) {
      List<Future<Boolean>> answers = new ArrayList<>();
      for (int task = 0; task < 4; task++) {
        final double value = task;
        answers.add(
            pool.submit(
                () -> {
                  try (MemoryScope own = new MemoryScope()) {
                    Tensor x = torch.full(new long[] {64, 64}, new Scalar(value));
                    for (int i = 0; i < 50; i++) {
                      if (!tape.run(x).equal(bent(x))) {
                        return false;
                      }
                    }
                    return true;
                  }
                }));
      }
      for (Future<Boolean> answer : answers) {
        assertTrue(answer.get());
      }
    } finally {
      pool.shutdown();
    }
  }

  @Test
  public void isSavedAndLoaded() throws IOException {
    Path file = Files.createTempFile("tape", ".safetensors");
    LinearImpl layer = new LinearImpl(3, 2);
    try (NoGradGuard guard = new NoGradGuard();
        Tape tape = Tape.record(layer::forward, torch.ones(4, 3))) {
      tape.save(file);
      try (Tape loaded = Tape.load(file)) {
        assertEquals(tape.toString(), loaded.toString());
        Tensor x = torch.randn(4, 3);
        for (int i = 0; i < 3; i++) {
          assertSame(layer.forward(x), loaded.run(x));
        }
      }
      Files.write(file, new byte[] {1, 2, 3});
      assertThrows(IllegalArgumentException.class, () -> Tape.load(file));
    } finally {
      Files.delete(file);
    }
    assertThrows(TorchException.class, () -> Tape.load(file));
  }

  @Test
  public void readsAFileOfPython() {
    Path file = Path.of(System.getProperty("onetape.golden"), "tapes", "version1.tape");
    try (NoGradGuard guard = new NoGradGuard();
        Tape tape = Tape.load(file)) {
      Tensor x = torch.arange(new Scalar(15.0)).reshape(5, 3).div(new Scalar(8.0));
      Tensor input = x.sub(new Scalar(1.0)).to(torch.ScalarType.Float);
      Tensor[] p = tape.captured();
      Tensor expected = torch.linear(torch.linear(input, p[0], p[1]).tanh(), p[2], p[3]);
      for (int i = 0; i < 3; i++) {
        assertSame(expected, tape.run(input));
      }
    }
  }

  @Test
  public void isClosedOnce() {
    Tape tape = Tape.record(TapeTest::bent, torch.ones(1));
    tape.close();
    tape.close();
    assertThrows(IllegalStateException.class, () -> tape.run(torch.ones(1)));
  }
}
