package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.PackedSequence;
import org.onetape.T_PackedSequenceTensor_T;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Layers of plain recurrent cells: the state becomes tanh(W x + U h + b), or relu of that. */
public class RNNImpl extends RecurrentBase {
  private final RNNOptions options;

  /** One layer from features of one size to a state of another. */
  public RNNImpl(long inputSize, long hiddenSize) {
    this(new RNNOptions(inputSize, hiddenSize));
  }

  /** Layers as the options say. */
  public RNNImpl(RNNOptions options) {
    super(
        "RNN",
        1,
        options.input_size().get(),
        options.hidden_size().get(),
        options.num_layers().get(),
        options.bias().get(),
        options.batch_first().get(),
        options.dropout().get(),
        options.bidirectional().get(),
        0);
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

  /** The results of all steps and the last state, from a first state of zeros. */
  public T_TensorTensor_T forwardT_TensorTensor_T(Tensor input) {
    return forwardT_TensorTensor_T(input, null);
  }

  /** The results of all steps and the last state of each layer and direction. */
  public T_TensorTensor_T forwardT_TensorTensor_T(Tensor input, Tensor state) {
    try (GraphRecording.Call call = entered()) {
      Tensor[] found = padded(input, state == null ? null : new Tensor[] {state});
      return new T_TensorTensor_T(found[0], found[1]);
    }
  }

  /** The same for packed sequences, from a first state of zeros. */
  public T_PackedSequenceTensor_T forward_with_packed_input(PackedSequence input) {
    return forward_with_packed_input(input, null);
  }

  /** The same for packed sequences. */
  public T_PackedSequenceTensor_T forward_with_packed_input(PackedSequence input, Tensor state) {
    Tensor[] found = packed(input, state == null ? null : new Tensor[] {state});
    return new T_PackedSequenceTensor_T(sequenceOf(input, found[0]), found[1]);
  }

  /** How the layers were made. */
  public RNNOptions options() {
    return options;
  }
}
