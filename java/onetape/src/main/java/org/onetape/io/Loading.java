package org.onetape.io;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.onetape.Device;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch.ScalarType;

/** One call of {@link Serialization#load}. */
final class Loading {
  private static final long PICKLE_LIMIT = 1 << 30;
  private static final String DAMAGED =
      "here is a high likelihood that your checkpoint file is corrupted. This can happen if the"
          + " checkpoint was not saved properly, was transferred incorrectly, or the file was"
          + " modified after saving.";

  private final Source source;
  private final Archive archive;
  private final LoadOptions options;
  private final String folder;
  private final Map<String, Tensor> memory = new HashMap<>();
  private boolean swap;

  private Loading(Source source, LoadOptions options) throws IOException, ArchiveException {
    this.source = source;
    this.options = options;
    archive = new Archive(source);
    folder =
        archive.records().isEmpty()
            ? ""
            : archive.records().keySet().iterator().next().split("/", 2)[0];
  }

  static Object load(Source source, LoadOptions options) throws IOException {
    // The storages themselves go with the scope; tensors keep what they need of them.
    try (MemoryScope scope = new MemoryScope()) {
      return new Loading(source, options).run();
    } catch (ArchiveException error) {
      throw new TorchException(
          "PytorchStreamReader failed reading zip archive: " + error.getMessage() + ". T" + DAMAGED,
          error);
    } catch (UnpicklingException error) {
      UnpicklingException told =
          new UnpicklingException("Weights only load failed. " + advice(error.getMessage()));
      told.initCause(error);
      throw told;
    }
  }

  private static String advice(String problem) {
    String text = "WeightsUnpickler error: " + problem;
    if (!problem.contains("Unsupported global") && !problem.contains("is blocked")) {
      return text;
    }
    return text
        + " Nothing that a file brings is run: files may hold tensors, numbers, strings, bytes,"
        + " lists, tuples, sets and dicts; of a module or an optimizer, save its state_dict().";
  }

  private Object run() throws IOException, ArchiveException {
    if (!options.modules() && archive.records().containsKey(folder + "/constants.pkl")) {
      throw new TorchException(
          "Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. It"
              + " is a program; save the module's state_dict() instead.");
    }
    archive.read(record("version"), 64);
    if (archive.records().containsKey(folder + "/byteorder")) {
      byte[] order = archive.read(record("byteorder"), 64);
      swap = Arrays.equals(order, new byte[] {'b', 'i', 'g'});
      if (!swap && !Arrays.equals(order, new byte[] {'l', 'i', 't', 't', 'l', 'e'})) {
        throw new IllegalArgumentException(
            "Unknown endianness type: "
                + new String(order, java.nio.charset.StandardCharsets.ISO_8859_1));
      }
    }
    long most = Math.min(PICKLE_LIMIT, source.size() * 16);
    return new PickleReader(
            archive.read(record("data.pkl"), most), this::storage, options.modules())
        .read();
  }

  private Archive.Entry record(String name) {
    Archive.Entry entry = archive.records().get(folder + "/" + name);
    if (entry == null) {
      throw new TorchException(
          "PytorchStreamReader failed locating file "
              + name
              + ": file not found. This is an internal miniz error. If you are seeing this error, t"
              + DAMAGED);
    }
    return entry;
  }

  private Rebuild.Storage storage(String kind, String key, String place, long count)
      throws IOException, ArchiveException {
    boolean untyped = kind.equals("torch.storage.UntypedStorage");
    ScalarType type = untyped ? ScalarType.Byte : null;
    if (kind.startsWith("torch.") && !untyped) {
      type = Names.ofStorage(kind.substring("torch.".length()));
    }
    if (type == null) {
      throw new UnpicklingException("a storage of class " + kind);
    }
    Archive.Entry entry = record("data/" + key);
    if (count > Long.MAX_VALUE / 16 || entry.size() != count * type.itemsize()) {
      throw new TorchException(
          String.format(
              "record size (%d bytes) does not match expected size (%d elements * %d"
                  + " bytes/element) for dtype %s",
              entry.size(), count, type.itemsize(), type));
    }
    Device device = restore(options.placeOf(place));
    Tensor data = memory.get(key);
    if (data == null) {
      data = archive.storage(entry, 0, type.itemsize());
      if (swap) {
        data = data.clone();
        Memory.swap(data, Names.width(type));
      }
      memory.put(key, data);
    }
    return new Rebuild.Storage(data.to(device), type, entry.size());
  }

  /** The device of a name; refuses those that there are not. */
  private static Device restore(String place) {
    String kind = place.split(":", 2)[0];
    if (kind.equals("cuda")) {
      throw new TorchException(
          "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is"
              + " False. If you are running on a CPU-only machine, please use torch.load with"
              + " map_location=torch.device('cpu') to map your storages to the CPU.");
    }
    if (!kind.equals("cpu") && !kind.equals("meta")) {
      throw new TorchException(
          "don't know how to restore data location of torch.storage.UntypedStorage (tagged with "
              + place
              + ")");
    }
    return new Device(kind);
  }
}
