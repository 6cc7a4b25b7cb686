package org.onetape.io;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.internal.Access;
import org.onetape.internal.Engine;

/** A file or bytes, read from any place. */
final class Source implements AutoCloseable {
  private final String name;
  private final FileChannel channel;
  private final byte[] bytes;
  private final long size;
  private final Tensor mapped;

  private Source(String name, FileChannel channel, byte[] bytes, long size, Tensor mapped) {
    this.name = name;
    this.channel = channel;
    this.bytes = bytes;
    this.size = size;
    this.mapped = mapped;
  }

  /** What reads from a source. */
  interface Reader<T> {
    T read(Source source) throws IOException;
  }

  /**
   * Reads from a file, which is mapped if so said.
   *
   * @throws UncheckedIOException if there is no such file, or it may not be read
   */
  static <T> T file(Path path, boolean map, Reader<T> reader) {
    try {
      if (Files.isDirectory(path)) {
        throw new IOException("Is a directory: '" + path + "'");
      }
      if (!Files.isRegularFile(path) && Files.exists(path)) {
        return bytes(Files.readAllBytes(path), reader); // a pipe has no places
      }
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
        long size = channel.size();
        Tensor mapped =
            map && size > 0 ? Access.tensor(Engine.mapFile(path.toString(), size)) : null;
        try (Source source = new Source("'" + path + "'", channel, null, size, mapped)) {
          return reader.read(source);
        }
      }
    } catch (NoSuchFileException error) {
      NoSuchFileException told =
          new NoSuchFileException("[Errno 2] No such file or directory: '" + path + "'");
      told.initCause(error);
      throw new UncheckedIOException(told);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** Reads from bytes. */
  static <T> T bytes(byte[] bytes, Reader<T> reader) {
    try (Source source = new Source("the data", null, bytes, bytes.length, null)) {
      return reader.read(source);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** Reads from all that a stream gives. */
  static <T> T stream(InputStream stream, Reader<T> reader) {
    try {
      return bytes(stream.readAllBytes(), reader);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  String name() {
    return name;
  }

  long size() {
    return size;
  }

  /** Fills what remains of a buffer with the bytes from a place on. */
  void fill(long offset, ByteBuffer target) throws IOException {
    if (bytes != null) {
      target.put(bytes, (int) offset, target.remaining());
      return;
    }
    while (target.hasRemaining()) {
      int count = channel.read(target, offset);
      if (count < 0) {
        throw new TorchException(
            name + " ended early: " + target.remaining() + " bytes are missing");
      }
      offset += count;
    }
  }

  /** Bytes from a place on; the callers have compared the count with the size. */
  byte[] read(long offset, long count) throws IOException {
    byte[] data = new byte[(int) count];
    fill(offset, ByteBuffer.wrap(data));
    return data;
  }

  /**
   * Bytes from a place on as a tensor that is all of its storage: those of the file if it is mapped
   * and elements may begin at that place, else copies.
   */
  Tensor storage(long offset, long count, int alignment) throws IOException {
    if (mapped != null && count > 0 && offset % alignment == 0) {
      return Access.tensor(Engine.storagePart(mapped, offset, count));
    }
    Tensor made = Memory.allocate(count);
    long[] at = {offset};
    Memory.each(
        made,
        0,
        count,
        part -> {
          int size = part.remaining();
          fill(at[0], part);
          at[0] += size;
        });
    return made;
  }

  @Override
  public void close() {
    if (mapped != null) {
      mapped.close();
    }
  }
}
