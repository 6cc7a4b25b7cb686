package org.onetape;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.onetape.global.torch.DeviceType;

/**
 * Where a tensor's elements live: {@code cpu}, or an accelerator such as {@code cuda:0}.
 *
 * <p>Any device can be named; operations on one that this build does not support fail with a clear
 * error.
 */
public final class Device extends Value {
  /** The names that are read, in the order of PyTorch's error text. */
  private static final List<String> KNOWN =
      List.of(
          "cpu",
          "cuda",
          "ipu",
          "xpu",
          "mkldnn",
          "opengl",
          "opencl",
          "ideep",
          "hip",
          "ve",
          "fpga",
          "maia",
          "xla",
          "lazy",
          "vulkan",
          "mps",
          "meta",
          "hpu",
          "mtia",
          "privateuseone");

  private final DeviceType type;
  private final byte index;

  /** The current device of a type. */
  public Device(DeviceType type) {
    this(type, (byte) -1);
  }

  /**
   * A numbered device of a type.
   *
   * @param index its number, or -1 for the current one
   */
  public Device(DeviceType type, byte index) {
    Objects.requireNonNull(type, "argument 'type' is null");
    if (index < -1) {
      throw new IllegalArgumentException("Device index must be -1 or non-negative, got " + index);
    }
    if (type == DeviceType.CPU && index > 0) {
      throw new IllegalArgumentException("CPU device index must be -1 or zero, got " + index);
    }
    this.type = type;
    this.index = index;
  }

  /**
   * A device by name.
   *
   * @param name such as {@code cpu}, {@code cuda} or {@code cuda:1}
   * @throws TorchException if the name is not one of a device
   */
  public Device(String name) {
    this(parseType(name), parseIndex(name));
  }

  /** The same device as another. */
  public Device(Device other) {
    this(other.type, other.index);
  }

  /** The type of device. */
  public DeviceType type() {
    return type;
  }

  /** The number of the device among those of its type, or -1 where none was given. */
  public byte index() {
    return index;
  }

  /** Whether a number was given. */
  public boolean has_index() {
    return index >= 0;
  }

  /** Whether this is the CPU. */
  public boolean is_cpu() {
    return type == DeviceType.CPU;
  }

  /** Whether this is a CUDA device. */
  public boolean is_cuda() {
    return type == DeviceType.CUDA;
  }

  /** Whether this is a Metal device. */
  public boolean is_mps() {
    return type == DeviceType.MPS;
  }

  /** Whether this is the device without memory. */
  public boolean is_meta() {
    return type == DeviceType.Meta;
  }

  /** The name, such as {@code cuda:0}. */
  public BytePointer str() {
    return new BytePointer(toString());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Device
        && ((Device) other).type == type
        && ((Device) other).index == index;
  }

  /** Whether this is the same device as the other. */
  public boolean equals(Device other) {
    return equals((Object) other);
  }

  /** Whether this is another device than the other. */
  public boolean notEquals(Device other) {
    return !equals(other);
  }

  @Override
  public int hashCode() {
    return 31 * type.value + index;
  }

  /** The name, such as {@code cuda:0}. */
  @Override
  public String toString() {
    return nameOf(type) + (index < 0 ? "" : ":" + index);
  }

  private static DeviceType parseType(String name) {
    Objects.requireNonNull(name, "argument 'name' is null");
    int colon = name.indexOf(':');
    String word = colon < 0 ? name : name.substring(0, colon);
    for (DeviceType type : DeviceType.values()) {
      if (nameOf(type).equals(word) && KNOWN.contains(word)) {
        return type;
      }
    }
    if (!word.matches("[a-zA-Z_]+")) {
      throw new TorchException("Invalid device string: '" + name + "'");
    }
    throw new TorchException(
        "Expected one of "
            + String.join(", ", KNOWN)
            + " device type at start of device string: "
            + word);
  }

  private static String nameOf(DeviceType type) {
    return type == DeviceType.PrivateUse1 ? "privateuseone" : type.name().toLowerCase(Locale.ROOT);
  }

  private static byte parseIndex(String name) {
    int colon = name.indexOf(':');
    if (colon < 0) {
      return -1;
    }
    String digits = name.substring(colon + 1);
    if (!digits.matches("0|[1-9][0-9]{0,2}") || Integer.parseInt(digits) > Byte.MAX_VALUE) {
      throw new TorchException("Invalid device string: '" + name + "'");
    }
    return Byte.parseByte(digits);
  }
}
