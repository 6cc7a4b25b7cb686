package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.PackedSequence;
import org.onetape.T_PackedSequenceT_TensorTensor_T_T;
import org.onetape.T_TensorT_TensorTensor_T_T;
import org.onetape.T_TensorTensorTensor_T;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Layers of long short-term memory; the state is a pair of the hidden state and the cell. */
public class LSTMImpl extends RecurrentBase {
  private final LSTMOptions options;

  /** One layer from features of one size to a state of another. */
  public LSTMImpl(long inputSize, long hiddenSize) {
    this(new LSTMOptions(inputSize, hiddenSize));
  }

  /** Layers as the options say. */
  public LSTMImpl(LSTMOptions options) {
    super("LSTM", 4, options, options.proj_size().get());
    this.options = options;
  }

  @Override
  long[] stateSizes() {
    long hidden = options.hidden_size().get();
    long projected = options.proj_size().get();
    return new long[] {projected > 0 ? projected : hidden, hidden};
  }

  @Override
  Tensor[] call(Tensor input, Tensor sizes, Tensor[] states) {
    Run run = run();
    T_TensorTensorTensor_T found =
        sizes == null
            ? torch.lstm(
                input,
                states,
                run.weights,
                run.bias,
                run.layers,
                run.dropout,
                run.training,
                run.bidirectional,
                run.batchFirst)
            : torch.lstm(
                input,
                sizes,
                states,
                run.weights,
                run.bias,
                run.layers,
                run.dropout,
                run.training,
                run.bidirectional);
    return new Tensor[] {found.get0(), found.get1(), found.get2()};
  }

  /** The results of all steps and the last state, from a first state of zeros. */
  public T_TensorT_TensorTensor_T_T forwardT_TensorT_TensorTensor_T_T(Tensor input) {
    return forwardT_TensorT_TensorTensor_T_T(input, null);
  }

  /** The results of all steps and the last state of each layer and direction. */
  public T_TensorT_TensorTensor_T_T forwardT_TensorT_TensorTensor_T_T(
      Tensor input, T_TensorTensor_T state) {
    try (GraphRecording.Call call = entered()) {
      Tensor[] found =
          padded(input, state == null ? null : new Tensor[] {state.get0(), state.get1()});
      return new T_TensorT_TensorTensor_T_T(found[0], new T_TensorTensor_T(found[1], found[2]));
    }
  }

  /** The results of all steps and the last states, from the given first states. */
  public T_TensorT_TensorTensor_T_T forward(Tensor input, T_TensorTensor_T state) {
    return forwardT_TensorT_TensorTensor_T_T(input, state);
  }

  /** The same for packed sequences, from a first state of zeros. */
  public T_PackedSequenceT_TensorTensor_T_T forward_with_packed_input(PackedSequence input) {
    return forward_with_packed_input(input, null);
  }

  /** The same for packed sequences. */
  public T_PackedSequenceT_TensorTensor_T_T forward_with_packed_input(
      PackedSequence input, T_TensorTensor_T state) {
    Tensor[] found =
        packed(input, state == null ? null : new Tensor[] {state.get0(), state.get1()});
    return new T_PackedSequenceT_TensorTensor_T_T(
        sequenceOf(input, found[0]), new T_TensorTensor_T(found[1], found[2]));
  }

  /** How the layers were made. */
  public LSTMOptions options() {
    return options;
  }
}
