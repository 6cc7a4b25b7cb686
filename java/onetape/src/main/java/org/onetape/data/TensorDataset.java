package org.onetape.data;

import java.util.Arrays;
import org.onetape.SizeTOptional;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.internal.Access;

/**
 * The i-th sample holds the i-th entry of each tensor: the first is the data, the second the
 * target.
 */
public final class TensorDataset extends Dataset<Example> {
  private final Tensor[] tensors;

  /**
   * Samples of these tensors, which the dataset keeps whatever scope they belong to.
   *
   * @throws IllegalArgumentException if they differ in the size of their first dimension
   */
  public TensorDataset(Tensor... tensors) {
    if (tensors.length == 0 || Arrays.stream(tensors).anyMatch(t -> t.dim() == 0)) {
      throw new IllegalArgumentException("TensorDataset needs tensors of at least one dimension");
    }
    if (Arrays.stream(tensors).anyMatch(t -> t.size(0) != tensors[0].size(0))) {
      throw new IllegalArgumentException("Size mismatch between tensors");
    }
    this.tensors = Arrays.stream(tensors).map(Access::unscoped).toArray(Tensor[]::new);
  }

  /** Samples of this tensor. */
  public TensorDataset(Tensor tensor) {
    this(new Tensor[] {tensor});
  }

  /** Samples of these tensors. */
  public TensorDataset(TensorVector tensors) {
    this(tensors.get());
  }

  @Override
  public Example get(long index) {
    Tensor[] entries = new Tensor[Math.max(2, tensors.length)];
    Arrays.fill(entries, new Tensor());
    for (int i = 0; i < tensors.length; i++) {
      entries[i] = tensors[i].select(0, index);
    }
    return new Example(entries, true);
  }

  @Override
  public SizeTOptional size() {
    return new SizeTOptional(tensors[0].size(0));
  }

  /** Several samples. */
  public ExampleVector get_batch(long... indices) {
    return new ExampleVector(getBatch(indices));
  }

  @Override
  Tensor[] gather(long[] indices) {
    long size = tensors[0].size(0);
    if (Arrays.stream(indices).anyMatch(i -> i < 0 || i >= size)) {
      return null;
    }
    Tensor chosen = Tensor.create(indices);
    return Arrays.stream(tensors).map(t -> t.index_select(0, chosen)).toArray(Tensor[]::new);
  }

  /** The first tensor. */
  public Tensor tensor() {
    return new Tensor(tensors[0]);
  }

  /** Lets go of the tensors. */
  @Override
  public void close() {
    for (Tensor tensor : tensors) {
      tensor.close();
    }
  }
}
