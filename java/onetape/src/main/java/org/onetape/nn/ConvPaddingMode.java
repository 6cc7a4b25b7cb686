package org.onetape.nn;

/**
 * What a convolution puts around its input: {@link kZeros}, {@link kReflect}, {@link kReplicate} or
 * {@link kCircular}.
 */
public class ConvPaddingMode extends NamedValue {
  /** The mode that another one is. */
  public ConvPaddingMode(ConvPaddingMode other) {
    this(other.toString());
  }

  ConvPaddingMode(String word) {
    super(ConvPaddingMode.class, word);
  }
}
