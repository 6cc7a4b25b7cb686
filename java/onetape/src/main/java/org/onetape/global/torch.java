package org.onetape.global;

import org.onetape.LongArrayRef;
import org.onetape.Pointer;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.TypeMeta;
import org.onetape.internal.Args;
import org.onetape.internal.Engine;

/**
 * The static functions, spelled as in PyTorch, with the constants that they need.
 *
 * <p>Programs usually import them all:
 *
 * <pre>{@code
 * import static org.onetape.global.torch.*;
 *
 * Tensor x = tensor(new double[] {1, 2, 3}, requires_grad(true));
 * }</pre>
 */
public final class torch extends TorchConstants {
  /**
   * Element types.
   *
   * <p>Tensors of the types that are described can be made; the others can be named, and give an
   * error where they are used.
   */
  public enum ScalarType {
    /** 8-bit unsigned integers. */
    Byte(0, 1),
    /** 8-bit integers. */
    Char(1, 1),
    /** 16-bit integers. */
    Short(2, 2),
    /** 32-bit integers. */
    Int(3, 4),
    /** 64-bit integers. */
    Long(4, 8),
    /** 16-bit floating-point numbers (5 bits of exponent). */
    Half(5, 2),
    /** 32-bit floating-point numbers. */
    Float(6, 4),
    /** 64-bit floating-point numbers. */
    Double(7, 8),
    ComplexHalf(8, 4),
    /** Complex numbers of two 32-bit parts. */
    ComplexFloat(9, 8),
    /** Complex numbers of two 64-bit parts. */
    ComplexDouble(10, 16),
    /** Booleans. */
    Bool(11, 1),
    QInt8(12, 1),
    QUInt8(13, 1),
    QInt32(14, 4),
    /** 16-bit floating-point numbers (8 bits of exponent). */
    BFloat16(15, 2),
    QUInt4x2(16, 1),
    QUInt2x4(17, 1),
    Bits1x8(18, 1),
    Bits2x4(19, 1),
    Bits4x2(20, 1),
    Bits8(21, 1),
    Bits16(22, 2),
    Float8_e5m2(23, 1),
    Float8_e4m3fn(24, 1),
    Float8_e5m2fnuz(25, 1),
    Float8_e4m3fnuz(26, 1),
    UInt16(27, 2),
    UInt32(28, 4),
    UInt64(29, 8),
    UInt1(30, 1),
    UInt2(31, 1),
    UInt3(32, 1),
    UInt4(33, 1),
    UInt5(34, 1),
    UInt6(35, 1),
    UInt7(36, 1),
    Int1(37, 1),
    Int2(38, 1),
    Int3(39, 1),
    Int4(40, 1),
    Int5(41, 1),
    Int6(42, 1),
    Int7(43, 1),
    Float8_e8m0fnu(44, 1),
    Float4_e2m1fn_x2(45, 1),
    /** No type. */
    Undefined(46, 0),
    NumOptions(47, 0);

    /** The code of the type. */
    public final byte value;

    private final int bytes;

    ScalarType(int value, int bytes) {
      this.value = (byte) value;
      this.bytes = bytes;
    }

    /** This constant. */
    public ScalarType intern() {
      return this;
    }

    /** The bytes an element takes. */
    public int itemsize() {
      return bytes;
    }
  }

  /** Kinds of devices. There are the CPU and {@code Meta}; the others can be named. */
  public enum DeviceType {
    CPU(0),
    CUDA(1),
    MKLDNN(2),
    OPENGL(3),
    OPENCL(4),
    IDEEP(5),
    HIP(6),
    FPGA(7),
    MAIA(8),
    XLA(9),
    Vulkan(10),
    Metal(11),
    XPU(12),
    MPS(13),
    Meta(14),
    HPU(15),
    VE(16),
    Lazy(17),
    IPU(18),
    MTIA(19),
    PrivateUse1(20),
    COMPILE_TIME_MAX_DEVICE_TYPES(21);

    /** The code of the constant. */
    public final byte value;

    DeviceType(int value) {
      this.value = (byte) value;
    }

    /** This constant. */
    public DeviceType intern() {
      return this;
    }
  }

  /** How elements lie in memory. Only the strided layout is supported so far. */
  public enum Layout {
    Strided(0),
    Sparse(1),
    SparseCsr(2),
    Mkldnn(3),
    SparseCsc(4),
    SparseBsr(5),
    SparseBsc(6),
    Jagged(7),
    NumOptions(8);

    /** The code of the constant. */
    public final byte value;

    Layout(int value) {
      this.value = (byte) value;
    }

