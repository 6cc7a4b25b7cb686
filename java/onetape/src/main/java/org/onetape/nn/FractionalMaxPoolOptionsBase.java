package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.Value;

/**
 * What the options of pooling with windows at steps that are no whole numbers share; O is the class
 * of the options themselves.
 */
public abstract class FractionalMaxPoolOptionsBase<O extends FractionalMaxPoolOptionsBase<O>>
    extends Value {
  final int dims;
  final Expanded kernelSize;
  private Expanded outputSize;
  private double[] outputRatio;
  private Tensor randomSamples = new Tensor();

  FractionalMaxPoolOptionsBase(int dims, long... kernelSize) {
    this.dims = dims;
    this.kernelSize = Expanded.of(dims, kernelSize);
  }

  abstract O self();

  /** The size of a window. */
  public LongPointer kernel_size() {
    return kernelSize.pointer();
  }

  /** Sets the size of a window: a number, or one a dimension; returns this. */
  public O kernel_size(LongPointer values) {
    kernelSize.put(values);
    return self();
  }

  /** How many windows there are; null if that follows from a share. */
  public LongPointer output_size() {
    return outputSize == null ? null : outputSize.pointer();
  }

  /** Sets how many windows there are: a number, or one a dimension; returns this. */
  public O output_size(LongPointer values) {
    return output_size(values.toArray());
  }

  /** Sets how many windows there are: a number, or one a dimension; returns this. */
  public O output_size(long... values) {
    outputSize = Expanded.of(dims, values);
    return self();
  }

  /** How many windows there are, as a share of the input's size; null if their number is given. */
  public double[] output_ratio() {
    return outputRatio == null ? null : outputRatio.clone();
  }

  /** Sets how many windows there are, as a share of the input's size; returns this. */
  public O output_ratio(double... values) {
    double[] all = new double[dims];
    if (values.length != 1 && values.length != dims) {
      throw new IllegalArgumentException(
          "Expected " + dims + " values, but instead got " + values.length);
    }
    for (int d = 0; d < dims; d++) {
      all[d] = values[values.length == 1 ? 0 : d];
      if (!(all[d] > 0 && all[d] < 1)) {
        throw new IllegalArgumentException(
            "output_ratio must be between 0 and 1 (got " + PythonText.of(all[d]) + ")");
      }
    }
    outputRatio = all;
    return self();
  }

  /** What fixes where windows lie, (samples, channels, dimensions); undefined where it is drawn. */
  public Tensor _random_samples() {
    return randomSamples;
  }

  /** Sets what fixes where windows lie; returns this. */
  public O _random_samples(Tensor value) {
    randomSamples = value;
    return self();
  }

  long[] sizesFor(Tensor input) {
    if (outputSize != null) {
      return outputSize.get();
    }
    long[] sizes = new long[dims];
    for (int d = 0; d < dims; d++) {
      sizes[d] = (long) (input.size(d - dims) * outputRatio[d]);
    }
    return sizes;
  }

  void check(String name) {
    if (outputSize == null && outputRatio == null) {
      throw new IllegalArgumentException(
          name + " requires specifying either an output size, or a pooling ratio");
    }
    if (outputSize != null && outputRatio != null) {
      throw new IllegalArgumentException(
          "only one of output_size and output_ratio may be specified");
    }
  }
}
