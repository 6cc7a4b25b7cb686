package org.onetape.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TypeException;

/** NumPy's files of several arrays. */
public final class Npz {
  private Npz() {}

  /**
   * Saves tensors under names as NumPy's {@code savez} does; the file is replaced as a whole.
   *
   * @throws TypeException if NumPy has no such element type (bfloat16)
   * @throws UncheckedIOException if the disk is full, or the file may not be written
   */
  public static void save(Map<String, Tensor> tensors, Path file) {
    Map<String, byte[]> headers = new LinkedHashMap<>();
    tensors.forEach((name, tensor) -> headers.put(name, NpyHeader.of(tensor)));
    Output.replace(
        file,
        output -> {
          ArchiveWriter archive = new ArchiveWriter(output, "");
          for (Map.Entry<String, Tensor> entry : tensors.entrySet()) {
            write(archive, entry.getKey(), headers.get(entry.getKey()), entry.getValue());
          }
          archive.close();
        });
  }

  private static void write(ArchiveWriter archive, String name, byte[] header, Tensor tensor)
      throws IOException {
    try (MemoryScope scope = new MemoryScope();
        NoGradGuard guard = new NoGradGuard()) {
      Tensor plain = tensor.contiguous();
      long start = plain.storage_offset() * plain.element_size();
      archive.write(name + ".npy", new byte[][] {header}, plain, start, plain.nbytes());
    }
  }

  /**
   * The tensors of a file under their names; compressed ones, too.
   *
   * @throws IllegalArgumentException if the file is damaged, or holds objects
   * @throws TypeException if an array's dtype has no tensor
   */
  public static Map<String, Tensor> load(Path file) {
    return load(file, false);
  }

  /** The tensors of a file; mmap: whether those that are not compressed are mapped. */
  public static Map<String, Tensor> load(Path file, boolean mmap) {
    return Source.file(file, mmap, Npz::read);
  }

  /** The tensors that the bytes of a file hold. */
  public static Map<String, Tensor> load(byte[] data) {
    return Source.bytes(data, Npz::read);
  }

  private static Map<String, Tensor> read(Source source) throws IOException {
    try {
      Archive archive = new Archive(source);
      Map<String, Tensor> made = new LinkedHashMap<>();
      for (Map.Entry<String, Archive.Entry> entry : archive.records().entrySet()) {
        String name = entry.getKey();
        name = name.endsWith(".npy") ? name.substring(0, name.length() - 4) : name;
        made.put(name, read(archive, entry.getValue()));
      }
      return made;
    } catch (ArchiveException error) {
      throw new IllegalArgumentException("load_npz: " + error.getMessage(), error);
    }
  }

  private static Tensor read(Archive archive, Archive.Entry record)
      throws IOException, ArchiveException {
    NpyHeader header = new NpyHeader(archive.head(record, 12));
    byte[] head = archive.head(record, header.data());
    int start = Math.min(header.start(), head.length);
    header.parse(java.util.Arrays.copyOfRange(head, start, head.length));
    header.check(record.size() - header.data());
    try (Tensor memory = archive.storage(record, header.data(), header.type().itemsize())) {
      return header.tensor(memory);
    }
  }
}
