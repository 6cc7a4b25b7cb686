package org.onetape.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch.ScalarType;
import org.onetape.io.InputArchive;
import org.onetape.io.LoadOptions;
import org.onetape.io.Npy;
import org.onetape.io.Npz;
import org.onetape.io.Safetensors;
import org.onetape.io.Serialization;

/** Reads damaged files: what comes out is a tensor or one of the errors the readers promise. */
public final class FileFuzz {
  private static final long[] NUMBERS = {
    0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, Integer.MAX_VALUE, 0xFFFFFFFFL, 1L << 40, Long.MAX_VALUE, -1
  };
  private static final String PARTS = "(tRbQuseaNhq)]}.01";

  private final Map<String, byte[]> files = new TreeMap<>();
  private final Path golden;
  private final Path folder;

  /** Damages the files of a folder. */
  public FileFuzz(Path golden) throws IOException {
    this.golden = golden;
    folder = Files.createTempDirectory("files");
    try (Stream<Path> paths = Files.list(golden)) {
      for (Path path : paths.toArray(Path[]::new)) {
        String name = path.getFileName().toString();
        if (name.matches(".*\\.(pt|safetensors|npy|npz)") && !name.equals("plain.pt")) {
          files.put(name, Files.readAllBytes(path));
        }
      }
    }
  }

  /** Arguments: the first seed, how many, the file for the progress. */
  public static void main(String[] args) throws IOException {
    int first = Integer.parseInt(args[0]);
    int count = Integer.parseInt(args[1]);
    FileFuzz fuzz = new FileFuzz(Path.of(System.getProperty("onetape.golden"), "checkpoints"));
    try (RandomAccessFile progress = new RandomAccessFile(args[2], "rw")) {
      for (int seed = first; seed < first + count; seed++) {
        write(progress, seed);
        String answer = fuzz.run(seed);
        if (args.length > 3) {
          System.out.println(seed + " " + answer);
        }
      }
      write(progress, -1);
    }
  }

  private static void write(RandomAccessFile progress, int seed) throws IOException {
    progress.seek(0);
    progress.write(String.format("%20d", seed).getBytes(StandardCharsets.US_ASCII));
  }

