package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.PackedSequence;
import org.onetape.T_PackedSequenceTensor_T;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;

/** What recurrent layers share whose state is one tensor. */
public abstract class SingleStateRecurrentBase extends RecurrentBase {
  SingleStateRecurrentBase(String name, int gates, RecurrentOptionsBase<?> options) {
    super(name, gates, options, 0);
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
}
