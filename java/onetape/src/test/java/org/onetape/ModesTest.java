package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Grad, inference and anomaly mode. */
public class ModesTest {
  private MemoryScope scope;
  private Tensor x;

  @Before
  public void open() {
    scope = new MemoryScope();
    x = tensor(new double[] {1, 2}, requires_grad(true));
  }

  @After
  public void close() {
    scope.close();
    assertTrue(AutoGradMode.is_enabled());
    assertFalse(InferenceMode.is_enabled());
    assertFalse(AnomalyMode.is_enabled());
  }

  private static void assertState(boolean grad, boolean inference) {
    assertEquals(grad, AutoGradMode.is_enabled());
    assertEquals(inference, InferenceMode.is_enabled());
  }

  @Test
  public void nesting() {
    try (NoGradGuard a = Torch.noGrad()) {
      assertState(false, false);
      try (EnableGradGuard b = Torch.enableGrad()) {
        assertState(true, false);
        try (AutoGradMode c = new AutoGradMode(false)) {
          assertState(false, false);
        }
        assertState(true, false);
      }
      assertState(false, false);
      try (InferenceMode d = new InferenceMode(false)) {
        assertState(true, false);
      }
    }
    try (InferenceMode a = Torch.inferenceMode()) {
      assertState(false, true);
      try (EnableGradGuard b = new EnableGradGuard()) {
        assertState(true, true);
        assertFalse(x.mul(2).requires_grad());
      }
      try (InferenceMode c = new InferenceMode(false)) {
        assertState(true, false);
        assertTrue(x.mul(2).requires_grad());
      }
      assertState(false, true);
    }
  }

  @Test
  public void restoredWhenABlockThrows() {
    for (int i = 0; i < 3; i++) {
      int which = i;
      assertThrows(
          IllegalStateException.class,
          () -> {
            try (AutoCloseable guard =
                which == 0
                    ? new NoGradGuard()
                    : which == 1 ? new InferenceMode() : new AutoGradMode(false)) {
              throw new IllegalStateException();
            }
          });
      assertState(true, false);
    }
  }

  @Test
  public void endWithTheScopeAround() {
    try (MemoryScope inner = new MemoryScope()) {
      new InferenceMode();
      new NoGradGuard();
      assertState(false, true);
    }
    assertState(true, false);
  }

  @Test
  public void belongToTheThread() throws Exception {
    boolean[] seen = new boolean[2];
    try (InferenceMode guard = new InferenceMode()) {
      Thread other =
          new Thread(
              () -> {
                seen[0] = AutoGradMode.is_enabled();
                seen[1] = InferenceMode.is_enabled();
              });
      other.start();
      other.join();
    }
    assertTrue(seen[0]);
    assertFalse(seen[1]);
  }

  @Test
  public void inferenceTensors() {
    Tensor made;
    Tensor view;
    try (InferenceMode guard = new InferenceMode()) {
      made = x.mul(2);
      view = x.view(2, 1);
      assertTrue(made.is_inference());
      assertFalse(view.is_inference());
      made.add_(tensor(1.0));
    }
    assertFalse(x.is_inference());
    assertFalse(made.clone().is_inference());
    Tensor late = made;
    assertEquals(
        "Inference tensors do not track version counter.",
        assertThrows(TorchException.class, () -> late._version()).getMessage());
    assertTrue(
        assertThrows(TorchException.class, () -> late.add_(tensor(1.0)))
            .getMessage()
            .startsWith(
                "Inplace update to inference tensor outside InferenceMode is not allowed."));
    assertEquals(
        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
        assertThrows(TorchException.class, () -> late.requires_grad_()).getMessage());
    assertTrue(
        assertThrows(TorchException.class, () -> late.mul(x))
            .getMessage()
            .startsWith("Inference tensors cannot be saved for backward."));
    late.add(x).sum().backward();
    assertTrue(x.grad().defined());
    Tensor base = x.mul(1);
    Tensor inside;
    try (InferenceMode guard = new InferenceMode()) {
      inside = base.view(2, 1);
    }
    assertTrue(
        assertThrows(TorchException.class, () -> inside.add_(tensor(1.0)))
            .getMessage()
            .startsWith("A view was created in inference mode and is being modified inplace"));
  }

  @Test
  public void anomalyNamesTheForwardCall() {
    Tensor zero = tensor(new double[] {0}, requires_grad(true));
    RuntimeException error;
    try (DetectAnomalyGuard guard = Torch.detectAnomaly()) {
      assertTrue(AnomalyMode.should_check_nan());
      Tensor y = zero.sqrt().mul(tensor(0.0));
      error = assertThrows(TorchException.class, () -> y.sum().backward());
    }
    assertEquals(
        "Function 'SqrtBackward0' returned nan values in its 0th output.", error.getMessage());
    assertEquals(1, error.getSuppressed().length);
    String told = error.getSuppressed()[0].getMessage();
    assertTrue(told, told.startsWith("Error detected in SqrtBackward0. Traceback of forward call"));
    assertTrue(told, told.contains("ModesTest.anomalyNamesTheForwardCall(ModesTest.java:"));
  }

  @Test
  public void anomalyOfAnExceptionOfTheProgram() {
    IllegalStateException mine = new IllegalStateException("mine");
    try (DetectAnomalyGuard guard = new DetectAnomalyGuard(false)) {
      assertFalse(AnomalyMode.should_check_nan());
      Tensor y = x.exp();
      y.register_hook(
          g -> {
            throw mine;
          });
      assertSame(mine, assertThrows(IllegalStateException.class, () -> y.sum().backward()));
    }
    assertTrue(mine.getSuppressed()[0] instanceof AnomalyMode.ForwardCall);
    assertTrue(mine.getSuppressed()[0].getMessage().startsWith("Error detected in ExpBackward0."));
    assertNull(mine.getCause());
  }

  @Test
  public void anomalyCanBeSetForAll() {
    AnomalyMode.set_enabled(true, false);
    try {
      assertTrue(AnomalyMode.is_enabled());
      Tensor zero = tensor(new double[] {0}, requires_grad(true));
      zero.sqrt().mul(tensor(0.0)).sum().backward();
    } finally {
      AnomalyMode.set_enabled(false);
    }
  }
}
