package org.onetape.io;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.Torch;
import org.onetape.global.torch;

/** Files are replaced as a whole or not at all, and mapped without danger. */
public class FileSafetyTest {
  private static final int COUNT = 1 << 20;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private Path path(String name) {
    return folder.getRoot().toPath().resolve(name);
  }

  private static ProcessBuilder child(String before, Class<?> main, Path file) {
    String library = System.getProperty("onetape.library");
    List<String> command = new ArrayList<>(List.of("bash", "-c", before + "exec \"$@\"", "child"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:-CreateCoredumpOnCrash");
    command.add("-XX:ErrorFile=/dev/null");
    if (library != null) {
      command.add("-Donetape.library=" + library);
    }
    String path = System.getProperty("java.class.path");
    command.addAll(List.of("-cp", path, main.getName(), file.toString()));
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  private static String run(String before, Class<?> main, Path file) throws Exception {
    Process process = child(before, main, file).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(output, 0, process.waitFor());
    return output;
  }

  /** Saves until it is killed. */
  public static final class Saving {
    private Saving() {}

    public static void main(String[] args) {
      List<Object> tensors = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        tensors.add(torch.ones(COUNT));
      }
      while (true) {
        Torch.save(tensors, Path.of(args[0]));
      }
    }
  }

  @Test
  public void aKilledSaveLeavesTheOldFile() throws Exception {
    Torch.save(Map.of("x", torch.ones(5)), path("x.pt"));
    Process process = child("", Saving.class, path("x.pt")).start();
    try {
      while (temporary() == null) {
        assertTrue("the child ended early", process.isAlive());
        Thread.sleep(1);
      }
    } finally {
      process.destroyForcibly();
      process.waitFor();
    }
    Object got = Torch.load(path("x.pt"));
    assertTrue(got instanceof Map || ((List<?>) got).size() == 64);
  }

  private String temporary() {
    String[] names = folder.getRoot().list((parent, name) -> name.endsWith(".tmp"));
    assertNotNull(names);
    return names.length == 0 ? null : names[0];
  }

  /** Saves more than there is room for. */
  public static final class Filling {
    private Filling() {}

    public static void main(String[] args) {
      try {
        Torch.save(torch.ones(COUNT), Path.of(args[0]));
      } catch (UncheckedIOException error) {
        System.out.println(error.getCause().getMessage());
      }
    }
  }

  @Test
  public void aFullDiskLeavesTheOldFile() throws Exception {
    Files.writeString(path("x"), "old");
    torch.ones(1).close(); // the library is unpacked before there is no room for it
    String output = run("ulimit -f 1000; ", Filling.class, path("x"));
    assertTrue(output, output.contains("File too large; the file there is unchanged: "));
    assertEquals("old", Files.readString(path("x")));
    assertEquals(1, folder.getRoot().list().length);
  }

  @Test
  public void filesBeyondFourGigabytes() throws IOException {
    long size = (1L << 32) + 5;
    ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 26);
    try (FileChannel channel =
        FileChannel.open(path("big"), StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
      Output holes =
          data -> {
            if (data.remaining() > 1 << 20) { // zeros that take no room
              channel.position(channel.position() + data.remaining());
              data.position(data.limit());
            } else {
              channel.write(data);
            }
          };
      ArchiveWriter archive = new ArchiveWriter(holes, "big");
      archive.write(
          "large",
          size,
          target -> {
            for (long left = size; left > 0; left -= zeros.capacity()) {
              target.write(zeros.clear().limit((int) Math.min(left, zeros.capacity())));
            }
          });
      archive.write("after", new byte[] {1, 2});
      archive.close();
    }
    byte[] after =
        Source.file(
            path("big"),
            false,
            source -> {
              try {
                Archive archive = new Archive(source);
                assertEquals(size, archive.records().get("big/large").size());
                return archive.read(archive.records().get("big/after"), 9);
              } catch (ArchiveException error) {
                throw new AssertionError(error);
              }
            });
    assertArrayEquals(new byte[] {1, 2}, after);
  }

  @Test
  public void rightsAndLinksStay() throws IOException {
    Torch.save(1, path("x.pt"));
    Files.setPosixFilePermissions(path("x.pt"), PosixFilePermissions.fromString("rw-r-----"));
    Files.createSymbolicLink(path("link.pt"), path("x.pt"));
    Torch.save(2, path("link.pt"));
    assertTrue(Files.isSymbolicLink(path("link.pt")));
    assertEquals(2L, Torch.load(path("x.pt")));
    assertEquals(
        "rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(path("x.pt"))));
  }

  @Test
  public void whatCannotBeWrittenLeavesTheOldFile() throws IOException {
    Files.writeString(path("x"), "old");
    assertThrows(
        IllegalStateException.class,
        () ->
            Output.replace(
                path("x"),
                output -> {
                  throw new IllegalStateException();
                }));
    assertEquals("old", Files.readString(path("x")));
    assertThrows(
        UncheckedIOException.class, () -> Torch.save(torch.ones(100), Path.of("/dev/full")));
    assertEquals(1, folder.getRoot().list().length);
  }

  /** Shortens a file to which tensors are mapped. */
  public static final class Shrinking {
    private Shrinking() {}

    public static void main(String[] args) throws IOException {
      Path file = Path.of(args[0]);
      Torch.save(torch.ones(COUNT), file);
      Tensor first = (Tensor) Torch.load(file, new LoadOptions().mmap(true));
      Tensor second = (Tensor) Torch.load(file, new LoadOptions().mmap(true));
      truncate(file, 8192);
      double left = first.sum().item_double();
      if (!(left > 0 && left < COUNT)) {
        throw new AssertionError(left);
      }
      first.fill_(new Scalar(2));
      double changed = first.sum().item_double();
      truncate(file, 0);
      byte[] bytes = new byte[8];
      second.data_ptr_float().asByteBuffer().get(1000, bytes); // in Java code, too
      System.out.println(changed + " " + second.sum().item_double());
    }

    private static void truncate(Path file, long size) throws IOException {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(size);
      }
    }
  }

  @Test
  public void aFileThatShrinksUnderAMap() throws Exception {
    String output = run("", Shrinking.class, path("x.pt"));
    assertTrue(output, output.endsWith(2.0 * COUNT + " 0.0\n"));
    assertTrue(output, output.contains("onetape: a file was shortened while tensors were mapped"));
  }

  @Test
  public void aMappedFileMayBeSavedAnew() {
    Torch.save(torch.ones(100_000), path("x.pt"));
    Tensor mapped = (Tensor) Torch.load(path("x.pt"), new LoadOptions().mmap(true));
    mapped.add_(new Scalar(1));
    Torch.save(mapped, path("x.pt"));
    Tensor again = (Tensor) Torch.load(path("x.pt"), new LoadOptions().mmap(true));
    assertArrayEquals(mapped.toFloatArray(), again.toFloatArray(), 0);
  }
}
