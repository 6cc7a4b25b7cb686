package org.onetape.io;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.onetape.BytePointer;
import org.onetape.Tensor;

/**
 * Tensors under names, to be saved: what {@code Module.save} writes to.
 *
 * <pre>{@code
 * OutputArchive archive = new OutputArchive();
 * model.save(archive);
 * archive.save_to("model.pt");
 * }</pre>
 *
 * <p>The file is one of a module's {@code state_dict()}, with dots between the names, which Python
 * and PyTorch load, too.
 */
public final class OutputArchive implements AutoCloseable {
  private final Map<String, Object> entries = new LinkedHashMap<>();

  /** An archive without tensors. */
  public OutputArchive() {}

  /** Puts a tensor under a name. */
  public void write(String key, Tensor tensor) {
    write(key, tensor, false);
  }

  /** Puts a parameter or a buffer under a name. */
  public void write(String key, Tensor tensor, boolean isBuffer) {
    entries.put(key, tensor);
  }

  /** Puts an archive inside of this one. */
  public void write(String key, OutputArchive nested) {
    entries.put(key, nested);
  }

  /** Saves the archive; the file is replaced as a whole. */
  public void save_to(String file) {
    OrderedDict dict = new OrderedDict();
    collect("", dict);
    Serialization.save(dict, Path.of(file));
  }

  /** Saves the archive; the file is replaced as a whole. */
  public void save_to(BytePointer file) {
    save_to(file.getString());
  }

  private void collect(String prefix, OrderedDict dict) {
    entries.forEach(
        (key, value) -> {
          if (value instanceof OutputArchive) {
            ((OutputArchive) value).collect(prefix + key + ".", dict);
          } else {
            dict.put(prefix + key, ((Tensor) value).data());
          }
        });
  }

  /** Lets go of nothing: the tensors are those that were given. */
  @Override
  public void close() {}
}
