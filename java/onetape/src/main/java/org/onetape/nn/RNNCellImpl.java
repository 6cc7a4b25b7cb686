package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.global.torch;

/** One step of layers of plain recurrent cells. */
public class RNNCellImpl extends RecurrentCellBase {
  private final RNNCellOptions options;

  /** A cell from features of one size to a state of another. */
  public RNNCellImpl(long inputSize, long hiddenSize) {
    this(new RNNCellOptions(inputSize, hiddenSize));
  }

  /** A cell as the options say. */
  public RNNCellImpl(RNNCellOptions options) {
    super(
        "RNNCell",
        1,
        options.input_size().get(),
        options.hidden_size().get(),
        options.bias().get());
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return forward(input, (Tensor) null);
  }

  /** The new state, from the one before; zeros for null. */
  @Override
  public Tensor forward(Tensor input, Tensor state) {
    Tensor[] before = state == null ? null : new Tensor[] {state};
    check(input, before, "hidden");
    boolean batched = input.dim() == 2;
    Tensor[] states = batched(input, before, 1);
    Tensor found =
        options.nonlinearity().isTanh()
            ? torch.rnn_tanh_cell(
                batched ? input : input.unsqueeze(0),
                states[0],
                own("weight_ih"),
                own("weight_hh"),
                bias("bias_ih"),
                bias("bias_hh"))
            : torch.rnn_relu_cell(
                batched ? input : input.unsqueeze(0),
                states[0],
                own("weight_ih"),
                own("weight_hh"),
                bias("bias_ih"),
                bias("bias_hh"));
    return batched ? found : found.squeeze(0);
  }

  /** How the cell was made. */
  public RNNCellOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    String text = super.describe();
    return options.nonlinearity().isTanh()
        ? text
        : text + ", nonlinearity=" + options.nonlinearity();
  }
}
