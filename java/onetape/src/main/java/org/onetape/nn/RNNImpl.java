package org.onetape.nn;

import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Layers of plain recurrent cells: the state becomes tanh(W x + U h + b), or relu of that. */
public class RNNImpl extends SingleStateRecurrentBase {
  private final RNNOptions options;

  /** One layer from features of one size to a state of another. */
  public RNNImpl(long inputSize, long hiddenSize) {
    this(new RNNOptions(inputSize, hiddenSize));
  }

  /** Layers as the options say. */
  public RNNImpl(RNNOptions options) {
    super("RNN", 1, options);
    this.options = options;
  }

  @Override
  Tensor[] call(Tensor input, Tensor sizes, Tensor[] states) {
    Run run = run();
    T_TensorTensor_T found;
    if (options.nonlinearity().isTanh()) {
      found =
          sizes == null
              ? torch.rnn_tanh(
                  input,
                  states[0],
                  run.weights,
                  run.bias,
                  run.layers,
                  run.dropout,
                  run.training,
                  run.bidirectional,
                  run.batchFirst)
              : torch.rnn_tanh(
                  input,
                  sizes,
                  states[0],
                  run.weights,
                  run.bias,
                  run.layers,
                  run.dropout,
                  run.training,
                  run.bidirectional);
    } else {
      found =
          sizes == null
              ? torch.rnn_relu(
                  input,
                  states[0],
                  run.weights,
                  run.bias,
                  run.layers,
                  run.dropout,
                  run.training,
                  run.bidirectional,
                  run.batchFirst)
              : torch.rnn_relu(
                  input,
                  sizes,
                  states[0],
                  run.weights,
                  run.bias,
                  run.layers,
                  run.dropout,
                  run.training,
                  run.bidirectional);
    }
    return new Tensor[] {found.get0(), found.get1()};
  }

  /** How the layers were made. */
  public RNNOptions options() {
    return options;
  }
}