    /** This constant. */
    public Layout intern() {
      return this;
    }
  }

  /** The order of dimensions in memory. */
  public enum MemoryFormat {
    Contiguous(0),
    Preserve(1),
    ChannelsLast(2),
    ChannelsLast3d(3),
    NumOptions(4);

    /** The code of the constant. */
    public final byte value;

    MemoryFormat(int value) {
      this.value = (byte) value;
    }

    /** This constant. */
    public MemoryFormat intern() {
      return this;
    }
  }

  /** How a loss is reduced to one number. */
  public enum Reduction {
    None(0),
    Mean(1),
    Sum(2),
    END(3);

    /** The code of the constant. */
    public final byte value;

    Reduction(int value) {
      this.value = (byte) value;
    }

    /** This constant. */
    public Reduction intern() {
      return this;
    }
  }

  private torch() {}

  /**
   * A tensor with a copy of the elements from a pointer's position to its limit, of the pointer's
   * type: one element makes a tensor without dimensions, several make one of one dimension.
   */
  public static Tensor tensor(Pointer values) {
    return tensor(values, null);
  }

  /**
   * A tensor with a copy of the elements from a pointer's position to its limit: one element makes
   * a tensor without dimensions, several make one of one dimension.
   */
  public static Tensor tensor(Pointer values, TensorOptions options) {
    return Blobs.copy(values, options);
  }

  /**
   * A tensor of floats on the memory of a pointer, from its position on.
   *
   * <p>Changes of the one are changes of the other. The memory lives as long as the tensor does.
   *
   * @throws IllegalArgumentException if the memory is too small for the sizes
   */
  public static Tensor from_blob(Pointer memory, long... sizes) {
    return from_blob(memory, sizes, (TensorOptions) null);
  }

  /** A tensor of floats on the memory of a pointer. */
  public static Tensor from_blob(Pointer memory, LongArrayRef sizes) {
    return from_blob(memory, sizes.toArray());
  }

  /** A tensor on the memory of a pointer; the options give the element type. */
  public static Tensor from_blob(Pointer memory, long[] sizes, TensorOptions options) {
    return Blobs.share(memory, sizes, null, options);
  }

  /** A tensor on the memory of a pointer; the options give the element type. */
  public static Tensor from_blob(Pointer memory, LongArrayRef sizes, TensorOptions options) {
    return from_blob(memory, sizes.toArray(), options);
  }

  /** A tensor of floats on the memory of a pointer; the strides count elements. */
  public static Tensor from_blob(Pointer memory, long[] sizes, long... strides) {
    return from_blob(memory, sizes, strides, null);
  }

  /** A tensor on the memory of a pointer; the strides count elements. */
  public static Tensor from_blob(
      Pointer memory, long[] sizes, long[] strides, TensorOptions options) {
    return Blobs.share(memory, sizes, strides, options);
  }

  /** Prints a tensor, with its element type and size, to standard output. */
  public static void print(Tensor tensor) {
    System.out.println(tensor.repr());
  }

  /**
   * Starts the default random number generator anew.
   *
   * <p>The same seed gives the same numbers, in every language.
   */
  public static void manual_seed(long seed) {
    Engine.seed(seed);
  }

  /** The element type that floating-point numbers get where none is said. */
  public static ScalarType get_default_dtype() {
    return Args.scalarType(Engine.defaultType());
  }

  /** Sets the element type that floating-point numbers get where none is said. */
  public static void set_default_dtype(TypeMeta type) {
    set_default_dtype(type.toScalarType());
  }

  /** Sets the element type that floating-point numbers get where none is said. */
  public static void set_default_dtype(ScalarType type) {
    Engine.setDefaultType(type.value);
  }

  /** How many threads one operator may use. */
  public static int get_num_threads() {
    return Engine.threads();
  }

  /** Sets how many threads one operator may use. */
  public static void set_num_threads(int count) {
    Engine.setThreads(count);
  }

  /** Whether operators are recorded for differentiation in this thread. */
  public static boolean is_grad_enabled() {
    return Engine.gradEnabled();
  }

  /** Whether there is a CUDA device that can be used: not in this build. */
  public static boolean cuda_is_available() {
    return false;
  }

  /** The number of CUDA devices that can be used: none in this build. */
  public static long cuda_device_count() {
    return 0;
  }

  /** Whether there is a CUDA device that can be used: not in this build. */
  public static boolean hasCUDA() {
    return false;
  }

  /** Whether there is a Metal device that can be used: not in this build. */
  public static boolean hasMPS() {
    return false;
  }
}
