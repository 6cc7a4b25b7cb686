package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** What all recurrent cells share: the weights of input and state, and their biases. */
public abstract class RecurrentCellBase extends Module {
  private final long inputSize;
  private final long hiddenSize;
  private final boolean bias;

  RecurrentCellBase(String name, int gates, long inputSize, long hiddenSize, boolean bias) {
    super(name);
    this.inputSize = inputSize;
    this.hiddenSize = hiddenSize;
    this.bias = bias;
    register_parameter("weight_ih", torch.empty(gates * hiddenSize, inputSize));
    register_parameter("weight_hh", torch.empty(gates * hiddenSize, hiddenSize));
    if (bias) {
      register_parameter("bias_ih", torch.empty(gates * hiddenSize));
      register_parameter("bias_hh", torch.empty(gates * hiddenSize));
    }
    reset_parameters();
  }

  /** Draws new values for the parameters. */
  public final void reset_parameters() {
    double bound = hiddenSize > 0 ? 1 / Math.sqrt(hiddenSize) : 0;
    parameterMap().values().forEach(parameter -> Init.uniform(parameter, -bound, bound));
  }

  /** The weight of the input. */
  public Tensor weight_ih() {
    return parameter("weight_ih");
  }

  /** The weight of the state. */
  public Tensor weight_hh() {
    return parameter("weight_hh");
  }

  /** The bias of the input's part; undefined if there is none. */
  public Tensor bias_ih() {
    return bias ? parameter("bias_ih") : new Tensor();
  }

  /** The bias of the state's part; undefined if there is none. */
  public Tensor bias_hh() {
    return bias ? parameter("bias_hh") : new Tensor();
  }

  final Tensor bias(String name) {
    return bias ? own(name) : new Tensor();
  }

  final void check(Tensor input, Tensor[] states, String... names) {
    check("input", input);
    for (int i = 0; states != null && i < states.length; i++) {
      check(names[i], states[i]);
    }
  }

  private void check(String what, Tensor tensor) {
    if (tensor.dim() != 1 && tensor.dim() != 2) {
      throw new IllegalArgumentException(
          name() + ": Expected " + what + " to be 1D or 2D, got " + tensor.dim() + "D instead");
    }
  }

  /** The states of a batch; zeros for null. */
  final Tensor[] batched(Tensor input, Tensor[] states, int count) {
    Tensor[] found = new Tensor[count];
    boolean batched = input.dim() == 2;
    for (int i = 0; i < count; i++) {
      if (states == null) {
        long[] sizes = {batched ? input.size(0) : 1, hiddenSize};
        found[i] = torch.zeros(sizes).to(input.scalar_type());
      } else {
        found[i] = batched ? states[i] : states[i].unsqueeze(0);
      }
    }
    return found;
  }

  @Override
  protected String describe() {
    return inputSize + ", " + hiddenSize + (bias ? "" : ", bias=False");
  }
}
