package org.onetape.nn;

/** A module as one of the class that it has. */
abstract class ModuleKinds extends ModuleCalls {
  /** This module as one of a class. */
  public <M extends Module> M as(Class<M> type) {
    return type.cast(this);
  }

  /** This module. */
  public Module asModule() {
    return (Module) this;
  }

  /** This module as a {@link LinearImpl}. */
  public LinearImpl asLinear() {
    return (LinearImpl) this;
  }

  /** This module as a {@link SequentialImpl}. */
  public SequentialImpl asSequential() {
    return (SequentialImpl) this;
  }

  /** This module as an {@link EmbeddingImpl}. */
  public EmbeddingImpl asEmbedding() {
    return (EmbeddingImpl) this;
  }

  /** This module as an {@link EmbeddingBagImpl}. */
  public EmbeddingBagImpl asEmbeddingBag() {
    return (EmbeddingBagImpl) this;
  }

  /** This module as a {@link Conv1dImpl}. */
  public Conv1dImpl asConv1d() {
    return (Conv1dImpl) this;
  }

  /** This module as a {@link Conv2dImpl}. */
  public Conv2dImpl asConv2d() {
    return (Conv2dImpl) this;
  }

  /** This module as a {@link Conv3dImpl}. */
  public Conv3dImpl asConv3d() {
    return (Conv3dImpl) this;
  }

  /** This module as a {@link ConvTranspose1dImpl}. */
  public ConvTranspose1dImpl asConvTranspose1d() {
    return (ConvTranspose1dImpl) this;
  }

  /** This module as a {@link ConvTranspose2dImpl}. */
  public ConvTranspose2dImpl asConvTranspose2d() {
    return (ConvTranspose2dImpl) this;
  }

  /** This module as a {@link ConvTranspose3dImpl}. */
  public ConvTranspose3dImpl asConvTranspose3d() {
    return (ConvTranspose3dImpl) this;
  }

  /** This module as a {@link BatchNorm1dImpl}. */
  public BatchNorm1dImpl asBatchNorm1d() {
    return (BatchNorm1dImpl) this;
  }

  /** This module as a {@link BatchNorm2dImpl}. */
  public BatchNorm2dImpl asBatchNorm2d() {
    return (BatchNorm2dImpl) this;
  }

  /** This module as a {@link BatchNorm3dImpl}. */
  public BatchNorm3dImpl asBatchNorm3d() {
    return (BatchNorm3dImpl) this;
  }

  /** This module as an {@link InstanceNorm1dImpl}. */
  public InstanceNorm1dImpl asInstanceNorm1d() {
    return (InstanceNorm1dImpl) this;
  }

  /** This module as an {@link InstanceNorm2dImpl}. */
  public InstanceNorm2dImpl asInstanceNorm2d() {
    return (InstanceNorm2dImpl) this;
  }

  /** This module as an {@link InstanceNorm3dImpl}. */
  public InstanceNorm3dImpl asInstanceNorm3d() {
    return (InstanceNorm3dImpl) this;
  }

  /** This module as a {@link GroupNormImpl}. */
  public GroupNormImpl asGroupNorm() {
    return (GroupNormImpl) this;
  }

  /** This module as a {@link LayerNormImpl}. */
  public LayerNormImpl asLayerNorm() {
    return (LayerNormImpl) this;
  }

  /** This module as a {@link PReLUImpl}. */
  public PReLUImpl asPReLU() {
    return (PReLUImpl) this;
  }

  /** This module as a {@link ModuleListImpl}. */
  public ModuleListImpl asModuleList() {
    return (ModuleListImpl) this;
  }

  /** This module as a {@link ModuleDictImpl}. */
  public ModuleDictImpl asModuleDict() {
    return (ModuleDictImpl) this;
  }

  /** This module as a {@link ParameterListImpl}. */
  public ParameterListImpl asParameterList() {
    return (ParameterListImpl) this;
  }

  /** This module as a {@link ParameterDictImpl}. */
  public ParameterDictImpl asParameterDict() {
    return (ParameterDictImpl) this;
  }

  /** This module as an {@link LSTMImpl}. */
  public LSTMImpl asLSTM() {
    return (LSTMImpl) this;
  }

  /** This module as a {@link GRUImpl}. */
  public GRUImpl asGRU() {
    return (GRUImpl) this;
  }

  /** This module as an {@link RNNImpl}. */
  public RNNImpl asRNN() {
    return (RNNImpl) this;
  }

  /** This module as a {@link MultiheadAttentionImpl}. */
  public MultiheadAttentionImpl asMultiheadAttention() {
    return (MultiheadAttentionImpl) this;
  }
}
