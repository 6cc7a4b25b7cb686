package org.onetape.optim;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.Test;
import org.onetape.MemoryScope;
import org.onetape.NativeMemory;
import org.onetape.Tensor;
import org.onetape.TensorVector;

public class OptimizerTest {
  /** The parameter after three steps down the gradient of Σx². */
  private static double[] afterThreeSteps(Function<TensorVector, Optimizer> make) {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = tensor(new double[] {1, -2}, requires_grad(true));
      try (Optimizer optimizer = make.apply(new TensorVector(x))) {
        for (int i = 0; i < 3; i++) {
          try (MemoryScope step = new MemoryScope()) {
            optimizer.zero_grad();
            x.mul(x).sum().backward();
            optimizer.step();
          }
        }
      }
      return x.toDoubleArray();
    }
  }

  @Test
  public void descent() {
    double[] x = afterThreeSteps(params -> new SGD(params, 0.1));
    assertArrayEquals(new double[] {0.512, -1.024}, x, 1e-12);
  }

  @Test
  public void momentum() {
    double[] x = afterThreeSteps(params -> new SGD(params, new SGDOptions(0.1).momentum(0.9)));
    // v: 2, 3.4, 3.98; x: 0.8, 0.46, 0.062
    assertArrayEquals(new double[] {0.062, -0.124}, x, 1e-12);
  }

  @Test
  public void nesterovAndDecay() {
    SGDOptions options = new SGDOptions(0.1).momentum(0.5).weight_decay(1).nesterov(true);
    double[] x = afterThreeSteps(params -> new SGD(params, options));
    double value = 1;
    double direction = 0;
    for (int i = 0; i < 3; i++) {
      double gradient = 3 * value;
      direction = i == 0 ? gradient : 0.5 * direction + gradient;
      value -= 0.1 * (gradient + 0.5 * direction);
    }
    assertArrayEquals(new double[] {value, -2 * value}, x, 1e-12);
  }

  private static double adam(double value, double decay, boolean decoupled) {
    double mean = 0;
    double square = 0;
    double start = value;
    for (int i = 1; i <= 3; i++) {
      double gradient = 2 * value + (decoupled ? 0 : decay * value);
      value -= decoupled ? 0.1 * decay * value : 0;
      mean = 0.9 * mean + 0.1 * gradient;
      square = 0.999 * square + 0.001 * gradient * gradient;
      double corrected = Math.sqrt(square) / Math.sqrt(1 - Math.pow(0.999, i)) + 1e-8;
      value -= 0.1 / (1 - Math.pow(0.9, i)) * mean / corrected;
    }
    assertTrue(value != start);
    return value;
  }

  @Test
  public void adamAndAdamW() {
    double[] x = afterThreeSteps(params -> new Adam(params, new AdamOptions(0.1)));
    assertArrayEquals(new double[] {adam(1, 0, false), adam(-2, 0, false)}, x, 1e-9);
    double[] decayed =
        afterThreeSteps(params -> new Adam(params, new AdamOptions(0.1).weight_decay(0.5)));
    assertArrayEquals(new double[] {adam(1, 0.5, false), adam(-2, 0.5, false)}, decayed, 1e-9);
    double[] shrunk =
        afterThreeSteps(params -> new AdamW(params, new AdamWOptions(0.1).weight_decay(0.5)));
    assertArrayEquals(new double[] {adam(1, 0.5, true), adam(-2, 0.5, true)}, shrunk, 1e-9);
    afterThreeSteps(params -> new Adam(params, new AdamOptions(0.1).amsgrad(true)));
  }

  @Test
  public void groupsHaveTheirOwnOptions() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor a = tensor(new double[] {1}, requires_grad(true));
      Tensor b = tensor(new double[] {1}, requires_grad(true));
      SGD optimizer =
          new SGD(
              new OptimizerParamGroupVector(
                  new OptimizerParamGroup(new TensorVector(a)),
                  new OptimizerParamGroup(new TensorVector(b), new SGDOptions(1))),
              new SGDOptions(0.1));
      a.add(b).sum().backward();
      optimizer.step();
      assertEquals(0.9, a.item_double(), 1e-12);
      assertEquals(0, b.item_double(), 1e-12);
      optimizer.param_groups().get(0).options().set_lr(0.5);
      optimizer.step();
      assertEquals(0.4, a.item_double(), 1e-12);
      optimizer.zeroGrad();
      assertFalse(a.grad().defined());
      optimizer.step();
      assertEquals(0.4, a.item_double(), 1e-12);
      optimizer.close();
    }
  }

  /** Steps down the gradient of Σx⁴. */
  private static void steps(Optimizer optimizer, Tensor x, int count) {
    for (int i = 0; i < count; i++) {
      try (MemoryScope step = new MemoryScope()) {
        optimizer.zero_grad();
        x.pow(4).sum().backward();
        optimizer.step();
      }
    }
  }

  /** Training that is saved, loaded and continued ends where uninterrupted training does. */
  private static OptimizerState continued(Function<TensorVector, Optimizer> make) {
    Tensor straight = tensor(new double[] {1, -2}, requires_grad(true));
    steps(make.apply(new TensorVector(straight)), straight, 5);
    Tensor x = tensor(new double[] {1, -2}, requires_grad(true));
    Optimizer first = make.apply(new TensorVector(x));
    steps(first, x, 3);
    OptimizerState saved = first.state_dict();
    Optimizer second = make.apply(new TensorVector(x));
    second.load_state_dict(saved);
    first.close();
    steps(second, x, 2);
    assertArrayEquals(straight.toDoubleArray(), x.toDoubleArray(), 0);
    return second.stateDict();
  }

  @Test
  public void stateIsSavedAndLoaded() {
    try (MemoryScope scope = new MemoryScope()) {
      OptimizerState sgd =
          continued(params -> new SGD(params, new SGDOptions(0.01).momentum(0.9).nesterov(true)));
      assertEquals(Set.of("momentum_buffer"), sgd.state().get(0).keySet());
      assertEquals(0.9, sgd.param_groups().get(0).get("momentum"));
      assertEquals(List.of(0), sgd.param_groups().get(0).get("params"));
      assertTrue(continued(params -> new SGD(params, 0.01)).state().isEmpty());
      OptimizerState adam =
          continued(params -> new Adam(params, new AdamOptions(0.1).amsgrad(true)));
      assertEquals(
          Set.of("step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"), adam.state().get(0).keySet());
      assertEquals(5, adam.state().get(0).get("step").item_double(), 0);
      assertEquals(List.of(0.9, 0.999), adam.param_groups().get(0).get("betas"));
      OptimizerState adamW = continued(params -> new AdamW(params, new AdamWOptions(0.1)));
      assertEquals(true, adamW.param_groups().get(0).get("decoupled_weight_decay"));
      assertTrue(adamW.toString(), adamW.toString().contains("exp_avg"));
    }
  }

  @Test
  public void loadedTensorsAreCopiesInTheParametersType() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = tensor(new float[] {1}, requires_grad(true));
      Tensor buffer = tensor(new double[] {0.5});
      SGD optimizer = new SGD(new TensorVector(x), new SGDOptions(1).momentum(1));
      optimizer.load_state_dict(
          new OptimizerState(
              Map.of(0L, Map.of("momentum_buffer", buffer)),
              List.of(Map.of("lr", 2, "params", List.of(0)))));
      x.mul(0).sum().backward();
      optimizer.step();
      assertEquals(0, x.item_double(), 0);
      assertEquals(0.5, buffer.item_double(), 0);
      assertEquals(2, optimizer.param_groups().get(0).options().get_lr(), 0);
      optimizer.close();
    }
  }

  @Test
  public void statesThatDoNotFitAreRefused() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = tensor(new double[] {1}, requires_grad(true));
      SGD optimizer = new SGD(new TensorVector(x), 0.1);
      IllegalArgumentException groups =
          assertThrows(
              IllegalArgumentException.class,
              () -> optimizer.load_state_dict(new OptimizerState(Map.of(), List.of())));
      assertEquals(
          "loaded state dict has a different number of parameter groups", groups.getMessage());
      IllegalArgumentException size =
          assertThrows(
              IllegalArgumentException.class,
              () ->
                  optimizer.load_state_dict(
                      new OptimizerState(Map.of(), List.of(Map.of("params", List.of(0, 1))))));
      assertEquals(
          "loaded state dict contains a parameter group that doesn't match the size of"
              + " optimizer's group",
          size.getMessage());
      assertThrows(
          IllegalArgumentException.class,
          () ->
              optimizer.load_state_dict(
                  new OptimizerState(
                      Map.of(), List.of(Map.of("params", List.of(0), "lr", "fast")))));
      assertThrows(
          UnsupportedOperationException.class,
          () ->
              optimizer.load_state_dict(
                  new OptimizerState(
                      Map.of(), List.of(Map.of("params", List.of(0), "differentiable", true)))));
      assertEquals(0.1, optimizer.param_groups().get(0).options().get_lr(), 0);
      optimizer.close();
    }
  }

  @Test
  public void stepWithAClosure() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = tensor(new double[] {1}, requires_grad(true));
      SGD optimizer = new SGD(new TensorVector(x), 0.1);
      Tensor loss =
          optimizer.step(
              () -> {
                optimizer.zero_grad();
                Tensor l = x.mul(x).sum();
                l.backward();
                return l;
              });
      assertEquals(1, loss.item_double(), 0);
      assertEquals(0.8, x.item_double(), 1e-12);
      optimizer.close();
    }
  }

  @Test
  public void wrongOptionsAreRefused() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = tensor(new double[] {1}, requires_grad(true));
      TensorVector params = new TensorVector(x);
      assertThrows(IllegalArgumentException.class, () -> new SGD(params, -1));
      assertThrows(IllegalArgumentException.class, () -> new SGD(new TensorVector(), 1));
      assertThrows(
          IllegalArgumentException.class, () -> new SGD(params, new SGDOptions(1).nesterov(true)));
      assertThrows(
          IllegalArgumentException.class, () -> new Adam(params, new AdamOptions().betas(1, 0.9)));
      assertThrows(IllegalArgumentException.class, () -> new SGD(new TensorVector(x.mul(2)), 1));
    }
  }

  @Test
  public void trainingLeavesNothingBehind() {
    long before = NativeMemory.liveTensors();
    afterThreeSteps(params -> new Adam(params));
    afterThreeSteps(params -> new SGD(params, new SGDOptions(0.1).momentum(0.9)));
    assertTrue(NativeMemory.liveTensors() <= before);
  }
}
