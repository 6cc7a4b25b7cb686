package org.onetape;

import java.nio.ByteBuffer;
import java.util.Formattable;
import java.util.FormattableFlags;
import java.util.Formatter;
import org.onetape.global.torch;
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
public class Tensor extends TensorOps implements TensorForms, Formattable {
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
          protected void take(Tensor tensor) {
            if (tensor.ref() != null) {
              tensor.moveTo(RefList.current());
            }
          }

          @Override
          protected NativeRef refOf(Object owner) {
            return owner instanceof Node
                ? ((Node) owner).ref()
                : owner instanceof Generator ? ((Generator) owner).ref() : ((Tensor) owner).ref();
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

  /** The undefined tensor. */
  public Tensor() {
    this(0);
  }

  /** Another object for the same tensor. */
  public Tensor(Tensor other) {
    this(other.newHandle());
  }

  Tensor(long handle) {
    super(handle);
  }

  Tensor(long handle, RefList owner) {
    super(handle, owner);
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

  // ---- text ----

  /**
   * The elements: a number where there are no dimensions, else {@code tensor(…)} with the element
   * type unless it is {@code Float}, {@code Double}, {@code Long} or {@code Bool}. The undefined
   * tensor gives {@code None}.
   */
  @Override
  public String toString() {
    if (ref() == null) {
      return "None";
    }
    if (ref().isClosed()) {
      return "tensor(<closed>)";
    }
    return Engine.format(this, false);
  }

  /** Everything: the elements, their type, and what differentiation knows of the tensor. */
  public String repr() {
    return ref() == null || ref().isClosed() ? toString() : Engine.format(this, true);
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
}
