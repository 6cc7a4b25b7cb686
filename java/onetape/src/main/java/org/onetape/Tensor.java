package org.onetape;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Formattable;
import java.util.FormattableFlags;
import java.util.Formatter;
import org.onetape.global.torch;
import org.onetape.global.torch.Layout;
import org.onetape.global.torch.MemoryFormat;
import org.onetape.global.torch.ScalarType;
import org.onetape.internal.Access;
import org.onetape.internal.Args;
import org.onetape.internal.ArrayTensors;
import org.onetape.internal.Engine;
import org.onetape.internal.NativeRef;
import org.onetape.internal.RefList;

/**
 * An array of numbers of one type and any number of dimensions, with automatic differentiation.
 *
 * <p>Operators on tensors that {@linkplain #requires_grad() require a gradient} are recorded;
 * {@link #backward()} goes back through the record and adds the gradients to {@link #grad()} of the
 * tensors it started from.
 *
 * <pre>{@code
 * Tensor x = tensor(2.0, requires_grad(true));
 * Tensor y = x.mul(x).add(1);
 * y.backward();
 * System.out.println(x.grad()); // 4.0
 * }</pre>
 *
 * <p>The elements are in native memory, which is given back when the {@link MemoryScope} that was
 * open when the tensor was made is closed, when {@link #close()} is called, or when the garbage
 * collector finds the object unreachable. What a graph or a gradient needs stays there as long as
 * it is needed. Using a tensor after it was closed is an {@link IllegalStateException}.
 *
 * <p>Methods whose name ends with an underscore change the tensor and return it. The names are
 * those of PyTorch; {@link TorchTensor} has the same methods in Java's spelling.
 *
 * <p>Two objects are {@linkplain #equals equal} if they stand for the same tensor; {@code eq}
 * compares the elements. In a format, {@code %s} gives the elements and {@code %#s} also what
 * {@link #repr()} tells.
 */
public class Tensor extends TensorOps implements Formattable, AutoCloseable {
  static {
    Access.provide(
        new Access() {
          @Override
          protected Tensor wrap(long handle) {
            return new Tensor(handle);
          }

          @Override
          protected Tensor own(Tensor tensor) {
            return tensor.aliasIn(RefList.unscoped());
          }

          @Override
          protected Tensor[] list(TensorVector vector) {
            return vector.toArray();
          }

          @Override
          protected Tensor[] list(TensorArrayRef list) {
            return TensorArrayRef.toArray(list);
          }

          @Override
          protected Tensor[] list(TensorOptionalList list) {
            return list.toArray();
          }
        });
  }

  /** The native handle, read by native code; 0 for the undefined tensor. */
  private final long cell;

  private final NativeRef ref;

  /** The undefined tensor. */
  public Tensor() {
    this(0);
  }

  /** Another object for the same tensor. */
  public Tensor(Tensor other) {
    this(other.newHandle());
  }

  Tensor(long handle) {
    cell = handle;
    ref = handle == 0 ? null : RefList.register(this, handle);
  }

  private Tensor(long handle, RefList owner) {
    cell = handle;
    ref = handle == 0 ? null : owner.own(this, handle);
  }

  long newHandle() {
    return cell == 0 ? 0 : Engine.alias(this);
  }

  Tensor alias() {
    return new Tensor(newHandle());
  }

  Tensor aliasIn(RefList owner) {
    return new Tensor(newHandle(), owner);
  }

  NativeRef ref() {
    return ref;
  }

  void moveTo(RefList list) {
    if (!ref.moveTo(list)) {
      throw Engine.closed();
    }
  }

  // ---- ownership ----

  /** Lets go of the native memory; closing again does nothing. */
  @Override
  public void close() {
    if (ref != null) {
      ref.close();
    }
  }

  /** Lets go of the native memory, like {@link #close()}. */
  public final void deallocate() {
    close();
  }

  /**
   * Makes this tensor outlive the scope it belongs to: it then belongs to the scope around that
   * one, or to the garbage collector if there is none.
   *
   * <p>A method with a scope of its own can so return a tensor.
   *
   * @throws IllegalStateException if the tensor is closed
   */
  public Tensor keep() {
    if (ref != null) {
      RefList list = ref.list();
      if (list == null) {
        throw Engine.closed();
      }
      if (list.isScope()) {
        moveTo(list.outer());
      }
    }
    return this;
  }

  /** Whether there is a tensor behind this object: not if it is undefined or was closed. */
  public boolean defined() {
    return ref != null && !ref.isClosed();
  }

  /** Whether there is no tensor behind this object. */
  public boolean isNull() {
    return !defined();
  }

