package org.onetape.io;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.onetape.LongArrayRef;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.TypeException;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

/** Safetensors, npy and npz: those of the usual libraries are read, and ours are theirs. */
public class TensorFilesTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private Path path(String name) {
    return folder.getRoot().toPath().resolve(name);
  }

  private static Map<String, Tensor> without(ScalarType missing) {
    Map<String, Tensor> made = new LinkedHashMap<>();
    for (ScalarType type : GoldenObjects.TYPES) {
      if (type != missing) {
        made.put(Names.dtype(type), GoldenObjects.numbers(type));
      }
    }
    return made;
  }

  private static void assertSame(Map<String, Tensor> want, Map<String, Tensor> got) {
    assertEquals(want.keySet(), got.keySet());
    want.forEach(
        (name, tensor) -> {
          assertEquals(tensor.scalar_type(), got.get(name).scalar_type());
          assertTrue(name, tensor.equal(got.get(name)));
        });
  }

  // ---- safetensors ----

  @Test
  public void safetensorsAreReadAndWritten() throws IOException {
    Map<String, Tensor> made = without(ScalarType.ComplexDouble);
    Path golden = GoldenObjects.file("dtypes.safetensors");
    assertSame(made, Safetensors.load(golden));
    assertSame(made, Safetensors.load(golden, false));
    assertEquals(Map.of("made by", "safetensors"), Safetensors.metadata(golden));
    Safetensors.save(made, path("x"), Map.of("made by", "safetensors"));
    assertArrayEquals(Files.readAllBytes(golden), Files.readAllBytes(path("x")));
  }

  @Test
  public void whatSafetensorsCannotHold() {
    Tensor x = torch.ones(2, 3);
    Map<String, String> none = null;
    assertThrows(IllegalArgumentException.class, () -> Safetensors.save(Map.of("x", x.t()), none));
    assertThrows(
        TorchException.class, () -> Safetensors.save(Map.of("x", x, "y", x.narrow(0, 0, 1)), none));
    assertThrows(
        TypeException.class,
        () -> Safetensors.save(Map.of("x", x.to(ScalarType.ComplexDouble)), none));
  }

  private static byte[] header(String text, int data) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(8 + bytes.length + data)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(bytes.length)
        .put(bytes)
        .array();
  }

  private static String entry(String shape, String offsets) {
    return "{\"dtype\":\"U8\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
  }

  @Test
  public void safetensorsThatAreNone() {
    String good = entry("[2]", "[0,2]");
    Object[][] cases = {
      {new byte[3], "header too small"},
      {ByteBuffer.allocate(8).putLong(-1).array(), "header too large"},
      {ByteBuffer.allocate(8).put((byte) 100).array(), "invalid header length"},
      {header("[]", 0), "invalid header start"},
      {header("{", 0), "invalid JSON in header"},
      {header("{\"x\":".repeat(20_000), 0), "recursion limit exceeded"},
      {header("{\"x\":1,\"x\":2}", 0), "duplicate keys"},
      {header("{\"x\":1}", 0), "invalid JSON in header: tensor `x`"},
      {header("{\"x\":" + good.replace("U8", "F8") + "}", 2), "dtype 'F8' is not supported"},
      {header("{\"x\":" + entry("[3]", "[0,2]") + "}", 2), "InvalidOffset(`x`)"},
      {header("{\"x\":" + entry("[-1]", "[0,2]") + "}", 2), "tensor `x`"},
      {header("{\"x\":" + good + ",\"y\":" + good + "}", 2), "tensors overlap"},
      {header("{\"x\":" + entry("[2]", "[1,3]") + "}", 3), "there is a gap"},
      {header("{\"x\":" + good + "}", 3), "file not fully covered"},
      {
        header("{\"x\":" + entry("[0,4611686018427387904,4]", "[0,0]") + "}", 0),
        "the sizes are too large"
      },
      {header("{\"__metadata__\":{\"a\":1}}", 0), "the metadata are no texts"},
    };
    for (Object[] each : cases) {
      SafetensorException error =
          assertThrows(SafetensorException.class, () -> Safetensors.load((byte[]) each[0]));
      assertTrue(error.getMessage(), error.getMessage().contains((String) each[1]));
    }
  }

  // ---- npy and npz ----

  @Test
  public void npzIsReadAndWritten() {
    Map<String, Tensor> made = without(ScalarType.BFloat16);
    for (String name : new String[] {"dtypes", "compressed", "turned"}) {
      assertSame(made, Npz.load(GoldenObjects.file(name + ".npz"), false));
      assertSame(made, Npz.load(GoldenObjects.file(name + ".npz"), true));
    }
    made.put("turned", torch.ones(2, 3).t());
    made.put("tracked", torch.ones(2).requires_grad_());
    Npz.save(made, path("x.npz"));
    assertSame(made, Npz.load(path("x.npz")));
  }

  @Test
  public void npyIsReadAndWritten() throws IOException {
    Tensor scalar = Npy.load(GoldenObjects.file("scalar.npy"));
    assertEquals(2.5, scalar.item_double(), 0);
    assertEquals(0, scalar.dim());
    assertEquals(new LongArrayRef(0, 3), Npy.load(GoldenObjects.file("empty.npy"), true).sizes());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Npy.save(scalar, out);
    assertArrayEquals(Files.readAllBytes(GoldenObjects.file("scalar.npy")), out.toByteArray());
    Npy.save(Npy.load(GoldenObjects.file("empty.npy")), path("x.npy"));
    assertArrayEquals(
        Files.readAllBytes(GoldenObjects.file("empty.npy")), Files.readAllBytes(path("x.npy")));
    assertThrows(
        TypeException.class, () -> Npy.save(torch.ones(1).to(ScalarType.BFloat16), path("y")));
  }

  private static byte[] npy(String text, int version, int... data) {
    ByteBuffer made =
        ByteBuffer.allocate((version == 1 ? 10 : 12) + text.length() + data.length)
            .order(ByteOrder.LITTLE_ENDIAN);
    made.put("\u0093NUMPY".getBytes(StandardCharsets.ISO_8859_1));
    made.put((byte) version).put((byte) 0);
    if (version == 1) {
      made.putShort((short) text.length());
    } else {
      made.putInt(text.length());
    }
    made.put(text.getBytes(StandardCharsets.ISO_8859_1));
    for (int each : data) {
      made.put((byte) each);
    }
    return made.array();
  }

  @Test
  public void headersOfOtherVersions() {
    String text = "{'shape': (2L,), 'fortran_order': True, 'descr': '>i2'}";
    for (int version = 1; version <= 3; version++) {
      assertArrayEquals(new long[] {1, 2}, Npy.load(npy(text, version, 0, 1, 0, 2)).toLongArray());
    }
  }

  @Test
  public void npyThatIsNone() {
    String start = "{'descr': '<f4', 'fortran_order': False, ";
    Object[][] cases = {
      {new byte[0], "the magic string is not correct"},
      {npy(start + "'shape': (2,), }", 1, 1, 2), "cannot read 8 bytes"},
      {npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 1), "Object arrays cannot"},
      {npy("{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }", 1), "dtype '<u4' has no"},
      {npy(start + "}", 1), "Cannot parse header"},
      {npy("__import__('os')".repeat(2), 1), "Cannot parse header"},
      {npy(start + "'shape': (9 9,), }", 1), "shape is not valid"},
      {npy(start + "'shape': (0, 1152921504606846976, 64), }", 1), "shape is not valid"},
      {npy("            ", 9), "we only support format version"},
    };
    for (Object[] each : cases) {
      IllegalArgumentException error =
          assertThrows(IllegalArgumentException.class, () -> Npy.load((byte[]) each[0]));
      assertTrue(error.getMessage(), error.getMessage().contains((String) each[1]));
    }
    assertThrows(IllegalArgumentException.class, () -> Npy.load(GoldenObjects.file("objects.npy")));
    assertThrows(IllegalArgumentException.class, () -> Npz.load(GoldenObjects.file("scalar.npy")));
  }
}
