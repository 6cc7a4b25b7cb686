package org.onetape.nn;

import org.onetape.Tensor;

/** A parametrization that can be assigned to: it knows what a value is computed from. */
@FunctionalInterface
public interface RightInverse {
  /**
   * What the module's {@code forward} makes this value of.
   *
   * @return as many tensors as {@code forward} takes
   */
  Tensor[] right_inverse(Tensor value);
}
