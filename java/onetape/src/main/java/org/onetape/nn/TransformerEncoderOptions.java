package org.onetape.nn;

import org.onetape.LongPointer;
import org.onetape.Value;

/** How a {@link TransformerEncoderImpl} is made. */
public final class TransformerEncoderOptions extends Value {
  private final TransformerEncoderLayerOptions layer;
  private final LongPointer numLayers;
  private Module norm;

  /** So many layers, as the options of one say. */
  public TransformerEncoderOptions(TransformerEncoderLayerOptions layer, long numLayers) {
    this.layer = layer;
    this.numLayers = new LongPointer(new long[] {numLayers});
  }

  /** So many layers, made as the given one is. */
  public TransformerEncoderOptions(TransformerEncoderLayerImpl layer, long numLayers) {
    this(layer.options(), numLayers);
  }

  TransformerEncoderLayerOptions layer() {
    return layer;
  }

  /** The number of layers. */
  public LongPointer num_layers() {
    return numLayers;
  }

  /** Sets the number of layers; returns this. */
  public TransformerEncoderOptions num_layers(long value) {
    numLayers.put(value);
    return this;
  }

  /** What comes after the layers; null if nothing does. */
  public Module norm() {
    return norm;
  }

  /** Sets what comes after the layers; returns this. */
  public TransformerEncoderOptions norm(Module value) {
    norm = value;
    return this;
  }
}
