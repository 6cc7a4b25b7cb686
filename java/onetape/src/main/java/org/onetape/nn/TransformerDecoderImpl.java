package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.internal.Init;

/** Copies of a layer, one after the other, and perhaps a norm. */
public class TransformerDecoderImpl extends Module {
  private final TransformerDecoderOptions options;

  /** So many layers, as the options of one say. */
  public TransformerDecoderImpl(TransformerDecoderLayerOptions layer, long numLayers) {
    this(new TransformerDecoderOptions(layer, numLayers));
  }

  /** Layers as the options say. All start alike. */
  public TransformerDecoderImpl(TransformerDecoderOptions options) {
    super("TransformerDecoder");
    this.options = options;
    ModuleListImpl layers = register_module("layers", new ModuleListImpl());
    Module first = new TransformerDecoderLayerImpl(options.layer());
    for (long i = 0; i < options.num_layers().get(); i++) {
      layers.push_back(i == 0 ? first : copy(first));
    }
    if (options.norm() != null) {
      register_module("norm", options.norm());
    }
  }

  private Module copy(Module first) {
    try (Init.Unset unset = Init.unset()) { // so that no random numbers are used up
      Module made = new TransformerDecoderLayerImpl(options.layer());
      made.load_state_dict(first.state_dict());
      return made;
    }
  }

  /** The layers. */
  public ModuleListImpl layers() {
    return (ModuleListImpl) childMap().get("layers");
  }

  /** A sequence in the shape of tgt; memory is what the encoder gave. */
  @Override
  public Tensor forward(Tensor tgt, Tensor memory) {
    Tensor none = new Tensor();
    return forward(tgt, memory, none, none, none, none);
  }

  /** The same with masks as those of {@link MultiheadAttentionImpl}; undefined for none. */
  public Tensor forward(
      Tensor tgt,
      Tensor memory,
      Tensor tgtMask,
      Tensor memoryMask,
      Tensor tgtKeyPaddingMask,
      Tensor memoryKeyPaddingMask) {
    try (GraphRecording.Call call = entered()) {
      Tensor[] masks = {tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask};
      boolean causal =
          tgtMask.defined()
              && tgtMask.is_floating_point()
              && TransformerLayer.isCausal(tgtMask, tgt, options.layer().batch_first().get());
      Tensor output = tgt;
      for (Module part : layers()) {
        TransformerDecoderLayerImpl layer = (TransformerDecoderLayerImpl) part;
        output =
            layer.call(
                new Tensor[] {output, memory}, in -> layer.forward(in[0], in[1], masks, causal));
      }
      Module norm = childMap().get("norm");
      return norm == null ? output : norm.call(output);
    }
  }

  @Override
  final Tensor forwardAll(Tensor... in) {
    return in.length == 6
        ? forward(in[0], in[1], in[2], in[3], in[4], in[5])
        : super.forwardAll(in);
  }

  /** How the layers were made. */
  public TransformerDecoderOptions options() {
    return options;
  }
}
