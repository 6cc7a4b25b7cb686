package org.onetape.nn;

import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** One step of long short-term memory. */
public class LSTMCellImpl extends RecurrentCellBase {
  private final LSTMCellOptions options;

  /** A cell from features of one size to a state of another. */
  public LSTMCellImpl(long inputSize, long hiddenSize) {
    this(new LSTMCellOptions(inputSize, hiddenSize));
  }

  /** A cell as the options say. */
  public LSTMCellImpl(LSTMCellOptions options) {
    super(
        "LSTMCell",
        4,
        options.input_size().get(),
        options.hidden_size().get(),
        options.bias().get());
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    return forward(input, (T_TensorTensor_T) null).get0();
  }

  /** The new state and cell, from those before; zeros for null. */
  public T_TensorTensor_T forward(Tensor input, T_TensorTensor_T state) {
    Tensor[] before = state == null ? null : new Tensor[] {state.get0(), state.get1()};
    check(input, before, "hx[0]", "hx[1]");
    boolean batched = input.dim() == 2;
    Tensor[] states = batched(input, before, 2);
    T_TensorTensor_T found =
        torch.lstm_cell(
            batched ? input : input.unsqueeze(0),
            states,
            own("weight_ih"),
            own("weight_hh"),
            bias("bias_ih"),
            bias("bias_hh"));
    return batched ? found : new T_TensorTensor_T(found.get0().squeeze(0), found.get1().squeeze(0));
  }

  /** How the cell was made. */
  public LSTMCellOptions options() {
    return options;
  }
}
