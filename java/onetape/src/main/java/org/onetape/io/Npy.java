package org.onetape.io;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TypeException;

/** NumPy's files of one array. */
public final class Npy {
  private Npy() {}

  /**
   * Saves a tensor as NumPy's {@code save} does; the file is replaced as a whole.
   *
   * @throws TypeException if NumPy has no such element type (bfloat16)
   * @throws UncheckedIOException if the disk is full, or the file may not be written
   */
  public static void save(Tensor tensor, Path file) {
    byte[] header = NpyHeader.of(tensor);
    Output.replace(file, output -> write(output, header, tensor));
  }

  /** Saves a tensor to a stream, which stays open. */
  public static void save(Tensor tensor, OutputStream stream) {
    byte[] header = NpyHeader.of(tensor);
    Output.stream(stream, output -> write(output, header, tensor));
  }

  private static void write(Output output, byte[] header, Tensor tensor) throws IOException {
    output.write(ByteBuffer.wrap(header));
    try (MemoryScope scope = new MemoryScope();
        NoGradGuard guard = new NoGradGuard()) {
      Tensor plain = tensor.contiguous();
      Memory.each(
          plain, plain.storage_offset() * plain.element_size(), plain.nbytes(), output::write);
    }
  }

  /**
   * The tensor of a file; arrays in Fortran's order and of the other byte order, too.
   *
   * @throws IllegalArgumentException if the file is damaged, or holds objects
   * @throws TypeException if the array's dtype has no tensor
   */
  public static Tensor load(Path file) {
    return load(file, false);
  }

  /**
   * The tensor of a file.
   *
   * @param mmap whether elements come from the disk when they are first used; changes of the tensor
   *     do not change the file
   */
  public static Tensor load(Path file, boolean mmap) {
    return Source.file(file, mmap, Npy::read);
  }

  /** The tensor that the bytes of a file hold. */
  public static Tensor load(byte[] data) {
    return Source.bytes(data, Npy::read);
  }

  private static Tensor read(Source source) throws IOException {
    NpyHeader header = new NpyHeader(source.read(0, Math.min(source.size(), 12)));
    long there = Math.max(0, source.size() - header.start());
    header.parse(source.read(header.start(), Math.min(header.length(), there)));
    header.check(source.size() - header.data());
    try (Tensor memory = source.storage(header.data(), header.bytes(), header.type().itemsize())) {
      return header.tensor(memory);
    }
  }
}
