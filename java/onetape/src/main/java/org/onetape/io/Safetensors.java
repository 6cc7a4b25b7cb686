package org.onetape.io;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.onetape.StringTensorDict;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.TypeException;
import org.onetape.internal.Engine;

/**
 * Safetensors files: names and tensors, without anything that could run.
 *
 * <pre>{@code
 * Safetensors.save(Map.of("weight", weight), Path.of("model.safetensors"));
 * Tensor weight = Safetensors.load(Path.of("model.safetensors")).get("weight");
 * }</pre>
 */
public final class Safetensors {
  private Safetensors() {}

  private static final String METADATA = "__metadata__";

  // ---- writing ----

  /**
   * Saves tensors under names; the file is replaced as a whole, and if that fails the old one is
   * still there.
   *
   * @throws IllegalArgumentException if a tensor is not contiguous
   * @throws TorchException if two tensors share memory
   * @throws TypeException if the format has no such element type
   * @throws UncheckedIOException if the disk is full, or the file may not be written
   */
  public static void save(Map<String, Tensor> tensors, Path file) {
    save(tensors, file, null);
  }

  /** Saves the state of a module, like {@link #save(Map, Path)}. */
  public static void save(StringTensorDict tensors, Path file) {
    Map<String, Tensor> map = new LinkedHashMap<>();
    tensors.iterator().forEachRemaining(i -> map.put(i.key().getString(), i.value()));
    save(map, file, null);
  }

  /** Saves tensors and texts under names, like {@link #save(Map, Path)}. */
  public static void save(Map<String, Tensor> tensors, Path file, Map<String, String> metadata) {
    List<String> names = order(tensors);
    byte[] header = header(tensors, names, metadata);
    Output.replace(file, output -> write(output, header, tensors, names));
  }

  /** The bytes of the file that {@link #save(Map, Path, Map)} would write. */
  public static byte[] save(Map<String, Tensor> tensors, Map<String, String> metadata) {
    List<String> names = order(tensors);
    byte[] header = header(tensors, names, metadata);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Output.stream(bytes, output -> write(output, header, tensors, names));
    return bytes.toByteArray();
  }

  private static void write(
      Output output, byte[] header, Map<String, Tensor> tensors, List<String> names)
      throws IOException {
    ByteBuffer size = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
    output.write(size.putLong(header.length).flip());
    output.write(ByteBuffer.wrap(header));
    for (String name : names) {
      Tensor tensor = tensors.get(name);
      long start = tensor.storage_offset() * tensor.element_size();
      Memory.each(tensor, start, tensor.nbytes(), output::write);
    }
  }

  /** The names in the order of the data: large elements first, so that all are aligned. */
  private static List<String> order(Map<String, Tensor> tensors) {
    tensors.forEach(Safetensors::check);
    checkShared(tensors);
    List<String> names = new ArrayList<>(tensors.keySet());
    names.sort(
        Comparator.comparingInt((String name) -> -rank(tensors.get(name)))
            .thenComparing(Comparator.naturalOrder()));
    return names;
  }

  private static int rank(Tensor tensor) {
    return Names.RANKS.indexOf(Names.safetensors(tensor.scalar_type()));
  }

  private static void check(String name, Tensor tensor) {
    if (name == null || name.equals(METADATA)) {
      throw new IllegalArgumentException("Key `" + name + "` is invalid");
    }
    if (Names.safetensors(tensor.scalar_type()) == null) {
      throw new TypeException(
          "tensor `" + name + "`: safetensors files have no type " + tensor.scalar_type());
    }
    if (!tensor.is_contiguous()) {
      throw new IllegalArgumentException(
          "You are trying to save a non contiguous tensor: `"
              + name
              + "` which is not allowed. It either means you are trying to save tensors which are"
              + " reference of each other in which case it's recommended to save only the full"
              + " tensors, and reslice at load time, or simply call `.contiguous()` on your tensor"
              + " to pack it before saving.");
    }
  }

  private static void checkShared(Map<String, Tensor> tensors) {
    Map<Long, List<String>> owners = new HashMap<>();
    tensors.forEach(
        (name, tensor) -> {
          if (tensor.numel() > 0) {
            long address = Engine.storageAddress(tensor);
            owners.computeIfAbsent(address, key -> new ArrayList<>()).add(name);
          }
        });
    owners.values().removeIf(names -> names.size() < 2);
    if (!owners.isEmpty()) {
      throw new TorchException(
          "Some tensors share memory, this will lead to duplicate memory on disk and potential"
              + " differences when loading them again: "
              + owners.values()
              + ". Save one of them, or clones.");
    }
  }

  private static byte[] header(
      Map<String, Tensor> tensors, List<String> names, Map<String, String> metadata) {
    Map<String, Object> entries = new LinkedHashMap<>();
    if (metadata != null) {
      entries.put(METADATA, metadata);
    }
    long at = 0;
    for (String name : names) {
      Tensor tensor = tensors.get(name);
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("dtype", Names.safetensors(tensor.scalar_type()));
      entry.put("shape", Arrays.stream(tensor.shape()).boxed().toList());
      entry.put("data_offsets", List.of(at, at + tensor.nbytes()));
      entries.put(name, entry);
      at += tensor.nbytes();
    }
    byte[] text = Json.write(entries).getBytes(StandardCharsets.UTF_8);
    byte[] padded = Arrays.copyOf(text, (text.length + 7) / 8 * 8);
    Arrays.fill(padded, text.length, padded.length, (byte) ' ');
    return padded;
  }

  // ---- reading ----

  /**
   * The tensors of a file under their names. The file is mapped: elements come from the disk when
   * they are first used, and changes of the tensors do not change the file.
   *
   * @throws SafetensorException if the file is damaged, or has an element type that there is not
   */
  public static Map<String, Tensor> load(Path file) {
    return load(file, true);
  }

  /** The tensors of a file under their names; mmap: whether the file is mapped, or read. */
  public static Map<String, Tensor> load(Path file, boolean mmap) {
    return Source.file(file, mmap, Safetensors::tensors);
  }

  /** The tensors that the bytes of a file hold. */
  public static Map<String, Tensor> load(byte[] data) {
    return Source.bytes(data, Safetensors::tensors);
  }

  /** The texts that were saved with the tensors; null if there are none. */
  public static Map<String, String> metadata(Path file) {
    return Source.file(file, false, source -> new SafetensorsHeader(source).metadata());
  }

  private static Map<String, Tensor> tensors(Source source) throws IOException {
    SafetensorsHeader header = new SafetensorsHeader(source);
    Map<String, Tensor> made = new LinkedHashMap<>();
    for (SafetensorsHeader.Entry entry : header.entries()) {
      long start = header.start() + entry.start();
      try (Tensor memory =
          source.storage(start, entry.end() - entry.start(), entry.type().itemsize())) {
        long[] strides = Memory.strides(entry.shape(), false);
        made.put(entry.name(), Memory.placed(memory, entry.type(), entry.shape(), strides, 0));
      }
    }
    return made;
  }
}
