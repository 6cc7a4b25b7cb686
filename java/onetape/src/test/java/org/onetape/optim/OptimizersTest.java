package org.onetape.optim;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.Test;
import org.onetape.MemoryScope;
import org.onetape.NativeMemory;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.global.torch;
import org.onetape.nn.BatchNorm1dImpl;
import org.onetape.nn.InstanceNorm1dImpl;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.SequentialImpl;

public class OptimizersTest {
  private static final Map<String, Function<TensorVector, Optimizer>> ALL = new LinkedHashMap<>();

  static {
    ALL.put("SGD", params -> new SGD(params, new SGDOptions(0.1).momentum(0.9)));
    ALL.put("Adam", params -> new Adam(params, new AdamOptions(0.1).amsgrad(true)));
    ALL.put("AdamW", params -> new AdamW(params, 0.1));
    ALL.put("Adamax", params -> new Adamax(params, new AdamaxOptions(0.1).betas(0.8, 0.9)));
    ALL.put("NAdam", params -> new NAdam(params, new NAdamOptions(0.1).momentum_decay(0.01)));
    ALL.put("RAdam", params -> new RAdam(params, new RAdamOptions(0.1).betas(0.8, 0.9)));
    ALL.put("RMSprop", params -> new RMSprop(params, new RMSpropOptions(0.1).centered(true)));
    ALL.put("Adagrad", params -> new Adagrad(params, new AdagradOptions(0.1).lr_decay(0.01)));
    ALL.put("Adadelta", params -> new Adadelta(params));
    ALL.put("Rprop", params -> new Rprop(params, new RpropOptions(0.1).etas(0.5, 1.1)));
    ALL.put("ASGD", params -> new ASGD(params, new ASGDOptions(0.05).t0(2)));
  }

  private static void steps(Optimizer optimizer, Tensor x, int count) {
    for (int i = 0; i < count; i++) {
      try (MemoryScope step = new MemoryScope()) {
        optimizer.zeroGrad();
        x.mul(x).sum().backward();
        optimizer.step();
      }
    }
  }

  @Test
  public void everyOptimizerDescends() {
    ALL.forEach(
        (name, make) -> {
          try (MemoryScope scope = new MemoryScope()) {
            Tensor x = tensor(new double[] {1, -2}, requires_grad(true));
            try (Optimizer optimizer = make.apply(new TensorVector(x))) {
              steps(optimizer, x, 20);
              assertTrue(name, x.mul(x).sum().item_double() < 5);
            }
          }
        });
  }

  @Test
  public void stateIsTakenOver() {
    ALL.forEach(
        (name, make) -> {
          try (MemoryScope scope = new MemoryScope()) {
            Tensor straight = tensor(new float[] {1, -2}, requires_grad(true));
            try (Optimizer whole = make.apply(new TensorVector(straight))) {
              steps(whole, straight, 7);
            }
            Tensor x = tensor(new float[] {1, -2}, requires_grad(true));
            Optimizer first = make.apply(new TensorVector(x));
            steps(first, x, 3);
            Optimizer second = make.apply(new TensorVector(x));
            second.loadStateDict(first.stateDict());
            first.close();
            steps(second, x, 4);
            assertArrayEquals(name, straight.toDoubleArray(), x.toDoubleArray(), 0);
            second.close();
          }
        });
  }

