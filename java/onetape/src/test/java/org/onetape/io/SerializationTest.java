package org.onetape.io;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.onetape.Device;
import org.onetape.Generator;
import org.onetape.LongArrayRef;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.Torch;
import org.onetape.TorchException;
import org.onetape.TypeException;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;
import org.onetape.nn.LinearImpl;

/** PyTorch's files: read, and written byte for byte as PyTorch writes them. */
public class SerializationTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private Path path(String name) {
    return folder.getRoot().toPath().resolve(name);
  }

  private static Map<?, ?> load(String name, boolean mmap) {
    return (Map<?, ?>) Torch.load(GoldenObjects.file(name), new LoadOptions().mmap(mmap));
  }

  @Test
  public void everyTypeIsRead() {
    for (boolean mmap : new boolean[] {false, true}) {
      Map<?, ?> got = load("dtypes.pt", mmap);
      assertEquals(GoldenObjects.dtypes().keySet(), got.keySet());
      GoldenObjects.dtypes()
          .forEach((name, want) -> assertTrue((String) name, same(want, got.get(name))));
    }
  }

  private static boolean same(Object want, Object got) {
    Tensor a = (Tensor) want;
    Tensor b = (Tensor) got;
    return a.scalar_type() == b.scalar_type()
        && a.sizes().equals(b.sizes())
        && a.strides().equals(b.strides())
        && a.storage_offset() == b.storage_offset()
        && a.requires_grad() == b.requires_grad()
        && a.equal(b);
  }

  @Test
  public void everyKindOfObjectIsRead() {
    Map<?, ?> got = load("plain.pt", false);
    List<?> numbers = (List<?>) got.get("numbers");
    assertEquals(List.of(0L, 1L, 255L), numbers.subList(0, 3));
    assertEquals(BigInteger.ONE.shiftLeft(200), numbers.get(13));
    assertEquals(List.of(true, false), got.get("flags"));
    assertEquals("(1,)", ((List<?>) got.get("tuples")).get(1).toString());
    assertEquals("\uD800", ((List<?>) got.get("texts")).get(5));
    assertArrayEquals(new byte[] {0, -1}, (byte[]) ((List<?>) got.get("bytes")).get(0));
    assertEquals(new LongArrayRef(2, 3), got.get("sizes"));
    assertEquals(GoldenObjects.TYPES, got.get("dtypes"));
    assertEquals(new Device("cuda:1"), got.get("cuda"));
    assertEquals(Map.of(3L, 2L, 5L, 1L), got.get("counter"));
    assertEquals(ScalarType.ComplexDouble, ((Tensor) got.get("complex")).scalar_type());
    List<?> cycle = (List<?>) got.get("cycle");
    assertSame(cycle, cycle.get(2));
    assertEquals(1500, ((Map<?, ?>) got.get("wide")).size());
    assertTrue(got.containsKey("nothing"));
  }

  @Test
  public void tensorsKeepWhatTheyAre() {
    Map<?, ?> got = load("tensors.pt", true);
    Tensor x = (Tensor) got.get("x");
    Tensor rows = (Tensor) got.get("rows");
    x.add_(new org.onetape.Scalar(1));
    assertEquals(5, rows.get(0).get(0).item_double(), 0); // they share memory
    assertEquals(new LongArrayRef(1, 4), ((Tensor) got.get("transposed")).strides());
    assertTrue(((Tensor) got.get("leaf")).requires_grad());
    assertFalse(((Tensor) got.get("frozen")).requires_grad());
    List<?> twice = (List<?>) got.get("same");
    assertEquals(twice.get(0), twice.get(1));
    assertTrue(((Tensor) twice.get(0)).requires_grad());
    assertEquals(5, ((Tensor) got.get("storage")).numel());
    OrderedDict state = (OrderedDict) got.get("state");
    assertTrue(state.attributes().containsKey("_metadata"));
    x.add_(new org.onetape.Scalar(1)); // not a change of the file
    assertEquals(0, ((Tensor) load("tensors.pt", true).get("x")).get(0).get(0).item_double(), 0);
  }

  @Test
  public void filesAreThoseOfPyTorchByteForByte() throws IOException {
    for (String name : new String[] {"dtypes", "common"}) {
      Torch.save(
          name.equals("dtypes") ? GoldenObjects.dtypes() : GoldenObjects.common(),
          path(name + ".pt"));
      assertArrayEquals(
          name,
          withoutIdentity(Files.readAllBytes(GoldenObjects.file(name + ".pt"))),
          withoutIdentity(Files.readAllBytes(path(name + ".pt"))));
    }
  }

  /** An archive without the forty digits that are hashed from it, and without their check sums. */
  private static byte[] withoutIdentity(byte[] data) {
    String text = new String(data, StandardCharsets.ISO_8859_1);
    int name = text.indexOf(".data/serialization_id");
    int digits = text.indexOf("PK\7\10", name) - 40;
    int entry = text.lastIndexOf("PK\1\2");
    byte[] kept = data.clone();
    Arrays.fill(kept, digits, digits + 48, (byte) 0);
    Arrays.fill(kept, entry + 16, entry + 20, (byte) 0);
    return kept;
  }

  @Test
  public void streamsAndBytesServeAsFiles() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Serialization.save(Map.of("x", torch.ones(2)), out);
    Map<?, ?> got = (Map<?, ?>) Serialization.load(new ByteArrayInputStream(out.toByteArray()));
    assertTrue(same(torch.ones(2), got.get("x")));
    byte[] golden = Files.readAllBytes(GoldenObjects.file("deflated.pt"));
    got = (Map<?, ?>) Serialization.load(golden, new LoadOptions());
    assertArrayEquals(new float[] {0, 1, 2, 3, 4, 5}, ((Tensor) got.get("x")).toFloatArray(), 0);
    assertArrayEquals(
        new float[] {0, 1, 2, 3, 4, 5},
        ((Tensor) load("big_endian.pt", true).get("x")).toFloatArray(),
        0);
  }

  @Test
  public void tensorsBelongToTheScopeOfTheCaller() {
    Map<?, ?> got;
    try (MemoryScope scope = new MemoryScope()) {
      got = load("tensors.pt", false);
      assertTrue(((Tensor) got.get("x")).defined());
    }
    assertFalse(((Tensor) got.get("x")).defined());
    assertFalse(((Tensor) got.get("storage")).defined());
  }

  @Test
  public void generatorsGoOn() {
    Generator generator = new Generator(5);
    torch.manual_seed(7);
    torch.randn(3);
    Torch.save(Map.of("own", generator.get_state(), "default", Torch.getRngState()), path("g.pt"));
    Tensor want = torch.randn(20);
    Map<?, ?> got = (Map<?, ?>) Torch.load(path("g.pt"));
    Torch.setRngState((Tensor) got.get("default"));
    assertTrue(want.equal(torch.randn(20)));
    Generator other = new Generator();
    other.set_state((Tensor) got.get("own"));
    assertEquals(5, other.current_seed());
    assertThrows(TypeException.class, () -> Torch.setRngState(torch.ones(5056)));
    TorchException error =
        assertThrows(TorchException.class, () -> Torch.setRngState(Tensor.create(new byte[5056])));
    assertEquals("Invalid mt19937 state", error.getMessage());
    assertThrows(TorchException.class, () -> Torch.setRngState(Tensor.create(new byte[4])));
  }

  @Test
  public void whatFilesCannotHoldIsRefused() throws IOException {
    Files.writeString(path("x.pt"), "old");
    for (Object value :
        List.of(new Object(), new LinearImpl(1, 1), List.of(new StringBuilder()), 'c')) {
      TypeException error =
          assertThrows(TypeException.class, () -> Torch.save(value, path("x.pt")));
      assertTrue(
          error.getMessage().startsWith("save: cannot save an object of type java")
              || error.getMessage().contains("org.onetape.nn.LinearImpl"));
    }
    Tensor closed = torch.ones(1);
    closed.close();
    assertThrows(IllegalStateException.class, () -> Torch.save(closed, path("x.pt")));
    List<Object> deep = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      deep = new ArrayList<>(List.of(deep));
    }
    List<Object> nested = deep;
    assertThrows(TorchException.class, () -> Torch.save(nested, path("x.pt")));
    assertEquals("old", Files.readString(path("x.pt")));
    assertEquals(1, folder.getRoot().list().length);
    assertThrows(TorchException.class, () -> Torch.save(1, Path.of("/nowhere/at/all.pt")));
    assertThrows(TorchException.class, () -> Torch.save(1, folder.getRoot().toPath()));
  }

  @Test
  public void filesThatAreNone() {
    assertFails("Weights only load failed.*GLOBAL torch.nn.modules.linear.Linear", "module.pt");
    assertFails("Cannot use ``weights_only=True`` with TorchScript archives", "script.pt");
    assertFails("before version 1.6", "legacy.pt");
    assertFails("it is no zip archive", "scalar.npy");
    UncheckedIOException error =
        assertThrows(UncheckedIOException.class, () -> load("missing.pt", false));
    assertTrue(error.getCause() instanceof NoSuchFileException);
    assertThrows(UncheckedIOException.class, () -> load("", false));
  }

  private static void assertFails(String words, String name) {
    for (boolean mmap : new boolean[] {false, true}) {
      TorchException error = assertThrows(TorchException.class, () -> load(name, mmap));
      assertTrue(error.getMessage(), error.getMessage().matches("(?s).*" + words + ".*"));
    }
  }

  @Test
  public void devices() {
    LoadOptions elsewhere = new LoadOptions().mapLocation(new Device("cuda"));
    TorchException error =
        assertThrows(
            TorchException.class, () -> Torch.load(GoldenObjects.file("dtypes.pt"), elsewhere));
    assertTrue(error.getMessage().startsWith("Attempting to deserialize object on a CUDA device"));
    LoadOptions back =
        new LoadOptions().mapLocation(Map.of("cpu", "foo")).mapLocation(new Device("cpu"));
    assertNotSame(null, Torch.load(GoldenObjects.file("dtypes.pt"), back));
    assertThrows(
        TorchException.class,
        () ->
            Torch.load(
                GoldenObjects.file("dtypes.pt"),
                new LoadOptions().mapLocation(Map.of("cpu", "foo"))));
  }

  @Test
  public void picklesThatAreNone() {
    String[][] cases = {
      {"\u0080\2cbuiltins\neval\nX\1\0\0\0a\u0085R.", "Unsupported global: GLOBAL builtins.eval"},
      {"\u0080\2cposix\nsystem\n.", "unsupported GLOBAL posix.system whose module posix is"},
      {"\u0080\2\u00ff.", "Unsupported operand 255"},
      {"\u0080\4N.", "pickle protocol 4 is not supported"},
      {"\u0080\2N", "pickle data was truncated"},
      {"\u0080\2X\u00ff\u00ff\u00ff\u00ff.", "pickle data was truncated"},
      {"\u0080\2a.", "pop from an empty stack"},
      {"\u0080\2t.", "could not find MARK"},
      {"\u0080\2(a.", "unexpected MARK found"},
      {"\u0080\2h\1.", "Memo value not found at index 1"},
      {"\u0080\2}]Ns.", "an object of type list cannot be a key"},
      {"\u0080\2NN\u0085R.", "unrecognized function NoneType"},
      {"\u0080\2ctorch\nFloatStorage\n)R.", "a class of storages or tensors is called"},
      {"\u0080\2ctorch._utils\n_rebuild_tensor_v2\n)R.", "missing"},
      {"\u0080\2K\1Q.", "Only persistent_load of storage is allowed"},
      {"\u0080\2]Nb.", "Can only build Tensor, Parameter, OrderedDict"},
      {"\u0080\2}(Nu.", "a key without a value"},
      {"\u0080\2NNa.", "Can only append to lists"},
      {"\u0080\2)Na.", "Can only append to lists"},
      {"\u0080\2)" + "q\0h\0\u0086".repeat(100) + "q\1}h\1Ns.", "cannot be a key"},
      {"\u0080\2X\1\0\0\0\u00ff.", "is no text in UTF-8"},
      {"\u0080\2ctorch\ndevice\nK\1\u0085R.", "a device of no name"},
    };
    for (String[] each : cases) {
      byte[] data = each[0].getBytes(StandardCharsets.ISO_8859_1);
      UnpicklingException error =
          assertThrows(
              each[1],
              UnpicklingException.class,
              () ->
                  new PickleReader(
                          data,
                          (kind, key, place, count) -> {
                            throw new AssertionError();
                          },
                          false)
                      .read());
      assertTrue(error.getMessage(), error.getMessage().contains(each[1]));
    }
  }
}