  /** Reads one damaged file; what came of it. */
  public String run(int seed) throws IOException {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L);
    String name = files.keySet().toArray(new String[0])[random.nextInt(files.size())];
    byte[] data = files.get(name);
    boolean archive = name.matches(".*\\.(pt|npz)") && !name.equals("legacy.pt");
    boolean within = archive && random.nextInt(10) < 7;
    return read(
        name,
        within ? inside(random, golden.resolve(name)) : damaged(random, data),
        random.nextInt(3));
  }

  /** Reads data: way 0 from memory, 1 from a file, 2 from a mapped one. */
  public String read(String name, byte[] data, int way) throws IOException {
    String suffix = name.substring(name.lastIndexOf('.'));
    Path file = folder.resolve("x" + suffix);
    if (way > 0) {
      Files.write(file, data);
    }
    try (MemoryScope scope = new MemoryScope()) {
      if (way > 0 && name.equals("javacpp.pt")) {
        new InputArchive().load_from(file.toString());
      } else {
        use(way > 0 ? fromFile(suffix, file, way == 2) : fromBytes(suffix, data));
      }
    } catch (TorchException | IllegalArgumentException error) {
      if (error.getMessage() == null) {
        throw error;
      }
      return error.getClass().getSimpleName();
    } catch (UncheckedIOException error) {
      if (!(error.getCause() instanceof EOFException)) {
        throw error;
      }
      return "EOFException";
    }
    return "read";
  }

  private static Object fromFile(String suffix, Path file, boolean mmap) {
    switch (suffix) {
      case ".pt":
        return Serialization.load(file, new LoadOptions().mmap(mmap));
      case ".safetensors":
        return Safetensors.load(file, mmap);
      case ".npy":
        return Npy.load(file, mmap);
      default:
        return Npz.load(file, mmap);
    }
  }

  private static Object fromBytes(String suffix, byte[] data) {
    switch (suffix) {
      case ".pt":
        return Serialization.load(data, new LoadOptions());
      case ".safetensors":
        return Safetensors.load(data);
      case ".npy":
        return Npy.load(data);
      default:
        return Npz.load(data);
    }
  }

  private static void use(Object value) {
    use(value, new IdentityHashMap<>());
  }

  private static void use(Object value, Map<Object, Boolean> seen) {
    if (value == null || seen.put(value, true) != null || seen.size() > 1000) {
      return;
    }
    if (value instanceof Tensor) {
      Tensor tensor = (Tensor) value;
      if (tensor.numel() < 1_000_000) {
        tensor.detach().to(ScalarType.ComplexDouble).sum();
      }
    } else if (value instanceof Map) {
      ((Map<?, ?>) value).values().forEach(item -> use(item, seen));
    } else if (value instanceof Collection) {
      ((Collection<?>) value).forEach(item -> use(item, seen));
    }
  }

  // ---- damage ----

  private static byte[] damaged(Random random, byte[] data) {
    byte[] changed = data;
    for (int i = 0; i <= random.nextInt(4); i++) {
      int at = random.nextInt(changed.length + 1);
      switch (random.nextInt(6)) {
        case 0 -> changed = Arrays.copyOf(changed, at);
        case 1 -> changed = put(changed, at, random.nextInt(256), 1);
        case 2 -> {
          long number = NUMBERS[random.nextInt(NUMBERS.length)];
          changed = put(changed, at, number, 1 << random.nextInt(4));
        }
        case 3 -> {
          int end = Math.min(changed.length, at + random.nextInt(20));
          changed = joined(changed, at, new byte[0], end);
        }
        case 4 -> {
          int start = random.nextInt(changed.length + 1);
          int end = Math.min(changed.length, start + random.nextInt(40));
          changed = joined(changed, at, Arrays.copyOfRange(changed, start, end), at);
        }
        default -> {
          String part = PARTS.substring(random.nextInt(PARTS.length())).substring(0, 1);
          byte[] bytes =
              part.repeat(random.nextInt(4) == 0 ? 100 : 1).getBytes(StandardCharsets.US_ASCII);
          changed = joined(changed, at, bytes, at);
        }
      }
    }
    return changed;
  }

  private static byte[] put(byte[] data, int at, long number, int size) {
    byte[] changed = data.clone();
    for (int i = 0; i < size && at + i < data.length; i++) {
      changed[at + i] = (byte) (number >> (8 * i));
    }
    return changed;
  }

  private static byte[] joined(byte[] data, int start, byte[] part, int end) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(data, 0, start);
    out.writeBytes(part);
    out.write(data, end, data.length - end);
    return out.toByteArray();
  }

  /** An archive of which one record is damaged, and all else right. */
  private static byte[] inside(Random random, Path file) throws IOException {
    Map<String, byte[]> records = new LinkedHashMap<>();
    try (ZipFile in = new ZipFile(file.toFile())) {
      for (ZipEntry entry : in.stream().toArray(ZipEntry[]::new)) {
        try (InputStream part = in.getInputStream(entry)) {
          records.put(entry.getName(), part.readAllBytes());
        }
      }
    }
    String[] names = records.keySet().toArray(new String[0]);
    String chosen = names[random.nextInt(10) < 8 ? 0 : random.nextInt(names.length)];
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(bytes)) {
      for (String name : names) {
        byte[] part = records.get(name);
        add(out, name, name.equals(chosen) ? damaged(random, part) : part);
      }
    }
    return bytes.toByteArray();
  }

  private static void add(ZipOutputStream out, String name, byte[] data) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    CRC32 sum = new CRC32();
    sum.update(data);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(data.length);
    entry.setCrc(sum.getValue());
    out.putNextEntry(entry);
    out.write(data);
    out.closeEntry();
  }
}
