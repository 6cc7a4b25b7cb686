package org.onetape;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import org.onetape.global.torch.ScalarType;
import org.onetape.internal.Access;
import org.onetape.internal.Args;
import org.onetape.internal.ArrayTensors;
import org.onetape.internal.Engine;
import org.onetape.internal.RefList;

/** The elements of a tensor: one, some or all of them. */
abstract class TensorElements extends TensorQueries {
  TensorElements(long handle) {
    super(handle);
  }

  TensorElements(long handle, RefList owner) {
    super(handle, owner);
  }

  /**
   * The element of a tensor that has only one.
   *
   * @throws TorchException if there is not exactly one
   */
  public Scalar item() {
    return Args.scalar(Engine.itemBits(this), Engine.itemKind(this));
  }

  /** The only element as a double. */
  public double item_double() {
    return Engine.itemDouble(this);
  }

  /** The only element as a float. */
  public float item_float() {
    return (float) Engine.itemDouble(this);
  }

  /** The only element as a long. */
  public long item_long() {
    return Engine.itemLong(this);
  }

  /** The only element as an int. */
  public int item_int() {
    return (int) Engine.itemLong(this);
  }

  /** The only element as a short. */
  public short item_short() {
    return (short) Engine.itemLong(this);
  }

  /** The only element as a byte. */
  public byte item_byte() {
    return (byte) Engine.itemLong(this);
  }

  /** The only element as a byte. */
  public byte item_char() {
    return (byte) Engine.itemLong(this);
  }

  /** The only element as a boolean. */
  public boolean item_bool() {
    return item().toBool();
  }

  /** The memory of the elements, which must be doubles. */
  public DoublePointer data_ptr_double() {
    return new DoublePointer(memoryAs(ScalarType.Double));
  }

  /** The memory of the elements, which must be floats. */
  public FloatPointer data_ptr_float() {
    return new FloatPointer(memoryAs(ScalarType.Float));
  }

  /** The memory of the elements, which must be longs. */
  public LongPointer data_ptr_long() {
    return new LongPointer(memoryAs(ScalarType.Long));
  }

  /** The memory of the elements, which must be ints. */
  public IntPointer data_ptr_int() {
    return new IntPointer(memoryAs(ScalarType.Int));
  }

  /** The memory of the elements, which must be shorts. */
  public ShortPointer data_ptr_short() {
    return new ShortPointer(memoryAs(ScalarType.Short));
  }

  /** The memory of the elements, which must be unsigned bytes. */
  public BytePointer data_ptr_byte() {
    return new BytePointer(memoryAs(ScalarType.Byte));
  }

  /** The memory of the elements, which must be signed bytes. */
  public BytePointer data_ptr_char() {
    return new BytePointer(memoryAs(ScalarType.Char));
  }

  /** The memory of the elements, which must be booleans. */
  public BoolPointer data_ptr_bool() {
    return new BoolPointer(memoryAs(ScalarType.Bool));
  }

  /** The memory from the first element to the end of the storage. */
  public Pointer data_ptr() {
    return new Pointer(TensorMemory.of((Tensor) this));
  }

  /** All memory that this tensor is a view of. */
  public Storage storage() {
    return new Storage((Tensor) this);
  }

  private ByteBuffer memoryAs(ScalarType type) {
    if (scalar_type() != type) {
      throw new TorchException("expected scalar type " + type + " but found " + scalar_type());
    }
    return TensorMemory.of((Tensor) this);
  }

  /**
   * The memory of a contiguous tensor's elements as a buffer of their type.
   *
   * @param <B> such as {@link java.nio.FloatBuffer}
   */
  public <B extends Buffer> B createBuffer() {
    return TensorMemory.buffer((Tensor) this);
  }

  /**
   * What reads and writes single elements.
   *
   * @param <I> such as {@link FloatIndexer}, by the type of the elements
   */
  @SuppressWarnings("unchecked")
  public <I extends Indexer> I createIndexer() {
    return (I) Indexer.of((Tensor) this);
  }

  /** The elements, converted to double, in the order of the dimensions. */
  public double[] toDoubleArray() {
    return ArrayTensors.copy((Tensor) this, new double[Math.toIntExact(numel())]);
  }

  /** The elements, converted to float, in the order of the dimensions. */
  public float[] toFloatArray() {
    return ArrayTensors.copy((Tensor) this, new float[Math.toIntExact(numel())]);
  }

  /** The elements, converted to long, in the order of the dimensions. */
  public long[] toLongArray() {
    return ArrayTensors.copy((Tensor) this, new long[Math.toIntExact(numel())]);
  }

  /** The elements, converted to int, in the order of the dimensions. */
  public int[] toIntArray() {
    return ArrayTensors.copy((Tensor) this, new int[Math.toIntExact(numel())]);
  }

  /** The elements, converted to boolean, in the order of the dimensions. */
  public boolean[] toBooleanArray() {
    return ArrayTensors.copy((Tensor) this, new boolean[Math.toIntExact(numel())]);
  }

  /** The elements at the given indices, one for each dimension from the first on. */
  public Tensor index(TensorIndexVector indices) {
    return index(indices.toArray());
  }

  /** The elements at the given indices, one for each dimension from the first on. */
  public Tensor index(TensorIndexArrayRef indices) {
    return index(indices.toArray());
  }

  /** The elements at the given indices, one for each dimension from the first on. */
  public Tensor index(TensorOptionalList indices) {
    return index(indices.toIndices());
  }

  /** The elements at the given indices, one for each dimension from the first on. */
  public Tensor index(TensorIndex... indices) {
    return Access.tensor(new EncodedIndex(indices).get((Tensor) this));
  }

  /** Replaces the elements at the given indices by those of a tensor, broadcast; returns this. */
  public Tensor index_put_(TensorIndexVector indices, Tensor values) {
    return indexPut(indices.toArray(), values);
  }

  /** Replaces the elements at the given indices by a number; returns this. */
  public Tensor index_put_(TensorIndexVector indices, Scalar value) {
    return indexPut(indices.toArray(), value);
  }

  /** Replaces the elements at the given indices by those of a tensor, broadcast; returns this. */
  public Tensor index_put_(TensorIndexArrayRef indices, Tensor values) {
    return indexPut(indices.toArray(), values);
  }

  /** Replaces the elements at the given indices by a number; returns this. */
  public Tensor index_put_(TensorIndexArrayRef indices, Scalar value) {
    return indexPut(indices.toArray(), value);
  }

  private Tensor indexPut(TensorIndex[] indices, Scalar value) {
    new EncodedIndex(indices).put((Tensor) this, value);
    return (Tensor) this;
  }

  private Tensor indexPut(TensorIndex[] indices, Tensor values) {
    new EncodedIndex(indices).put((Tensor) this, values);
    return (Tensor) this;
  }

  /** The i-th part along the first dimension. */
  public Tensor get(long i) {
    return index(new TensorIndex(i));
  }

  /** The part along the first dimension that a number or a tensor without dimensions gives. */
  public Tensor get(Scalar i) {
    return get(i.toLong());
  }

  /** The part along the first dimension that a tensor of one integer gives. */
  public Tensor get(Tensor i) {
    return get(i.item_long());
  }
}
