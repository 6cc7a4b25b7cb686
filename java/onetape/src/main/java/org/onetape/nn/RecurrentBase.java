package org.onetape.nn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.onetape.PackedSequence;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.internal.Init;

/** What all recurrent layers share: parameters, and the shapes of inputs and states. */
public abstract class RecurrentBase extends Module {
  private final long inputSize;
  private final long hiddenSize;
  private final long layers;
  private final boolean bias;
  private final boolean batchFirst;
  private final double dropout;
  private final boolean bidirectional;
  private final long projSize;
  private final List<String> names = new ArrayList<>();

  RecurrentBase(String name, int gates, RecurrentOptionsBase<?> options, long projSize) {
    super(name);
    inputSize = options.input_size().get();
    hiddenSize = options.hidden_size().get();
    layers = options.num_layers().get();
    bias = options.bias().get();
    batchFirst = options.batch_first().get();
    dropout = options.dropout().get();
    bidirectional = options.bidirectional().get();
    this.projSize = projSize;
    checkNumbers();
    long result = projSize > 0 ? projSize : hiddenSize;
    for (long layer = 0; layer < layers; layer++) {
      long features = layer == 0 ? inputSize : result * directions();
      for (int direction = 0; direction < directions(); direction++) {
        String end = "_l" + layer + (direction == 1 ? "_reverse" : "");
        add("weight_ih" + end, gates * hiddenSize, features);
        add("weight_hh" + end, gates * hiddenSize, result);
        if (bias) {
          add("bias_ih" + end, gates * hiddenSize);
          add("bias_hh" + end, gates * hiddenSize);
        }
        if (projSize > 0) {
          add("weight_hr" + end, result, hiddenSize);
        }
      }
    }
    reset_parameters();
  }

  private static void check(boolean condition, String text) {
    if (!condition) {
      throw new IllegalArgumentException(text);
    }
  }

  private void checkNumbers() {
    check(
        dropout >= 0 && dropout <= 1,
        "dropout should be a number in range [0, 1] representing the probability of an element"
            + " being zeroed");
    check(inputSize > 0, "input_size must be greater than zero");
    check(hiddenSize > 0, "hidden_size must be greater than zero");
    check(layers > 0, "num_layers must be greater than zero");
    check(projSize >= 0, "proj_size should be a positive integer or zero to disable projections");
    check(projSize < hiddenSize, "proj_size has to be smaller than hidden_size");
  }

  private void add(String name, long... sizes) {
    register_parameter(name, torch.empty(sizes));
    names.add(name);
  }

  private int directions() {
    return bidirectional ? 2 : 1;
  }

  /** Draws new values for the parameters. */
  public final void reset_parameters() {
    double bound = 1 / Math.sqrt(hiddenSize);
    names.forEach(name -> Init.uniform(own(name), -bound, bound));
  }

  /** Does nothing: parameters are used where they stand. */
  public void flatten_parameters() {
    // see above
  }

  /** What the operators take besides input and state. */
  static final class Run {
    final Tensor[] weights;
    final boolean bias;
    final long layers;
    final double dropout;
    final boolean training;
    final boolean bidirectional;
    final boolean batchFirst;

    private Run(RecurrentBase of) {
      weights = of.names.stream().map(of::own).toArray(Tensor[]::new);
      bias = of.bias;
      layers = of.layers;
      dropout = of.dropout;
      training = of.is_training();
      bidirectional = of.bidirectional;
      batchFirst = of.batchFirst;
    }
  }

  final Run run() {
    return new Run(this);
  }

  /** Results and last states; sizes are those of packed sequences, or null. */
  abstract Tensor[] call(Tensor input, Tensor sizes, Tensor[] states);

  /** The sizes of the tensors that a state consists of. */
  long[] stateSizes() {
    return new long[] {projSize > 0 ? projSize : hiddenSize};
  }

  private long[] stateShape(long batch, long size) {
    return new long[] {layers * directions(), batch, size};
  }

  private Tensor[] zeros(Tensor like, long batch) {
    return Arrays.stream(stateSizes())
        .mapToObj(size -> torch.zeros(stateShape(batch, size)).to(like.scalar_type()))
        .toArray(Tensor[]::new);
  }

