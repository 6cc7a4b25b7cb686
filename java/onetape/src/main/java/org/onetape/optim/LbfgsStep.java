package org.onetape.optim;

import java.util.function.Supplier;
import org.onetape.EnableGradGuard;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.TorchException;
import org.onetape.global.torch;

/** One step of {@link LBFGS}. */
final class LbfgsStep {
  private final Tensor[] params;
  private final LBFGSOptions options;
  private final LbfgsMemory memory;
  private final Supplier<Tensor> closure;
  private final boolean maximize;
  private final Real lr;
  private boolean single;
  private long evaluations = 1;
  private double loss;
  private double lossBefore;
  private Tensor grad;

  LbfgsStep(Tensor[] params, LBFGSOptions options, LbfgsMemory memory, Supplier<Tensor> closure) {
    this.params = params;
    this.options = options;
    this.memory = memory;
    this.closure = closure;
    maximize = options.maximize().get();
    lr = Real.of(options.lr().get());
  }

  Tensor run() {
    Tensor first;
    try (EnableGradGuard guard = new EnableGradGuard()) {
      first = closure.get();
    }
    try (MemoryScope scope = new MemoryScope();
        NoGradGuard guard = new NoGradGuard()) {
      loss = signed(first.item_double());
      memory.calls++;
      grad = flatGrad();
      single = grad.scalar_type() == torch.ScalarType.Float;
      long most = options.max_iter().get();
      boolean more = !content();
      for (long i = 1; more && i <= most; i++) {
        memory.steps++;
        more = go(i == most);
      }
    }
    return first;
  }

  private double signed(double value) {
    return maximize ? -value : value;
  }

  private Real number(Tensor tensor) {
    return Real.of(tensor.item_double(), single);
  }

  private boolean content() {
    return number(grad.abs().max()).atMost(Real.of(options.tolerance_grad().get()));
  }

  /** The gradients of all parameters as one vector. */
  private Tensor flatGrad() {
    TensorVector parts = new TensorVector();
    for (Tensor param : params) {
      Tensor part = param.grad();
      part = part.defined() ? part : torch.zeros_like(param);
      parts.push_back(part.reshape(-1));
    }
    Tensor flat = torch.cat(parts);
    return maximize ? flat.neg() : flat;
  }

  /** Moves the parameters along a vector. */
  private void move(Real length) {
    long offset = 0;
    for (Tensor param : params) {
      Tensor part = memory.direction.narrow(0, offset, param.numel());
      param.add_(part.view_as(param), new Scalar(length.value));
      offset += param.numel();
    }
  }

  private double evaluate() {
    double value;
    try (EnableGradGuard guard = new EnableGradGuard()) {
      value = closure.get().item_double();
    }
    return signed(value);
  }

  /** One inner step; false if it is the last. */
  private boolean go(boolean last) {
    boolean first = memory.steps == 1;
    if (first) {
      memory.forget();
      memory.direction = LbfgsMemory.replaced(memory.direction, grad.neg());
    } else {
      remember();
      memory.direction = LbfgsMemory.replaced(memory.direction, estimate());
    }
    memory.gradBefore = LbfgsMemory.replaced(memory.gradBefore, grad.clone());
    lossBefore = loss;
    memory.length = lr;
    if (first) {
      Real inverse = Real.of(1).over(number(grad.abs().sum()));
      memory.length = Real.least(Real.of(1), inverse).times(lr);
    }
    Real slope = number(grad.dot(memory.direction));
    Real tolerance = Real.of(options.tolerance_change().get());
    if (Real.of(-tolerance.value).less(slope)) {
      return false;
    }
    long calls = options.line_search_fn().has_value() ? search(slope) : move(last);
    boolean content = calls > 0 && content();
    evaluations += calls;
    memory.calls += calls;
    Tensor moved = memory.direction.mul(new Scalar(memory.length.value)).abs().max();
    return !(last
        || evaluations >= options.evaluations()
        || content
        || number(moved).atMost(tolerance)
        || Math.abs(loss - lossBefore) < tolerance.value);
  }

  /** Adds the last step and the change of the gradient to the memory. */
  private void remember() {
    Tensor change = grad.sub(memory.gradBefore);
    Tensor step = memory.direction.mul(new Scalar(memory.length.value));
    Real product = number(change.dot(step));
    if (Real.of(1e-10).less(product)) {
      if (memory.changes.size() == options.history_size().get()) {
        memory.forgetOldest();
      }
      memory.remember(change, step, Real.of(1).over(product));
      memory.scale = product.over(number(change.dot(change)));
    }
  }

  /** The negative gradient times the estimated inverse Hessian, in two loops over the memory. */
  private Tensor estimate() {
    int count = memory.changes.size();
    Real[] shares = new Real[count];
    Tensor q = grad.neg();
    for (int i = count - 1; i >= 0; i--) {
      shares[i] = number(memory.moves.get(i).dot(q)).times(memory.inverses.get(i));
      q.add_(memory.changes.get(i), new Scalar(-shares[i].value));
    }
    Tensor r = q.mul(new Scalar(memory.scale.value));
    for (int i = 0; i < count; i++) {
      Real share = number(memory.changes.get(i).dot(r)).times(memory.inverses.get(i));
      r.add_(memory.moves.get(i), new Scalar(shares[i].minus(share).value));
    }
    return r;
  }

  /** A step of the given length; the loss is not computed anew after the last one. */
  private long move(boolean last) {
    move(memory.length);
    if (last) {
      return 0;
    }
    loss = evaluate();
    grad = flatGrad();
    return 1;
  }

  private long search(Real slope) {
    if (!options.line_search_fn().get().equals("strong_wolfe")) {
      throw new TorchException("only 'strong_wolfe' is supported");
    }
    Tensor[] start = new Tensor[params.length];
    for (int i = 0; i < params.length; i++) {
      start[i] = params[i].clone();
    }
    LineSearch search =
        new LineSearch(
            length -> at(length, start),
            new LineSearch.Point(Real.of(0), loss, grad.clone(), slope),
            number(memory.direction.abs().max()),
            (int) (options.evaluations() - evaluations));
    LineSearch.Point found = search.run(memory.length);
    loss = found.loss;
    grad = found.grad;
    memory.length = found.at;
    move(memory.length);
    return search.evaluations();
  }

  /** Loss and gradient at a length of the step; the parameters stay where they are. */
  private LineSearch.Point at(Real length, Tensor[] start) {
    move(length);
    double value = evaluate();
    Tensor gradient = flatGrad();
    for (int i = 0; i < params.length; i++) {
      params[i].copy_(start[i]);
    }
    return new LineSearch.Point(length, value, gradient, number(gradient.dot(memory.direction)));
  }
}
