package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.LongPointer;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Columns, as UnfoldImpl makes them, added to their stretches of an image of zeros. */
public class FoldImpl extends Module {
  private final FoldOptions options;

  /** Stretches of this size: a number, or height and width. */
  public FoldImpl(LongPointer outputSize, LongPointer kernelSize) {
    this(new FoldOptions(outputSize, kernelSize));
  }

  /** Stretches of this size: a number, or height and width. */
  public FoldImpl(long[] outputSize, long... kernelSize) {
    this(new FoldOptions(outputSize, kernelSize));
  }

  /** As the options say. */
  public FoldImpl(FoldOptions options) {
    super("Fold");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.col2im(
          input,
          options.outputSize.get(),
          options.kernelSize.get(),
          options.dilation.get(),
          options.padding.get(),
          options.stride.get());
    }
  }

  /** How it was made. */
  public FoldOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "output_size="
        + PythonText.brief(options.outputSize.get())
        + ", kernel_size="
        + PythonText.brief(options.kernelSize.get())
        + ", dilation="
        + PythonText.brief(options.dilation.get())
        + ", padding="
        + PythonText.brief(options.padding.get())
        + ", stride="
        + PythonText.brief(options.stride.get());
  }
}
