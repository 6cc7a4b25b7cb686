package org.onetape.nn;

import org.onetape.DoubleOptional;

/** What layers share that put one value around their input. */
public abstract class ConstantPadBase extends PadBase {
  private final ConstantPadOptionsBase<?> options;

  ConstantPadBase(String name, ConstantPadOptionsBase<?> options) {
    super(name, options, "constant");
    this.options = options;
  }

  @Override
  DoubleOptional value() {
    return new DoubleOptional(options.value().get());
  }

  @Override
  protected String describe() {
    return "padding=" + super.describe() + ", value=" + PythonText.of(options.value().get());
  }
}