  @Test
  public void maximizeGoesTheOtherWay() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = tensor(new double[] {1}, requires_grad(true));
      SGD optimizer = new SGD(new TensorVector(x), new SGDOptions(0.1).maximize(true));
      steps(optimizer, x, 1);
      assertEquals(1.2, x.item_double(), 1e-12);
      assertTrue(optimizer.state_dict().param_groups().get(0).get("maximize").equals(true));
      optimizer.close();
    }
  }

  @Test
  public void adagradHasItsStateFromTheStart() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = tensor(new double[] {1}, requires_grad(true));
      AdagradOptions options = new AdagradOptions().initial_accumulator_value(0.5);
      Adagrad optimizer = new Adagrad(new TensorVector(x), options);
      Map<String, Tensor> state = optimizer.state_dict().state().get(0);
      assertEquals(Set.of("step", "sum"), state.keySet());
      assertEquals(0.5, state.get("sum").item_double(), 0);
      optimizer.close();
    }
  }

  @Test
  public void optimizersOfMatrices() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor matrix = torch.ones(3, 2).requires_grad_(true);
      Tensor vector = torch.ones(3).requires_grad_(true);
      assertEquals(
          "Muon only supports 2D parameters whereas we found a parameter with size:"
              + " torch.Size([3])",
          assertThrows(
                  IllegalArgumentException.class,
                  () -> new Muon(new TensorVector(matrix, vector), 0.1))
              .getMessage());
      assertEquals(
          "Adjust learning rate function adam is not supported",
          assertThrows(
                  IllegalArgumentException.class,
                  () -> new Muon(new TensorVector(matrix), new MuonOptions().adjust_lr_fn("adam")))
              .getMessage());
      assertEquals(
          "epsilon1 should be >= 0 but is: -1.0",
          assertThrows(
                  IllegalArgumentException.class,
                  () ->
                      new Adafactor(
                          new TensorVector(matrix), new AdafactorOptions().eps(-1, 0.001)))
              .getMessage());
      Adafactor optimizer = new Adafactor(new TensorVector(matrix, vector), 0.1);
      matrix.sum().add(vector.sum()).backward();
      optimizer.step();
      OptimizerState saved = optimizer.stateDict();
      assertEquals(Set.of("step", "row_var", "col_var"), saved.state().get(0).keySet());
      assertEquals(Set.of("step", "variance"), saved.state().get(1).keySet());
      assertArrayEquals(new long[] {3, 1}, saved.state().get(0).get("row_var").shape());
      assertArrayEquals(new long[] {1, 2}, saved.state().get(0).get("col_var").shape());
      assertEquals(java.util.Arrays.asList(null, 0.001), saved.param_groups().get(0).get("eps"));
      Adafactor other = new Adafactor(new TensorVector(matrix, vector), 0.5);
      other.loadStateDict(saved);
      assertEquals(0.1, other.param_groups().get(0).options().get_lr(), 0);
      optimizer.close();
      other.close();
    }
  }

  @Test
  public void groupsAreChecked() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = tensor(new double[] {1}, requires_grad(true));
      Tensor y = tensor(new double[] {2}, requires_grad(true));
      Adam optimizer = new Adam(new TensorVector(x), 0.1);
      OptimizerParamGroup twice = new OptimizerParamGroup(new TensorVector(x));
      assertEquals(
          "some parameters appear in more than one parameter group",
          assertThrows(IllegalArgumentException.class, () -> optimizer.add_param_group(twice))
              .getMessage());
      OptimizerParamGroup other = new OptimizerParamGroup(new TensorVector(y), new SGDOptions(1));
      assertThrows(IllegalArgumentException.class, () -> optimizer.addParamGroup(other));
      optimizer.addParamGroup(new OptimizerParamGroup(new TensorVector(y), new AdamOptions(0.5)));
      assertEquals(2, optimizer.parameters().size());
      x.mul(y).sum().backward();
      optimizer.step();
      assertEquals(0.9, x.item_double(), 1e-6);
      assertEquals(1.5, y.item_double(), 1e-6);
      optimizer.zeroGrad(false);
      assertEquals(0, y.grad().item_double(), 0);
      optimizer.close();
    }
  }

  @Test
  public void optionsAreChecked() {
    try (MemoryScope scope = new MemoryScope()) {
      TensorVector params = new TensorVector(tensor(new double[] {1}, requires_grad(true)));
      for (Runnable wrong :
          List.<Runnable>of(
              () -> new RMSprop(params, new RMSpropOptions().alpha(-1)),
              () -> new Rprop(params, new RpropOptions().etas(1.5, 2)),
              () -> new Adadelta(params, new AdadeltaOptions().rho(2)),
              () -> new ASGD(params, new ASGDOptions().lambd(-1)),
              () -> new NAdam(params, new NAdamOptions().betas(0.9, 1)),
              () -> new LBFGS(params, -1))) {
        assertThrows(IllegalArgumentException.class, wrong::run);
      }
      assertEquals(
          "Invalid eta values: 1.5, 2.0",
          assertThrows(
                  IllegalArgumentException.class,
                  () -> new Rprop(params, new RpropOptions().etas(1.5, 2)))
              .getMessage());
    }
  }

  @Test
  public void useAfterCloseIsAnError() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = tensor(new double[] {1}, requires_grad(true));
      SGD optimizer = new SGD(new TensorVector(x), 0.1);
      optimizer.close();
      optimizer.close();
      assertThrows(IllegalStateException.class, optimizer::step);
      assertThrows(IllegalStateException.class, optimizer::zero_grad);
    }
  }

  @Test
  public void newtonLikeSteps() {
    try (MemoryScope scope = new MemoryScope()) {
      for (LBFGSOptions options :
          List.of(
              new LBFGSOptions(0.5).max_iter(10),
              new LBFGSOptions().line_search_fn("strong_wolfe").history_size(3))) {
        Tensor x = tensor(new double[] {1, -2}, requires_grad(true));
        LBFGS optimizer = new LBFGS(new TensorVector(x), options);
        int[] calls = {0};
        for (int i = 0; i < 4; i++) {
          optimizer.step(
              () -> {
                calls[0]++;
                optimizer.zeroGrad();
                Tensor loss = x.sub(tensor(0.5)).pow(4).sum().add(x.mul(x).sum());
                loss.backward();
                return loss;
              });
        }
        x.grad().zero_();
        assertTrue(calls[0] > 4);
        double expected = 0.114537; // where 4 (x − 1/2)³ + 2 x = 0
        assertArrayEquals(new double[] {expected, expected}, x.toDoubleArray(), 2e-3);
        Map<String, Tensor> state = optimizer.state_dict().state().get(0);
        assertEquals(calls[0], state.get("func_evals").item_long());
        OptimizerState saved = optimizer.state_dict();
        LBFGS other = new LBFGS(new TensorVector(x));
        other.load_state_dict(saved);
        assertEquals(saved.state().get(0).keySet(), other.state_dict().state().get(0).keySet());
        assertEquals(
            options.line_search_fn().has_value(),
            other.state_dict().param_groups().get(0).get("line_search_fn") != null);
        assertThrows(IllegalArgumentException.class, (Runnable0) optimizer::step);
        other.close();
        optimizer.close();
      }
    }
  }

  /** Tells step() from step(closure). */
  private interface Runnable0 extends org.junit.function.ThrowingRunnable {
    @Override
    void run();
  }

  @Test
  public void averagesOfModules() {
    try (MemoryScope scope = new MemoryScope()) {
      LinearImpl model = new LinearImpl(1, 1);
      AveragedModel mean = new AveragedModel(model, new LinearImpl(1, 1));
      AveragedModel moving =
          new AveragedModel(model, new LinearImpl(1, 1), AveragedModel.moving(0.75), true);
      for (int i = 1; i <= 3; i++) {
        Tensor weight = model.weight().detach();
        weight.fill_(new org.onetape.Scalar(i));
        mean.updateParameters(model);
        moving.update_parameters(model);
      }
      assertEquals(2, mean.parameters().get(0).item_double(), 1e-6);
      assertEquals(1.6875, moving.parameters().get(0).item_double(), 1e-6);
      assertEquals(3, mean.state_dict().get("n_averaged").item_long());
      Tensor input = torch.ones(1, 1);
      assertEquals(
          mean.module().forward(input).item_double(), mean.forward(input).item_double(), 0);
      assertThrows(IllegalArgumentException.class, () -> AveragedModel.moving(2));
      mean.close();
      moving.close();
      model.close();
    }
  }

  @Test
  public void statisticsOfBatches() {
    try (MemoryScope scope = new MemoryScope()) {
      BatchNorm1dImpl norm = new BatchNorm1dImpl(1);
      SequentialImpl model = new SequentialImpl(norm, new InstanceNorm1dImpl(1));
      model.eval();
      norm.running_mean().fill_(7);
      List<float[][]> batches = List.of(new float[][] {{0}, {2}}, new float[][] {{4}, {6}});
      AveragedModel.update_bn(batches, torch::tensor, new SequentialImpl(norm));
      assertEquals(3, norm.running_mean().item_double(), 1e-6);
      assertEquals(2, norm.running_var().item_double(), 1e-6);
      assertEquals(2, norm.num_batches_tracked().item_long());
      assertEquals(0.1, norm.momentum().get(), 0);
      AveragedModel.update_bn(List.of(torch.ones(2, 1, 3)), model);
      assertEquals(1, norm.running_mean().item_double(), 1e-6);
      assertFalse(norm.is_training());
      AveragedModel.update_bn(List.of(torch.ones(1)), new SequentialImpl()); // nothing to do
    }
  }

  @Test
  public void nothingIsLeftBehind() {
    long before = NativeMemory.liveTensors();
    everyOptimizerDescends();
    stateIsTakenOver();
    newtonLikeSteps();
    assertTrue(NativeMemory.liveTensors() <= before);
    assertFalse(ALL.isEmpty());
  }
}
