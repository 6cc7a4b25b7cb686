package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Each stretch of an image under a kernel as a column. */
public class UnfoldImpl extends Module {
  private final UnfoldOptions options;

  /** Stretches of this size: a number, or height and width. */
  public UnfoldImpl(LongPointer kernelSize) {
    this(new UnfoldOptions(kernelSize));
  }

  /** Stretches of this size: a number, or height and width. */
  public UnfoldImpl(long... kernelSize) {
    this(new UnfoldOptions(kernelSize));
  }

  /** As the options say. */
  public UnfoldImpl(UnfoldOptions options) {
    super("Unfold");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.im2col(
          input,
          options.kernelSize.get(),
          options.dilation.get(),
          options.padding.get(),
          options.stride.get());
    }
  }

  /** How it was made. */
  public UnfoldOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "kernel_size="
        + PythonText.brief(options.kernelSize.get())
        + ", dilation="
        + PythonText.brief(options.dilation.get())
        + ", padding="
        + PythonText.brief(options.padding.get())
        + ", stride="
        + PythonText.brief(options.stride.get());
  }
}