  // ---- making tensors ----

  /** A tensor of one dimension with the given elements. */
  public static Tensor create(double... values) {
    return create(values, values.length);
  }

  /** A tensor with the given elements and sizes. */
  public static Tensor create(double[] values, long... shape) {
    return ArrayTensors.tensor(values, shape, null);
  }

  /** A tensor of one dimension with the given elements. */
  public static Tensor create(float... values) {
    return create(values, values.length);
  }

  /** A tensor with the given elements and sizes. */
  public static Tensor create(float[] values, long... shape) {
    return ArrayTensors.tensor(values, shape, null);
  }

  /** A tensor of one dimension with the given elements. */
  public static Tensor create(long... values) {
    return create(values, values.length);
  }

  /** A tensor with the given elements and sizes. */
  public static Tensor create(long[] values, long... shape) {
    return ArrayTensors.tensor(values, shape, null);
  }

  /** A tensor of one dimension with the given elements. */
  public static Tensor create(int... values) {
    return create(values, values.length);
  }

  /** A tensor with the given elements and sizes. */
  public static Tensor create(int[] values, long... shape) {
    return ArrayTensors.tensor(values, shape, null);
  }

  /** A tensor of one dimension with the given elements. */
  public static Tensor create(short... values) {
    return create(values, values.length);
  }

  /** A tensor with the given elements and sizes. */
  public static Tensor create(short[] values, long... shape) {
    return ArrayTensors.tensor(values, shape, null);
  }

  /** A tensor of one dimension of unsigned bytes. */
  public static Tensor create(byte... values) {
    return create(values, values.length);
  }

  /** A tensor of unsigned bytes with the given sizes. */
  public static Tensor create(byte[] values, long... shape) {
    return create(values, false, shape);
  }

  /** A tensor of signed or unsigned bytes with the given sizes; without sizes, of one dimension. */
  public static Tensor create(byte[] values, boolean signed, long... shape) {
    ByteBuffer memory = ByteBuffer.allocateDirect(values.length).put(values).flip();
    int type = signed ? ScalarType.Char.value : ScalarType.Byte.value;
    long[] sizes = shape.length == 0 ? new long[] {values.length} : shape;
    return Access.tensor(
        Engine.fromMemory(memory, sizes, null, type, type, Args.NONE, false, false));
  }

  /** A tensor of one dimension with the given elements. */
  public static Tensor create(boolean... values) {
    return create(values, values.length);
  }

  /** A tensor with the given elements and sizes. */
  public static Tensor create(boolean[] values, long... shape) {
    return ArrayTensors.tensor(values, shape, null);
  }

  /** A tensor without dimensions that holds a number of the default floating-point type. */
  public static Tensor scalar(double value) {
    return Access.tensor(
        Engine.fromNumber(
            Double.doubleToRawLongBits(value), Args.DOUBLE, Args.NONE, Args.NONE, false));
  }

  /** A tensor without dimensions that holds an integer. */
  public static Tensor scalar(long value) {
    return Access.tensor(Engine.fromNumber(value, Args.LONG, Args.NONE, Args.NONE, false));
  }

  /** A tensor without dimensions that holds a number. */
  public static Tensor scalar(Scalar value) {
    return Access.tensor(
        Engine.fromNumber(Args.bits(value), Args.kind(value), Args.NONE, Args.NONE, false));
  }

  // ---- asking ----

  /** The number of dimensions. */
  public long dim() {
    return Engine.dim(this);
  }

  /** The number of dimensions. */
  public long ndimension() {
    return dim();
  }

  /** The number of elements. */
  public long numel() {
    return Engine.numel(this);
  }

  /** The sizes of the dimensions. */
  public LongArrayRef sizes() {
    return new LongArrayRef(shape());
  }

  /** The sizes of the dimensions. */
  public long[] shape() {
    return Engine.sizes(this);
  }

  /** The size of a dimension, which counts from the last if negative. */
  public long size(long dim) {
    return Engine.size(this, dim);
  }

  /** How many elements apart neighbours in each dimension are in memory. */
  public LongArrayRef strides() {
    return new LongArrayRef(Engine.strides(this));
  }

  /** How many elements apart neighbours in a dimension are in memory. */
  public long stride(long dim) {
    return Engine.stride(this, dim);
  }

  /** The place of the first element in the storage, in elements. */
  public long storage_offset() {
    return Engine.storageOffset(this);
  }

  /** Whether the elements lie in memory without gaps, the last dimension fastest. */
  public boolean is_contiguous() {
    return Engine.isContiguous(this);
  }

