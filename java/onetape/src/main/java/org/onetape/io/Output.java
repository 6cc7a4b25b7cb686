package org.onetape.io;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.onetape.TorchException;

/** What bytes are written to. */
interface Output {
  /** Writes what remains of a buffer. */
  void write(ByteBuffer data) throws IOException;

  /** What writes a file. */
  interface Writer {
    void writeTo(Output output) throws IOException;
  }

  /** Output to a stream. */
  static Output to(OutputStream stream) {
    return data -> {
      byte[] bytes = new byte[1 << 16];
      while (data.hasRemaining()) {
        int count = Math.min(bytes.length, data.remaining());
        data.get(bytes, 0, count);
        stream.write(bytes, 0, count);
      }
    };
  }

  /** Output to a channel. */
  static Output to(WritableByteChannel channel) {
    return data -> {
      while (data.hasRemaining()) {
        channel.write(data);
      }
    };
  }

  /** Writes to a stream. */
  static void stream(OutputStream stream, Writer writer) {
    try {
      writer.writeTo(to(stream));
      stream.flush();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /**
   * Writes a file that takes the place of another when all is on the disk, and is gone if the
   * writer fails, so that there always is the old file or the new one. A link stays one; what is no
   * regular file, such as a pipe, is written directly.
   *
   * @throws TorchException if the folder does not exist, or the path is a folder
   * @throws UncheckedIOException for a full disk and missing rights
   */
  static void replace(Path path, Writer writer) {
    try {
      Path place = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
      Path folder = place.getParent();
      if (folder == null || !Files.isDirectory(folder)) {
        throw new TorchException("Parent directory " + path.getParent() + " does not exist.");
      }
      if (Files.isDirectory(place)) {
        throw new TorchException("open file failed with strerror: Is a directory: '" + path + "'");
      }
      if (Files.exists(place) && !Files.isRegularFile(place)) {
        try (FileChannel direct = FileChannel.open(place, StandardOpenOption.WRITE)) {
          writer.writeTo(to(direct));
        }
        return;
      }
      replace(path, place, folder, writer);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static void replace(Path path, Path place, Path folder, Writer writer)
      throws IOException {
    boolean old = Files.exists(place);
    Path temporary = fresh(folder, place.getFileName().toString());
    try {
      try (FileChannel channel =
          FileChannel.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
        if (old) {
          keepRights(place, temporary);
        }
        writer.writeTo(to(channel));
        channel.force(true);
      }
      Files.move(temporary, place, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException error) {
      Files.deleteIfExists(temporary);
      throw error instanceof FileSystemException
          ? error
          : new IOException(
              error.getMessage() + (old ? "; the file there is unchanged: '" : ": '") + path + "'",
              error);
    } catch (RuntimeException | Error error) {
      Files.deleteIfExists(temporary);
      throw error;
    }
    syncFolder(folder);
  }

  private static Path fresh(Path folder, String name) {
    String start = name.length() > 100 ? name.substring(0, 100) : name;
    String random = Long.toString(System.nanoTime() ^ (long) (Math.random() * (1L << 62)), 36);
    return folder.resolve("." + start + "." + random + ".tmp");
  }

  private static void keepRights(Path from, Path to) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(to, PosixFileAttributeView.class);
    if (view != null) {
      Set<PosixFilePermission> rights = Files.getPosixFilePermissions(from);
      view.setPermissions(rights);
    }
  }

  /** Has the new name on the disk; file systems that cannot say so are left alone. */
  private static void syncFolder(Path folder) {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException error) {
      // The file is there; only how soon its name is on the disk is not known.
      return;
    }
  }
}
