package org.onetape.nn;

import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** The first half of the input along a dimension, times the sigmoid of the second half. */
public class GLUImpl extends Module {
  private final GLUOptions options;

  /** The default options. */
  public GLUImpl() {
    this(new GLUOptions());
  }

  /** Along the given dimension. */
  public GLUImpl(long dim) {
    this(new GLUOptions(dim));
  }

  /** As the options say. */
  public GLUImpl(GLUOptions options) {
    super("GLU");
    this.options = options;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (GraphRecording.Call call = entered()) {
      return torch.glu(input, options.dim().get());
    }
  }

  /** How it was made. */
  public GLUOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    return "dim=" + options.dim().get();
  }
}
