package org.onetape;

import java.util.Objects;
import org.onetape.internal.Args;
import org.onetape.internal.Engine;

/** Indices as native code reads them: a kind, three numbers and a tensor each. */
final class EncodedIndex {
  private final int[] kinds;
  private final long[] numbers;
  private final Object[] tensors;

  EncodedIndex(TensorIndex[] indices) {
    kinds = new int[indices.length];
    numbers = new long[3 * indices.length];
    tensors = new Object[indices.length];
    for (int i = 0; i < indices.length; i++) {
      encode(i, Objects.requireNonNull(indices[i], "argument 'indices[" + i + "]' is null"));
    }
  }

  private void encode(int i, TensorIndex index) {
    kinds[i] = index.kind.ordinal();
    switch (index.kind) {
      case INTEGER:
        numbers[3 * i] = (Long) index.value;
        break;
      case BOOLEAN:
        numbers[3 * i] = (Boolean) index.value ? 1 : 0;
        break;
      case SLICE:
        Slice range = (Slice) index.value;
        numbers[3 * i] = range.start();
        numbers[3 * i + 1] = range.stop();
        numbers[3 * i + 2] = range.step();
        break;
      case TENSOR:
        tensors[i] = index.value;
        break;
      default:
    }
  }

  long get(Tensor tensor) {
    return Engine.index(tensor, kinds, numbers, tensors);
  }

  void put(Tensor tensor, Tensor values) {
    Engine.indexPut(tensor, kinds, numbers, tensors, values, 0, Args.NO_NUMBER);
  }

  void put(Tensor tensor, Scalar value) {
    Engine.indexPut(tensor, kinds, numbers, tensors, null, Args.bits(value), Args.kind(value));
  }
}