  /** Whether the elements lie in memory without gaps in the given order of dimensions. */
  public boolean is_contiguous(MemoryFormat format) {
    if (format != MemoryFormat.Contiguous) {
      throw new UnsupportedOperationException("is_contiguous: memory format " + format);
    }
    return is_contiguous();
  }

  /** The type of the elements. */
  public TypeMeta dtype() {
    return TypeMeta.fromScalarType(scalar_type());
  }

  /** The type of the elements. */
  public ScalarType scalar_type() {
    return Args.scalarType(Engine.dtype(this));
  }

  /** The bytes an element takes. */
  public long element_size() {
    return scalar_type().itemsize();
  }

  /** The bytes all elements take. */
  public long nbytes() {
    return numel() * element_size();
  }

  /** Where the elements are. */
  public Device device() {
    Engine.dim(this); // a closed tensor has no device
    return new Device(torch.DeviceType.CPU);
  }

  /** How the elements lie in memory. */
  public Layout layout() {
    return Layout.Strided;
  }

  /** The options that make a tensor of the same element type on the same device. */
  public TensorOptions options() {
    return new TensorOptions(scalar_type()).device(device()).layout(layout());
  }

  /** Whether the elements are on the CPU. */
  public boolean is_cpu() {
    return device().is_cpu();
  }

  /** Whether the elements are on a CUDA device. */
  public boolean is_cuda() {
    return device().is_cuda();
  }

  /** Whether the tensor has the sparse layout: never. */
  public boolean is_sparse() {
    return false;
  }

  /** Whether the elements are floating-point numbers. */
  public boolean is_floating_point() {
    ScalarType type = scalar_type();
    return type == ScalarType.Float
        || type == ScalarType.Double
        || type == ScalarType.Half
        || type == ScalarType.BFloat16;
  }

  /** Whether the elements are complex numbers. */
  public boolean is_complex() {
    ScalarType type = scalar_type();
    return type == ScalarType.ComplexFloat || type == ScalarType.ComplexDouble;
  }

  /** Whether this stands for the same tensor as the other. */
  public boolean is_same(Tensor other) {
    return equals(other);
  }

  // ---- one element ----

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

