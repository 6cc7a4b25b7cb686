"""``torch.tensor`` of numbers and of plain Java arrays, in every element type."""

from __future__ import annotations

# Type in Java -> its ScalarType, and a number of it as bits and kind.
ELEMENTS = {
    "byte": ("Char", "value", "LONG"),
    "short": ("Short", "value", "LONG"),
    "int": ("Int", "value", "LONG"),
    "long": ("Long", "value", "LONG"),
    "float": ("Float", "Double.doubleToRawLongBits(value)", "DOUBLE"),
    "double": ("Double", "Double.doubleToRawLongBits(value)", "DOUBLE"),
    "boolean": ("Bool", "value ? 1 : 0", "BOOL"),
}
MAX_DIMS = 6

CLASS = """\
package org.onetape.global;

import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.global.torch.ScalarType;
import org.onetape.internal.Args;
import org.onetape.internal.ArrayTensors;

/** Tensors of numbers and arrays. */
abstract class TensorFactories {
%s}
"""

NUMBER = """\
  /** A tensor without dimensions that holds the number, in its own type. */
  public static Tensor tensor(@type@ value) {
    return ArrayTensors.number(@bits@, Args.@kind@, ScalarType.@scalar@, null);
  }

  /** A tensor without dimensions that holds the number; the options may give another type. */
  public static Tensor tensor(@type@ value, TensorOptions options) {
    return ArrayTensors.number(@bits@, Args.@kind@, ScalarType.@scalar@, options);
  }

  /** A tensor of one dimension with a copy of the numbers, in their own type. */
  public static Tensor tensor(@type@... values) {
    return ArrayTensors.tensor(values, new long[] {values.length}, null);
  }

  /** A tensor of one dimension with a copy of the numbers; the options may give another type. */
  public static Tensor tensor(@type@[] values, TensorOptions options) {
    return ArrayTensors.tensor(values, new long[] {values.length}, options);
  }
"""

NESTED = """\
  /**
   * A tensor of @dims@ dimensions with a copy of the numbers, in their own type.
   *
   * @throws IllegalArgumentException if rows differ in length
   */
  public static Tensor tensor(@type@@brackets@ values) {
    return ArrayTensors.tensor(values, null);
  }

  /**
   * A tensor of @dims@ dimensions with a copy of the numbers; the options may give another type.
   *
   * @throws IllegalArgumentException if rows differ in length
   */
  public static Tensor tensor(@type@@brackets@ values, TensorOptions options) {
    return ArrayTensors.tensor(values, options);
  }
"""

WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def tensor_factories() -> str:
    """TensorFactories.java."""
    parts = []
    for kind, (scalar, bits, number) in ELEMENTS.items():
        text = NUMBER.replace("@type@", kind).replace("@scalar@", scalar)
        parts.append(text.replace("@bits@", bits).replace("@kind@", number))
    for dims in range(2, MAX_DIMS + 1):
        for kind in ELEMENTS:
            text = NESTED.replace("@type@", kind).replace("@brackets@", "[]" * dims)
            parts.append(text.replace("@dims@", WORDS[dims]))
    return CLASS % "\n".join(parts)
