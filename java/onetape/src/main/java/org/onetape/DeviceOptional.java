package org.onetape;

/** A device that may be left out; without one, the default device is meant. */
public final class DeviceOptional extends OptionalValue<Device> {
  /** No value. */
  public DeviceOptional() {
    super(null);
  }

  /** The given value. */
  public DeviceOptional(Device value) {
    super(value);
  }

  /** A copy of another optional. */
  public DeviceOptional(DeviceOptional other) {
    super(valueOf(other));
  }

  /**
   * The value.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public Device get() {
    return require();
  }

  /** Replaces the value; returns this. */
  public DeviceOptional put(Device value) {
    set(value);
    return this;
  }

  /** Takes over what the other holds, value or none; returns this. */
  public DeviceOptional put(DeviceOptional other) {
    set(valueOf(other));
    return this;
  }
}