  // ---- all elements ----

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
    return new Pointer(TensorMemory.of(this));
  }

  private ByteBuffer memoryAs(ScalarType type) {
    if (scalar_type() != type) {
      throw new TorchException("expected scalar type " + type + " but found " + scalar_type());
    }
    return TensorMemory.of(this);
  }

  /**
   * The memory of a contiguous tensor's elements as a buffer of their type.
   *
   * @param <B> such as {@link java.nio.FloatBuffer}
   */
  public <B extends Buffer> B createBuffer() {
    return TensorMemory.buffer(this);
  }

  /**
   * What reads and writes single elements.
   *
   * @param <I> such as {@link FloatIndexer}, by the type of the elements
   */
  @SuppressWarnings("unchecked")
  public <I extends Indexer> I createIndexer() {
    return (I) Indexer.of(this);
  }

  /** The elements, converted to double, in the order of the dimensions. */
  public double[] toDoubleArray() {
    return ArrayTensors.copy(this, new double[Math.toIntExact(numel())]);
  }

  /** The elements, converted to float, in the order of the dimensions. */
  public float[] toFloatArray() {
    return ArrayTensors.copy(this, new float[Math.toIntExact(numel())]);
  }

  /** The elements, converted to long, in the order of the dimensions. */
  public long[] toLongArray() {
    return ArrayTensors.copy(this, new long[Math.toIntExact(numel())]);
  }

  /** The elements, converted to int, in the order of the dimensions. */
  public int[] toIntArray() {
    return ArrayTensors.copy(this, new int[Math.toIntExact(numel())]);
  }

  /** The elements, converted to boolean, in the order of the dimensions. */
  public boolean[] toBooleanArray() {
    return ArrayTensors.copy(this, new boolean[Math.toIntExact(numel())]);
  }

  // ---- indexing ----

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
    return Access.tensor(new EncodedIndex(indices).get(this));
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
    new EncodedIndex(indices).put(this, value);
    return this;
  }

  private Tensor indexPut(TensorIndex[] indices, Tensor values) {
    new EncodedIndex(indices).put(this, values);
    return this;
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

  // ---- conversion ----

  private Tensor to(int dtype, int device, boolean copy) {
    return Access.tensor(Engine.to(this, dtype, device, copy));
  }

  /** This tensor, or a copy with another element type. */
  public Tensor to(ScalarType type) {
    return to(Args.dtype(type), Args.NONE, false);
  }

  /** This tensor, or a copy with another element type; always a copy if so said. */
  public Tensor to(
      ScalarType type, boolean nonBlocking, boolean copy, MemoryFormatOptional format) {
    return to(Args.dtype(type), Args.NONE, copy);
  }

  /** This tensor, or a copy with another element type. */
  public Tensor to(TypeMeta type) {
    return to(type.toScalarType());
  }

  /** This tensor, or a copy with another element type; always a copy if so said. */
  public Tensor to(TypeMeta type, boolean nonBlocking, boolean copy) {
    return to(Args.dtype(type), Args.NONE, copy);
  }

  /** This tensor, or a copy on another device. */
  public Tensor to(Device device) {
    return to(Args.NONE, Args.device(device), false);
  }

  /** This tensor, or a copy on another device with another element type. */
  public Tensor to(Device device, ScalarType type) {
    return to(Args.dtype(type), Args.device(device), false);
  }

  /** This tensor, or a copy on another device with another element type; a copy if so said. */
  public Tensor to(
      Device device,
      ScalarType type,
      boolean nonBlocking,
      boolean copy,
      MemoryFormatOptional format) {
    return to(Args.dtype(type), Args.device(device), copy);
  }

  /** This tensor, or a copy on another device with another element type. */
  public Tensor to(Device device, TypeMeta type) {
    return to(device, type.toScalarType());
  }

  /** This tensor, or a copy on another device with another element type; a copy if so said. */
  public Tensor to(Device device, TypeMeta type, boolean nonBlocking, boolean copy) {
    return to(Args.dtype(type), Args.device(device), copy);
  }

  /** This tensor, or a copy with the element type and device of another. */
  public Tensor to(Tensor other) {
    return to(other.device(), other.scalar_type());
  }

  /** This tensor, or a copy with the element type and device of another; a copy if so said. */
  public Tensor to(Tensor other, boolean nonBlocking, boolean copy, MemoryFormatOptional format) {
    return to(other.device(), other.scalar_type(), nonBlocking, copy, format);
  }

  /** This tensor, or a copy as the options say. */
  public Tensor to(TensorOptions options) {
    return to(Args.dtype(options), Args.device(options), false);
  }

  /** This tensor, or a copy as the options say; always a copy if so said. */
  public Tensor to(
      TensorOptions options, boolean nonBlocking, boolean copy, MemoryFormatOptional format) {
    return to(Args.dtype(options), Args.device(options), copy);
  }

  /** This tensor, or a copy with what is said; always a copy if so said. */
  public Tensor to(
      ScalarTypeOptional type,
      LayoutOptional layout,
      DeviceOptional device,
      BoolOptional pinned,
      boolean nonBlocking,
      boolean copy,
      MemoryFormatOptional format) {
    return to(Args.dtype(type), Args.device(device), copy);
  }

  /** This tensor, or a copy with another element type. */
  public Tensor toType(ScalarType type) {
    return to(type);
  }

  /** This tensor, or a copy on the CPU. */
  public Tensor cpu() {
    return to(new Device(torch.DeviceType.CPU));
  }

  /** A copy on the current CUDA device, where there is one. */
  public Tensor cuda() {
    return to(new Device(torch.DeviceType.CUDA));
  }

  // ---- differentiation ----

  /** Whether operators on this tensor are recorded. */
  public boolean requires_grad() {
    return Engine.requiresGrad(this);
  }

  /**
   * Says whether operators on this tensor are recorded; returns this.
   *
   * @throws TorchException for element types that are not floating-point, and for results
   */
  public Tensor requires_grad_(boolean required) {
    Engine.setRequiresGrad(this, required);
    return this;
  }

  /** Has operators on this tensor recorded; returns this. */
  public Tensor requires_grad_() {
    return requires_grad_(true);
  }

  /** Says whether operators on this tensor are recorded; returns this. */
  public Tensor set_requires_grad(boolean required) {
    return requires_grad_(required);
  }

  /** Whether this tensor was not made by a recorded operator. */
  public boolean is_leaf() {
    return Engine.isLeaf(this);
  }

  /** Whether this tensor shares the elements of another as a recorded view. */
  public boolean is_view() {
    return Engine.isView(this);
  }

  /** The tensor that this is a view of; undefined if it is not a view. */
  public Tensor _base() {
    return Access.tensor(Engine.base(this));
  }

  /** How often this tensor was changed in place. */
  public long _version() {
    return Engine.version(this);
  }

  /** The gradient that backward passes have added up; undefined as long as there is none. */
  public Tensor grad() {
    return Access.tensor(Engine.grad(this));
  }

  /** The gradient that backward passes have added up; undefined as long as there is none. */
  public Tensor mutable_grad() {
    return grad();
  }

  /** Replaces the gradient; an undefined tensor takes it away. */
  public void set_grad(Tensor gradient) {
    Engine.setGrad(this, gradient);
  }

  /** The recorded operator that made this tensor; an undefined node for a leaf. */
  public Node grad_fn() {
    return new Node(Engine.gradFn(this));
  }

  /** Has the gradient of this tensor kept in {@link #grad()} although it is a result. */
  public void retain_grad() {
    Engine.retainGrad(this);
  }

  /** Whether the gradient of this result is kept. */
  public boolean retains_grad() {
    return Engine.retainsGrad(this);
  }

  /** The same elements without history; changes in place are not seen by backward passes. */
  public Tensor data() {
    return Access.tensor(Engine.data(this));
  }

  /** The same elements without history. */
  public Tensor variable_data() {
    return data();
  }

  /** Makes this tensor another name for the elements of another. */
  public void set_data(Tensor data) {
    Engine.setData(this, data);
  }

  /**
   * Adds the gradient of this tensor, which must have one element, with respect to the leaves of
   * its record to their {@link #grad()}.
   *
   * @throws TorchException if there is more than one element, or no record
   */
  public void backward() {
    backward(null, false, false);
  }

  /** The same for a tensor of any size, given the gradient of what follows with respect to it. */
  public void backward(Tensor gradient) {
    backward(gradient, false, false);
  }

  /**
   * The same.
   *
   * @param gradient of what follows with respect to this tensor; null or undefined for 1
   * @param retainGraph whether the record may be gone through again
   * @param createGraph whether the backward pass is recorded, too
   */
  public void backward(Tensor gradient, boolean retainGraph, boolean createGraph) {
    Engine.backward(this, gradient, retainGraph, createGraph, null);
  }

  /**
   * The same.
   *
   * @param gradient of what follows with respect to this tensor; null or undefined for 1
   * @param retainGraph whether the record may be gone through again; if left out, as createGraph
   * @param createGraph whether the backward pass is recorded, too
   * @param inputs the only tensors to whose gradient is added, if given
   */
  public void backward(
      Tensor gradient,
      BoolOptional retainGraph,
      boolean createGraph,
      TensorArrayRefOptional inputs) {
    int retain = Args.flag(retainGraph);
    Engine.backward(
        this,
        gradient,
        retain == Args.NONE ? createGraph : retain == 1,
        createGraph,
        Args.tensors(inputs));
  }

  /**
   * Calls a function with the gradient of this tensor in every backward pass, as soon as it is
   * known.
   *
   * @return what takes the function away again
   */
  public HookHandle register_hook(TensorHook hook) {
    return new HookHandle(this, Engine.addHook(this, hook));
  }

  // ---- text ----

  /**
   * The elements: a number where there are no dimensions, else {@code tensor(…)} with the element
   * type unless it is {@code Float}, {@code Double}, {@code Long} or {@code Bool}. The undefined
   * tensor gives {@code None}.
   */
  @Override
  public String toString() {
    if (ref == null) {
      return "None";
    }
    if (ref.isClosed()) {
      return "tensor(<closed>)";
    }
    return Engine.format(this, false);
  }

  /** Everything: the elements, their type, and what differentiation knows of the tensor. */
  public String repr() {
    return ref == null || ref.isClosed() ? toString() : Engine.format(this, true);
  }

  @Override
  public void formatTo(Formatter formatter, int flags, int width, int precision) {
    String text = (flags & FormattableFlags.ALTERNATE) != 0 ? repr() : toString();
    if (precision >= 0 && precision < text.length()) {
      text = text.substring(0, precision);
    }
    if ((flags & FormattableFlags.UPPERCASE) != 0) {
      text = text.toUpperCase(formatter.locale());
    }
    String padding = " ".repeat(Math.max(0, width - text.length()));
    boolean left = (flags & FormattableFlags.LEFT_JUSTIFY) != 0;
    formatter.format("%s", left ? text + padding : padding + text);
  }

  // ---- identity ----

  private long identity() {
    return defined() ? Engine.identity(this) : cell;
  }

  /** Whether the other object stands for the same tensor. */
  @Override
  public final boolean equals(Object other) {
    return other == this || (other instanceof Tensor && ((Tensor) other).identity() == identity());
  }

  @Override
  public final int hashCode() {
    return Long.hashCode(identity() >> 4);
  }
}
