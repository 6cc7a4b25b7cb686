package org.onetape.optim;

import java.util.LinkedHashMap;
import java.util.Map;
import org.onetape.BoolPointer;
import org.onetape.DoublePointer;
import org.onetape.LongOptional;
import org.onetape.LongPointer;
import org.onetape.StringViewOptional;

/** How {@link LBFGS} changes parameters. */
public final class LBFGSOptions extends OptimizerOptions {
  private final DoublePointer lr = new DoublePointer(new double[] {1});
  private final LongPointer maxIter = new LongPointer(new long[] {20});
  private final LongOptional maxEval = new LongOptional();
  private final DoublePointer toleranceGrad = new DoublePointer(new double[] {1e-7});
  private final DoublePointer toleranceChange = new DoublePointer(new double[] {1e-9});
  private final LongPointer historySize = new LongPointer(new long[] {100});
  private final StringViewOptional lineSearch = new StringViewOptional();
  private final BoolPointer maximize = new BoolPointer(false);

  /** The options that are usual. */
  public LBFGSOptions() {}

  /** The options that are usual, with another size of a step. */
  public LBFGSOptions(double lr) {
    lr(lr);
  }

  @Override
  LBFGSOptions copy() {
    LBFGSOptions other = new LBFGSOptions(lr.get());
    other.max_iter(maxIter.get());
    other.maxEval.put(maxEval);
    other.tolerance_grad(toleranceGrad.get());
    other.tolerance_change(toleranceChange.get());
    other.history_size(historySize.get());
    other.lineSearch.put(lineSearch);
    other.maximize(maximize.get());
    return other;
  }

  /** How often the closure may be called in a step. */
  long evaluations() {
    return maxEval.has_value() ? maxEval.get() : Math.floorDiv(maxIter.get() * 5, 4L);
  }

  @Override
  Map<String, Object> numbers() {
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("lr", lr.get());
    numbers.put("max_iter", maxIter.get());
    numbers.put("max_eval", evaluations());
    numbers.put("tolerance_grad", toleranceGrad.get());
    numbers.put("tolerance_change", toleranceChange.get());
    numbers.put("history_size", historySize.get());
    numbers.put("line_search_fn", lineSearch.has_value() ? lineSearch.get() : null);
    numbers.put("maximize", maximize.get());
    return numbers;
  }

  @Override
  void set(Map<String, ?> numbers) {
    lr(number(numbers, "lr", lr.get()));
    max_iter((long) number(numbers, "max_iter", maxIter.get()));
    max_eval((long) number(numbers, "max_eval", evaluations()));
    tolerance_grad(number(numbers, "tolerance_grad", toleranceGrad.get()));
    tolerance_change(number(numbers, "tolerance_change", toleranceChange.get()));
    history_size((long) number(numbers, "history_size", historySize.get()));
    maximize(flag(numbers, "maximize", maximize.get()));
    if (numbers.containsKey("line_search_fn")) {
      Object name = numbers.get("line_search_fn");
      lineSearch.put(name == null ? new StringViewOptional() : new StringViewOptional("" + name));
    }
  }

  @Override
  double[] values() {
    throw new UnsupportedOperationException("LBFGS has no native step");
  }

  @Override
  void check() {
    require(lr.get() >= 0.0, "Invalid learning rate: " + lr.get());
  }

  @Override
  public double get_lr() {
    return lr.get();
  }

  @Override
  public void set_lr(double rate) {
    lr.put(rate);
  }

  /** Length of a step, as a share of the one that the estimate asks for. */
  public DoublePointer lr() {
    return lr;
  }

  /** Sets the length of a step; returns this. */
  public LBFGSOptions lr(double value) {
    lr.put(value);
    return this;
  }

  /** Inner steps of a step. */
  public LongPointer max_iter() {
    return maxIter;
  }

  /** Sets the inner steps of a step; returns this. */
  public LBFGSOptions max_iter(long count) {
    maxIter.put(count);
    return this;
  }

  /** Calls of the closure in a step; 1.25 times max_iter if there is no value. */
  public LongOptional max_eval() {
    return maxEval;
  }

  /** Sets the calls of the closure in a step; returns this. */
  public LBFGSOptions max_eval(long count) {
    maxEval.put(count);
    return this;
  }

  /** The greatest gradient with which a step is content. */
  public DoublePointer tolerance_grad() {
    return toleranceGrad;
  }

  /** Sets the greatest gradient with which a step is content; returns this. */
  public LBFGSOptions tolerance_grad(double value) {
    toleranceGrad.put(value);
    return this;
  }

  /** The smallest change of the parameters or of the loss with which a step goes on. */
  public DoublePointer tolerance_change() {
    return toleranceChange;
  }

  /** Sets the smallest change with which a step goes on; returns this. */
  public LBFGSOptions tolerance_change(double value) {
    toleranceChange.put(value);
    return this;
  }

  /** Inner steps that are remembered. */
  public LongPointer history_size() {
    return historySize;
  }

  /** Sets the inner steps that are remembered; returns this. */
  public LBFGSOptions history_size(long count) {
    historySize.put(count);
    return this;
  }

  /** The search for the length of each step: {@code strong_wolfe}, or none. */
  public StringViewOptional line_search_fn() {
    return lineSearch;
  }

  /** Sets the search for the length of each step; returns this. */
  public LBFGSOptions line_search_fn(String name) {
    lineSearch.put(name);
    return this;
  }

  /** Steps along the gradient instead of against it. */
  public BoolPointer maximize() {
    return maximize;
  }

  /** Sets whether steps go along the gradient; returns this. */
  public LBFGSOptions maximize(boolean value) {
    maximize.put(value);
    return this;
  }
}
