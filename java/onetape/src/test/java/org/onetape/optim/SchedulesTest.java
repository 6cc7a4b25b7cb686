package org.onetape.optim;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.util.List;
import java.util.Map;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.FloatVector;
import org.onetape.MemoryScope;
import org.onetape.TensorVector;

/** What the tests across languages do not show: JavaCPP's spellings, and errors. */
public class SchedulesTest {
  private MemoryScope scope;
  private SGD optimizer;

  @Before
  public void open() {
    scope = new MemoryScope();
    optimizer = new SGD(new TensorVector(tensor(new double[] {1}, requires_grad(true))), 1.0);
  }

  @After
  public void close() {
    optimizer.close();
    scope.close();
  }

  private double rate() {
    return optimizer.param_groups().get(0).options().get_lr();
  }

  @Test
  public void stepsAsInJavaCpp() {
    StepLR scheduler = new StepLR(optimizer, 2, 0.5);
    optimizer.step();
    for (int i = 0; i < 4; i++) {
      scheduler.step();
    }
    assertEquals(0.25, rate(), 0);
    assertArrayEquals(new double[] {0.25}, scheduler.getLastLr(), 0);
    assertEquals("StepLR(epoch 4, rates [0.25])", scheduler.toString());
  }

  @Test
  public void plateausAsInJavaCpp() {
    ReduceLROnPlateauScheduler scheduler =
        new ReduceLROnPlateauScheduler(
            optimizer,
            ReduceLROnPlateauScheduler.SchedulerMode.min,
            0.5f,
            1,
            1e-4,
            ReduceLROnPlateauScheduler.ThresholdMode.rel,
            0,
            new FloatVector(),
            1e-8,
            false);
    for (int i = 0; i < 3; i++) {
      scheduler.step(2.0f);
    }
    assertEquals(0.5, rate(), 0);
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new ReduceLROnPlateauScheduler(
                optimizer, ReduceLROnPlateauScheduler.SchedulerMode.max, 1.5, 3));
  }

  @Test
  public void aScheduleOfOnesOwn() {
    final class Halving extends LRScheduler {
      Halving(Optimizer optimizer) {
        super(optimizer, -1);
        begin();
      }

      @Override
      protected double[] getLr() {
        return perGroup(i -> baseLrs()[i] / (1 << lastEpoch()));
      }
    }

    Halving scheduler = new Halving(optimizer);
    optimizer.step();
    scheduler.step();
    scheduler.step();
    assertEquals(0.25, rate(), 0);
    Map<String, Object> state = scheduler.stateDict();
    assertEquals(2, state.get("last_epoch"));
    Halving other = new Halving(optimizer);
    other.loadStateDict(state);
    other.step();
    assertEquals(0.125, rate(), 0);
  }

  private static void refused(String message, Runnable action) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, action::run).getMessage());
  }

  @Test
  public void wrongArgumentsAreRefusedInPythonsWords() {
    refused(
        "Constant multiplicative factor expected to be between 0 and 1.",
        () -> new ConstantLR(optimizer, 1.5, 3));
    refused(
        "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.",
        () -> new LinearLR(optimizer, 0, 1, 3));
    refused(
        "Expected positive integer T_0, but got 0",
        () -> new CosineAnnealingWarmRestarts(optimizer, 0));
    refused(
        "Expected 1 lr_lambdas, but got 2",
        () -> new LambdaLR(optimizer, List.of(e -> 1.0, e -> 2.0)));
    refused(
        "mode is invalid and scale_fn is None",
        () -> new CyclicLR(optimizer, 0.1, 1, new CyclicLROptions().mode("square")));
    refused(
        "You must define either total_steps OR (epochs AND steps_per_epoch)",
        () -> new OneCycleLR(optimizer, 1, new OneCycleLROptions()));
    refused(
        "SequentialLR expects at least one scheduler, but got no scheduler.",
        () -> new SequentialLR(optimizer, List.of()));
    refused(
        "ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.",
        () -> new ChainedScheduler());
    refused(
        "anneal_strategy must be one of 'cos' or 'linear', instead got step",
        () -> new SWALR(optimizer, 0.1, 3, "step"));
    refused(
        "param 'initial_lr' is not specified in param_groups[0] when resuming scheduler with"
            + " last_epoch >= 0.",
        () ->
            new StepLR(
                new SGD(new TensorVector(tensor(new double[] {1}, requires_grad(true))), 1),
                3,
                0.1,
                4));
  }

  @Test
  public void statesThatLackSomethingAreRefused() {
    StepLR scheduler = new StepLR(optimizer, 2, 0.5);
    Map<String, Object> state = scheduler.state_dict();
    state.put("gamma", "half");
    refused("'gamma' must be a number, but is half", () -> scheduler.load_state_dict(state));
    state.remove("gamma");
    refused("the state of the schedule has no 'gamma'", () -> scheduler.load_state_dict(state));
    CosineAnnealingLR other = new CosineAnnealingLR(optimizer, 3);
    assertThrows(IllegalArgumentException.class, () -> other.load_state_dict(state));
    assertEquals(0, scheduler.lastEpoch());
  }

  @Test
  public void momentumMovesAgainstTheRate() {
    Adam adam = new Adam(new TensorVector(tensor(new double[] {1}, requires_grad(true))), 1.0);
    OneCycleLR scheduler = new OneCycleLR(adam, 1.0, 10);
    AdamOptions options = (AdamOptions) adam.param_groups().get(0).options();
    assertEquals(0.95, options.betas().get(0), 0);
    for (int i = 0; i < 2; i++) {
      adam.step();
      scheduler.step();
    }
    assertEquals(1.0, options.get_lr(), 1e-12);
    assertEquals(0.85, options.betas().get(0), 1e-12);
    assertEquals(0.999, options.betas().get(1), 0);
    adam.close();
  }
}
