package org.onetape.io;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.onetape.BytePointer;
import org.onetape.Device;
import org.onetape.DeviceOptional;
import org.onetape.NoGradGuard;
import org.onetape.StringVector;
import org.onetape.Tensor;
import org.onetape.TorchException;

/**
 * Tensors under names, from a file: what {@code Module.load} reads from.
 *
 * <pre>{@code
 * InputArchive archive = new InputArchive();
 * archive.load_from("model.pt");
 * model.load(archive);
 * }</pre>
 *
 * <p>The file is one of {@link OutputArchive}, of a module's {@code state_dict()} that Python or
 * PyTorch saved, or one that the archives of PyTorch's C++ or of JavaCPP wrote.
 */
public final class InputArchive implements AutoCloseable {
  private static final int MOST_NAME = 1000;

  private final Map<String, Tensor> tensors = new LinkedHashMap<>();
  private String prefix = "";

  /** An archive without tensors. */
  public InputArchive() {}

  /**
   * Reads a file.
   *
   * @throws TorchException if it holds something else than tensors under names
   */
  public void load_from(String file) {
    load_from(file, new DeviceOptional());
  }

  /** Reads a file. */
  public void load_from(BytePointer file) {
    load_from(file.getString());
  }

  /** Reads a file, and puts its tensors on a device. */
  public void load_from(String file, Device device) {
    load_from(file, new DeviceOptional(device));
  }

  /** Reads a file, and puts its tensors on a device if one is given. */
  public void load_from(String file, DeviceOptional device) {
    LoadOptions options = new LoadOptions().withModules();
    if (device != null && device.has_value()) {
      options.mapLocation(device.get());
    }
    Object saved = Serialization.load(Path.of(file), options);
    if (!(saved instanceof Map)) {
      throw new TorchException("'" + file + "' holds no tensors under names");
    }
    collect("", (Map<?, ?>) saved, file);
  }

  /** Takes the tensors of a map and of the maps in it, with dots between the names. */
  private void collect(String start, Map<?, ?> saved, String file) {
    if (start.length() > MOST_NAME) {
      throw new TorchException("'" + file + "' is nested too deeply");
    }
    saved.forEach(
        (key, value) -> {
          if (key instanceof String && value instanceof OrderedDict) {
            collect(start + key + ".", (Map<?, ?>) value, file);
          } else if (key instanceof String && value instanceof Tensor) {
            tensors.put(start + key, (Tensor) value);
          } else {
            throw new TorchException("'" + file + "' holds no tensor under " + start + key);
          }
        });
  }

  /** Copies the tensor of a name into a tensor, if there is one; whether there was. */
  public boolean try_read(String key, Tensor tensor) {
    Tensor saved = tensors.get(prefix + key);
    if (saved == null) {
      return false;
    }
    try (NoGradGuard guard = new NoGradGuard()) {
      if (!saved.sizes().equals(tensor.sizes())) {
        throw new TorchException(
            String.format(
                "size mismatch for %s: copying a param with shape torch.Size(%s) from checkpoint,"
                    + " the shape in current model is torch.Size(%s).",
                prefix + key, saved.sizes(), tensor.sizes()));
      }
      tensor.copy_(saved);
    }
    return true;
  }

  /**
   * Copies the tensor of a name into a tensor.
   *
   * @throws TorchException if there is none, or it has another shape
   */
  public void read(String key, Tensor tensor) {
    if (!try_read(key, tensor)) {
      throw new TorchException("No such serialized tensor '" + prefix + key + "'");
    }
  }

  /** The same for a parameter or a buffer. */
  public void read(String key, Tensor tensor, boolean isBuffer) {
    read(key, tensor);
  }

  /** Makes another archive the part of this one under a name, if there is one; whether there is. */
  public boolean try_read(String key, InputArchive nested) {
    String start = prefix + key + ".";
    if (tensors.keySet().stream().noneMatch(name -> name.startsWith(start))) {
      return false;
    }
    nested.tensors.clear();
    nested.tensors.putAll(tensors);
    nested.prefix = start;
    return true;
  }

  /**
   * Makes another archive the part of this one under a name.
   *
   * @throws TorchException if there is none
   */
  public void read(String key, InputArchive nested) {
    if (!try_read(key, nested)) {
      throw new TorchException("No such serialized submodule: '" + prefix + key + "'");
    }
  }

  /** The names of the tensors and of the archives inside of this one. */
  public StringVector keys() {
    Set<String> keys = new LinkedHashSet<>();
    for (String name : tensors.keySet()) {
      if (name.startsWith(prefix)) {
        keys.add(name.substring(prefix.length()).split("\\.", 2)[0]);
      }
    }
    return new StringVector(keys.toArray(new String[0]));
  }

  /** Lets go of the tensors. */
  @Override
  public void close() {
    tensors.values().forEach(Tensor::close);
  }
}