  private void checkInput(Tensor input) {
    Tensor weight = own(names.get(0));
    check(
        input.scalar_type() == weight.scalar_type(),
        "RNN input dtype ("
            + input.scalar_type()
            + ") does not match weight dtype ("
            + weight.scalar_type()
            + ").");
    long features = input.size(-1);
    if (features != inputSize) {
      throw new TorchException(
          "input.size(-1) must be equal to input_size. Expected "
              + inputSize
              + ", got "
              + features);
    }
  }

  private void checkStates(Tensor[] states, long batch) {
    long[] sizes = stateSizes();
    for (int i = 0; i < sizes.length; i++) {
      long[] wanted = stateShape(batch, sizes[i]);
      if (!Arrays.equals(wanted, states[i].shape())) {
        throw new TorchException(
            "Expected hidden"
                + (sizes.length > 1 ? "[" + i + "]" : "")
                + " size "
                + PythonText.of(wanted)
                + ", got "
                + Arrays.toString(states[i].shape()));
      }
    }
  }

  private Tensor[] batchedStates(Tensor[] states, boolean batched) {
    long wanted = batched ? 3 : 2;
    if (Arrays.stream(states).anyMatch(state -> state.dim() != wanted)) {
      String kind = batched ? "batched 3-D" : "unbatched 2-D";
      String got =
          states.length > 1
              ? "hx and cx should also be "
                  + wanted
                  + "-D but got ("
                  + states[0].dim()
                  + "-D, "
                  + states[1].dim()
                  + "-D) tensors"
              : "hx should also be " + wanted + "-D but got " + states[0].dim() + "-D tensor";
      throw new TorchException("For " + kind + " input, " + got);
    }
    return batched
        ? states
        : Arrays.stream(states).map(state -> state.unsqueeze(1)).toArray(Tensor[]::new);
  }

  /** Results and last states for padded sequences, or one; states may be null for zeros. */
  final Tensor[] padded(Tensor input, Tensor[] states) {
    long dims = input.dim();
    check(
        dims == 2 || dims == 3,
        name()
            + ": Expected input to be 2D or 3D, got "
            + dims
            + "D"
            + (name().equals("RNN") ? " tensor" : "")
            + " instead");
    boolean batched = dims == 3;
    int batchDim = batchFirst ? 0 : 1;
    Tensor full = batched ? input : input.unsqueeze(batchDim);
    long batch = full.size(batchDim);
    Tensor[] first = states == null ? zeros(full, batch) : batchedStates(states, batched);
    checkInput(full);
    checkStates(first, batch);
    Tensor[] found = call(full, null, first);
    for (int i = 0; !batched && i < found.length; i++) {
      found[i] = found[i].squeeze(i == 0 ? batchDim : 1);
    }
    return found;
  }

  /** Results and last states for packed sequences; states may be null for zeros. */
  final Tensor[] packed(PackedSequence input, Tensor[] states) {
    long batch = input.batch_sizes().select(0, 0).item_long();
    Tensor order = input.sorted_indices();
    Tensor place = input.unsorted_indices();
    Tensor[] first = states == null ? zeros(input.data(), batch) : states.clone();
    for (int i = 0; states != null && order.defined() && i < first.length; i++) {
      first[i] = first[i].index_select(1, order);
    }
    checkInput(input.data());
    checkStates(first, batch);
    Tensor[] found = call(input.data(), input.batch_sizes(), first);
    for (int i = 1; place.defined() && i < found.length; i++) {
      found[i] = found[i].index_select(1, place);
    }
    return found;
  }

  static PackedSequence sequenceOf(PackedSequence input, Tensor data) {
    return new PackedSequence(
        data, input.batch_sizes(), input.sorted_indices(), input.unsorted_indices());
  }

  /** The results of all steps, from a first state of zeros. */
  @Override
  public Tensor forward(Tensor input) {
    return padded(input, null)[0];
  }

  @Override
  protected String describe() {
    StringBuilder text = new StringBuilder(inputSize + ", " + hiddenSize);
    if (projSize != 0) {
      text.append(", proj_size=").append(projSize);
    }
    if (layers != 1) {
      text.append(", num_layers=").append(layers);
    }
    if (!bias) {
      text.append(", bias=False");
    }
    if (batchFirst) {
      text.append(", batch_first=True");
    }
    if (dropout != 0) {
      text.append(", dropout=").append(PythonText.of(dropout));
    }
    if (bidirectional) {
      text.append(", bidirectional=True");
    }
    return text.toString();
  }
}
