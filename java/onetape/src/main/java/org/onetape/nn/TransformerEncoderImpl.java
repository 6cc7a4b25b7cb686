package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.internal.Init;

/** Copies of a layer, one after the other, and perhaps a norm. */
public class TransformerEncoderImpl extends Module {
  private final TransformerEncoderOptions options;

  /** So many layers, as the options of one say. */
  public TransformerEncoderImpl(TransformerEncoderLayerOptions layer, long numLayers) {
    this(new TransformerEncoderOptions(layer, numLayers));
  }

  /** Layers as the options say. All start alike. */
  public TransformerEncoderImpl(TransformerEncoderOptions options) {
    super("TransformerEncoder");
    this.options = options;
    ModuleListImpl layers = register_module("layers", new ModuleListImpl());
    Module first = new TransformerEncoderLayerImpl(options.layer());
    for (long i = 0; i < options.num_layers().get(); i++) {
      layers.push_back(i == 0 ? first : copy(first));
    }
    if (options.norm() != null) {
      register_module("norm", options.norm());
    }
  }

  private Module copy(Module first) {
    try (Init.Unset unset = Init.unset()) { // so that no random numbers are used up
      Module made = new TransformerEncoderLayerImpl(options.layer());
      made.load_state_dict(first.state_dict());
      return made;
    }
  }

  /** The layers. */
  public ModuleListImpl layers() {
    return (ModuleListImpl) childMap().get("layers");
  }

  /** A sequence in the shape of src. */
  @Override
  public Tensor forward(Tensor src) {
    return forward(src, new Tensor(), new Tensor());
  }

  /** The same with masks as those of {@link MultiheadAttentionImpl}; undefined for none. */
  @Override
  public Tensor forward(Tensor src, Tensor mask, Tensor keyPaddingMask) {
    try (GraphRecording.Call call = entered()) {
      Tensor added = Attention.additive(mask, "mask", src);
      boolean causal = TransformerLayer.isCausal(added, src, options.layer().batch_first().get());
      Tensor output = src;
      for (Module part : layers()) {
        TransformerEncoderLayerImpl layer = (TransformerEncoderLayerImpl) part;
        output =
            layer.call(
                new Tensor[] {output}, in -> layer.forward(in[0], added, keyPaddingMask, causal));
      }
      Module norm = childMap().get("norm");
      return norm == null ? output : norm.call(output);
    }
  }

  /** How the layers were made. */
  public TransformerEncoderOptions options() {
    return options;
  }
}
