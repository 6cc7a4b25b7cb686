package org.onetape.io;

import java.util.Map;
import java.util.function.UnaryOperator;
import org.onetape.Device;

/** How {@link Serialization#load} reads a file. */
public final class LoadOptions {
  private UnaryOperator<String> location = UnaryOperator.identity();
  private boolean mmap;
  private boolean modules;

  /** Reads the file, and leaves storages where they were. */
  public LoadOptions() {}

  /** Puts every storage on a device; returns this. */
  public LoadOptions mapLocation(Device device) {
    String name = device.toString();
    return mapLocation(place -> name);
  }

  /** Puts storages of some devices on others, such as {@code "cuda:0"} on {@code "cpu"}. */
  public LoadOptions mapLocation(Map<String, String> devices) {
    return mapLocation(place -> devices.getOrDefault(place, place));
  }

  /** Puts storages where a function of their device says; returns this. */
  public LoadOptions mapLocation(UnaryOperator<String> devices) {
    location = devices;
    return this;
  }

  /**
   * Maps the file instead of reading it: elements come from the disk when they are first used.
   * Changes of the tensors do not change the file. Returns this.
   */
  public LoadOptions mmap(boolean wanted) {
    mmap = wanted;
    return this;
  }

  /** Reads the modules of PyTorch's C++ archives as dicts; returns this. */
  LoadOptions withModules() {
    modules = true;
    return this;
  }

  boolean modules() {
    return modules;
  }

  boolean mmap() {
    return mmap;
  }

  String placeOf(String saved) {
    return location.apply(saved);
  }
}
