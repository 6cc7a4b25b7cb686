package org.onetape;

import java.nio.ByteBuffer;

/**
 * Reads and writes single elements of a tensor by their indices, without a tensor for each.
 *
 * <p>{@link Tensor#createIndexer()} gives one. Fewer indices than dimensions mean zeros for the
 * last ones. The memory stays alive as long as the indexer does.
 */
public abstract class Indexer implements AutoCloseable {
  private final ByteBuffer memory;
  private final long[] sizes;
  private final long[] strides;
  private final int elementSize;

  Indexer(Tensor tensor) {
    memory = TensorMemory.of(tensor);
    sizes = tensor.shape();
    strides = tensor.strides().toArray();
    elementSize = (int) tensor.element_size();
  }

  /** The sizes of the dimensions. */
  public long[] sizes() {
    return sizes.clone();
  }

  /** The size of a dimension. */
  public long size(int dim) {
    return sizes[dim];
  }

  /** How many elements apart neighbours in each dimension are. */
  public long[] strides() {
    return strides.clone();
  }

  final ByteBuffer memory() {
    return memory;
  }

  private long offset(int dim, long index) {
    if (dim >= sizes.length || index < 0 || index >= sizes[dim]) {
      throw new IndexOutOfBoundsException(
          dim >= sizes.length
              ? "index " + dim + " of a tensor of " + sizes.length + " dimensions"
              : "index " + index + " of dimension " + dim + ", whose size is " + sizes[dim]);
    }
    return index * strides[dim];
  }

  final int at(long i) {
    return (int) (offset(0, i) * elementSize);
  }

  final int at(long i, long j) {
    return (int) ((offset(0, i) + offset(1, j)) * elementSize);
  }

  final int at(long i, long j, long k) {
    return (int) ((offset(0, i) + offset(1, j) + offset(2, k)) * elementSize);
  }

  final int at(long[] indices) {
    long place = 0;
    for (int d = 0; d < indices.length; d++) {
      place += offset(d, indices[d]);
    }
    return (int) (place * elementSize);
  }

  /** Does nothing: the memory is given back when the indexer is unreachable. */
  public void release() {}

  /** Does nothing, like {@link #release()}. */
  @Override
  public final void close() {
    release();
  }

  /** An indexer for the type of a tensor's elements. */
  static Indexer of(Tensor tensor) {
    switch (tensor.scalar_type()) {
      case Float:
        return new FloatIndexer(tensor);
      case Double:
        return new DoubleIndexer(tensor);
      case Long:
        return new LongIndexer(tensor);
      case Int:
        return new IntIndexer(tensor);
      case Short:
        return new ShortIndexer(tensor);
      case Char:
        return new ByteIndexer(tensor);
      case Byte:
        return new UByteIndexer(tensor);
      case Bool:
        return new BooleanIndexer(tensor);
      default:
        throw new UnsupportedOperationException(
            "createIndexer: not for elements of type " + tensor.scalar_type());
    }
  }
}
