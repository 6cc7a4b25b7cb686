package org.onetape.global;

import org.onetape.Device;
import org.onetape.TensorOptions;
import org.onetape.TypeMeta;
import org.onetape.global.torch.DeviceType;
import org.onetape.global.torch.Layout;
import org.onetape.global.torch.MemoryFormat;
import org.onetape.global.torch.ScalarType;

/** Constants, and options that say one thing. */
abstract class TorchConstants extends TorchSequences {
  /** The element type Byte. */
  public static ScalarType kByte() {
    return ScalarType.Byte;
  }

  /** The element type Char. */
  public static ScalarType kChar() {
    return ScalarType.Char;
  }

  /** The element type Short. */
  public static ScalarType kShort() {
    return ScalarType.Short;
  }

  /** The element type Int. */
  public static ScalarType kInt() {
    return ScalarType.Int;
  }

  /** The element type Long. */
  public static ScalarType kLong() {
    return ScalarType.Long;
  }

  /** The element type Half. */
  public static ScalarType kHalf() {
    return ScalarType.Half;
  }

  /** The element type Float. */
  public static ScalarType kFloat() {
    return ScalarType.Float;
  }

  /** The element type Double. */
  public static ScalarType kDouble() {
    return ScalarType.Double;
  }

  /** The element type Bool. */
  public static ScalarType kBool() {
    return ScalarType.Bool;
  }

  /** The element type BFloat16. */
  public static ScalarType kBFloat16() {
    return ScalarType.BFloat16;
  }

  /** The element type ComplexFloat. */
  public static ScalarType kComplexFloat() {
    return ScalarType.ComplexFloat;
  }

  /** The element type ComplexDouble. */
  public static ScalarType kComplexDouble() {
    return ScalarType.ComplexDouble;
  }

  /** The device type CPU. */
  public static DeviceType kCPU() {
    return DeviceType.CPU;
  }

  /** The device type CUDA. */
  public static DeviceType kCUDA() {
    return DeviceType.CUDA;
  }

  /** The device type MPS. */
  public static DeviceType kMPS() {
    return DeviceType.MPS;
  }

  /** The device type Meta. */
  public static DeviceType kMeta() {
    return DeviceType.Meta;
  }

  /** The ordinary layout. */
  public static Layout kStrided() {
    return Layout.Strided;
  }

  /** Options that say whether a new tensor takes part in differentiation. */
  public static TensorOptions requires_grad(boolean required) {
    return new TensorOptions().requires_grad(required);
  }

  /** Options for a new tensor that takes part in differentiation. */
  public static TensorOptions requires_grad() {
    return requires_grad(true);
  }

  /** Options that give the element type of a new tensor. */
  public static TensorOptions dtype(ScalarType type) {
    return new TensorOptions(type);
  }

  /** Options that give the element type of a new tensor. */
  public static TensorOptions dtype(TypeMeta type) {
    return new TensorOptions(type);
  }

  /** Options that give the device of a new tensor. */
  public static TensorOptions device(Device device) {
    return new TensorOptions(device);
  }

  /** Options that give the layout of a new tensor. */
  public static TensorOptions layout(Layout layout) {
    return new TensorOptions(layout);
  }

  /** Options that give the order of dimensions in memory of a new tensor. */
  public static TensorOptions memory_format(MemoryFormat format) {
    return new TensorOptions(format);
  }
}
