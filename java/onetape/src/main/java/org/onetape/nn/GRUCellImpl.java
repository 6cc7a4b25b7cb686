package org.onetape.nn;

import org.onetape.Tensor;
import org.onetape.global.torch;

/** One step of layers of gated recurrent units. */
public class GRUCellImpl extends RecurrentCellBase {
  private final GRUCellOptions options;

  /** A cell from features of one size to a state of another. */
  public GRUCellImpl(long inputSize, long hiddenSize) {
    this(new GRUCellOptions(inputSize, hiddenSize));
  }

  /** A cell as the options say. */
  public GRUCellImpl(GRUCellOptions options) {
    super(
        "GRUCell",
        3,
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
        torch.gru_cell(
            batched ? input : input.unsqueeze(0),
            states[0],
            own("weight_ih"),
            own("weight_hh"),
            bias("bias_ih"),
            bias("bias_hh"));
    return batched ? found : found.squeeze(0);
  }

  /** How the cell was made. */
  public GRUCellOptions options() {
    return options;
  }
}
