package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.LongPointer;

/** What the options of all convolutions share; O is the class of the options themselves. */
public abstract class ConvOptionsBase<O extends ConvOptionsBase<O>> extends WindowOptionsBase<O> {
  final int dims;
  private final LongPointer inChannels;
  private final LongPointer outChannels;
  final Expanded dilation;
  private final LongPointer groups = new LongPointer(new long[] {1});
  private final BoolPointer bias = new BoolPointer(true);
  private ConvPaddingMode paddingMode = new kZeros();

  ConvOptionsBase(int dims, long inChannels, long outChannels, long... kernelSize) {
    super(Expanded.of(dims, kernelSize), Expanded.of(dims, 1));
    this.dims = dims;
    this.inChannels = new LongPointer(new long[] {inChannels});
    this.outChannels = new LongPointer(new long[] {outChannels});
    dilation = Expanded.of(dims, 1);
  }

  /** Gives other options these, but for paddings; returns the others. */
  final O copyTo(O other) {
    other.in_channels(inChannels.get()).out_channels(outChannels.get());
    other.stride(stride.get()).dilation(dilation.get()).groups(groups.get());
    return other.bias(bias.get()).padding_mode(paddingMode);
  }

  /** The channels of the input. */
  public LongPointer in_channels() {
    return inChannels;
  }

  /** Sets the channels of the input; returns this. */
  public O in_channels(long value) {
    inChannels.put(value);
    return self();
  }

  /** The channels of the result. */
  public LongPointer out_channels() {
    return outChannels;
  }

  /** Sets the channels of the result; returns this. */
  public O out_channels(long value) {
    outChannels.put(value);
    return self();
  }

  /** The distance of the kernel's elements. */
  public LongPointer dilation() {
    return dilation.pointer();
  }

  /** Sets the distance of the kernel's elements: a number, or one a dimension; returns this. */
  public O dilation(LongPointer values) {
    dilation.put(values);
    return self();
  }

  /** Sets the distance of the kernel's elements: a number, or one a dimension; returns this. */
  public O dilation(long... values) {
    dilation.put(values);
    return self();
  }

  /** How many parts the channels are divided into. */
  public LongPointer groups() {
    return groups;
  }

  /** Sets how many parts the channels are divided into; returns this. */
  public O groups(long value) {
    groups.put(value);
    return self();
  }

  /** Whether there is a bias. */
  public BoolPointer bias() {
    return bias;
  }

  /** Sets whether there is a bias; returns this. */
  public O bias(boolean value) {
    bias.put(value);
    return self();
  }

  /** What is put around the input. */
  public ConvPaddingMode padding_mode() {
    return paddingMode;
  }

  /** Sets what is put around the input; returns this. */
  public O padding_mode(ConvPaddingMode mode) {
    paddingMode = mode;
    return self();
  }
}
