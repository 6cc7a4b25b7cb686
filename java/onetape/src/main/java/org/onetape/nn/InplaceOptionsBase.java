package org.onetape.nn;

import java.util.function.UnaryOperator;
import org.onetape.BoolPointer;
import org.onetape.Tensor;
import org.onetape.Value;

/**
 * What the options of functions share that can work in the memory of their input; O is the class of
 * the options themselves.
 */
public abstract class InplaceOptionsBase<O extends InplaceOptionsBase<O>> extends Value {
  private final BoolPointer inplace = new BoolPointer(false);

  abstract O self();

  /** Whether the input itself is changed. */
  public BoolPointer inplace() {
    return inplace;
  }

  /** Sets whether the input itself is changed; returns this. */
  public O inplace(boolean value) {
    inplace.put(value);
    return self();
  }

  /** What a module with these options shows behind its numbers. */
  final String describe(String numbers) {
    String separator = numbers.isEmpty() ? "" : ", ";
    return inplace.get() ? numbers + separator + "inplace=True" : numbers;
  }

  /** The function of the input, in its memory if that is wanted. */
  final Tensor run(Tensor input, UnaryOperator<Tensor> function) {
    // The function may keep its operand for backward, so in place it is given a copy.
    return inplace.get() ? input.copy_(function.apply(input.clone())) : function.apply(input);
  }
}
