package org.onetape.io;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.Test;
import org.onetape.TorchException;
import org.onetape.fuzz.FileFuzz;

/** Damaged files end in tensors or in the errors that the readers promise. */
public class DamagedFilesTest {
  private final FileFuzz fuzz = new FileFuzz(GoldenObjects.file(""));

  public DamagedFilesTest() throws IOException {}

  @Test
  public void everyCutIsAnError() throws IOException {
    for (String name :
        new String[] {
          "big_endian.pt", "deflated.pt", "dtypes.safetensors", "scalar.npy", "compressed.npz"
        }) {
      byte[] data = Files.readAllBytes(GoldenObjects.file(name));
      for (int size = 0; size < data.length; size++) {
        assertNotEquals(name + size, "read", fuzz.read(name, Arrays.copyOf(data, size), 0));
      }
      assertEquals("read", fuzz.read(name, data, 0));
    }
  }

  @Test
  public void randomDamageIsAnError() throws IOException {
    int read = 0;
    for (int seed = 0; seed < 3000; seed++) {
      read += fuzz.run(seed).equals("read") ? 1 : 0;
    }
    assertTrue("some must be read, and some not: " + read, read > 100 && read < 2900);
  }

  @Test
  public void bombsDoNotGoOff() throws IOException {
    byte[] bomb = bomb(50_000_000);
    TorchException error =
        assertThrows(TorchException.class, () -> Serialization.load(bomb, new LoadOptions()));
    assertTrue(error.getMessage().contains("is too large: 50000000 bytes"));
    byte[] small = bomb(1000);
    int entry = new String(small, StandardCharsets.ISO_8859_1).indexOf("PK\1\2");
    for (int size : new int[] {Integer.MAX_VALUE, 2000}) {
      ByteBuffer.wrap(small).order(ByteOrder.LITTLE_ENDIAN).putInt(entry + 24, size);
      error =
          assertThrows(TorchException.class, () -> Serialization.load(small, new LoadOptions()));
      assertTrue(
          error.getMessage(),
          error.getMessage().contains(size == 2000 ? "does not have the size" : "impossible"));
    }
  }

  private static byte[] bomb(int size) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(bytes)) {
      out.putNextEntry(new ZipEntry("x/data.pkl"));
      out.write(new byte[size]);
      out.putNextEntry(new ZipEntry("x/version"));
      out.write('3');
    }
    return bytes.toByteArray();
  }
}
