package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The channels dealt out: the first of each group, then the second of each, and so on. */
public class ChannelShuffleImpl extends Module {
  private final ChannelShuffleOptions options;

  /** The number of groups. */
  public ChannelShuffleImpl(long groups) {
    this(new ChannelShuffleOptions(groups));
  }

  /** As the options say. */
  public ChannelShuffleImpl(ChannelShuffleOptions options) {
    super("ChannelShuffle");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.channel_shuffle(input, options.groups().get());
    }
  }

  /** How it was made. */
  public ChannelShuffleOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "groups=" + options.groups().get();
  }
}
