package org.onetape.nn;

import java.util.function.UnaryOperator;
import org.onetape.Tensor;
import org.onetape.Value;

/** What stands between the two linear maps of a transformer's layer. */
public final class TransformerActivation extends Value {
  private final UnaryOperator<Tensor> function;

  /** The rectifier. */
  public TransformerActivation(kReLU relu) {
    this(Tensor::relu);
  }

  /** The Gaussian error linear unit. */
  public TransformerActivation(kGELU gelu) {
    this(x -> org.onetape.global.torch.gelu(x));
  }

  /** Any function. */
  public TransformerActivation(UnaryOperator<Tensor> function) {
    this.function = function;
  }

  Tensor apply(Tensor input) {
    return function.apply(input);
  }
}
