package org.onetape.nn;

import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Layers of gated recurrent units. */
public class GRUImpl extends SingleStateRecurrentBase {
  private final GRUOptions options;

  /** One layer from features of one size to a state of another. */
  public GRUImpl(long inputSize, long hiddenSize) {
    this(new GRUOptions(inputSize, hiddenSize));
  }

  /** Layers as the options say. */
  public GRUImpl(GRUOptions options) {
    super("GRU", 3, options);
    this.options = options;
  }

  @Override
  Tensor[] call(Tensor input, Tensor sizes, Tensor[] states) {
    Run run = run();
    T_TensorTensor_T found =
        sizes == null
            ? torch.gru(
                input,
                states[0],
                run.weights,
                run.bias,
                run.layers,
                run.dropout,
                run.training,
                run.bidirectional,
                run.batchFirst)
            : torch.gru(
                input,
                sizes,
                states[0],
                run.weights,
                run.bias,
                run.layers,
                run.dropout,
                run.training,
                run.bidirectional);
    return new Tensor[] {found.get0(), found.get1()};
  }

  /** How the layers were made. */
  public GRUOptions options() {
    return options;
  }
}
