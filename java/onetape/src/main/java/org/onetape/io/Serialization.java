package org.onetape.io;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.onetape.Tensor;

/**
 * PyTorch's own files of tensors and plain objects. PyTorch loads what is saved here, and what
 * PyTorch saved is loaded here, without running code.
 *
 * <pre>{@code
 * Serialization.save(Map.of("model", model.state_dict()), Path.of("model.pt"));
 * Map<?, ?> saved = (Map<?, ?>) Serialization.load(Path.of("model.pt"));
 * }</pre>
 *
 * <p>Python's dict is a {@link java.util.Map}, list a {@link List}, tuple a {@link Tuple}, set a
 * {@link java.util.Set}, int a {@link Long} or {@link BigInteger}, float a {@link Double}, bytes a
 * {@code byte[]}, torch.Size a {@link org.onetape.LongArrayRef}, a dtype a {@code ScalarType},
 * OrderedDict an {@link OrderedDict}. A storage is a tensor of one dimension, a complex number one
 * of none. {@link org.onetape.StringTensorDict} is saved as an OrderedDict.
 *
 * <p>Tensors keep their strides, the memory they share, and whether they require a gradient.
 */
public final class Serialization {
  private Serialization() {}

  private static final byte[] LEGACY = {
    (byte) 0x80, 2, (byte) 0x8a, 10, 'l', (byte) 0xfc, (byte) 0x9c, 'F', (byte) 0xf9
  };

  /**
   * Saves an object. The file is replaced as a whole when everything is on the disk: if that fails,
   * or the process is killed, the old file is still there.
   *
   * @throws org.onetape.TypeException if there is an object that files cannot hold
   * @throws org.onetape.TorchException if the folder does not exist
   * @throws UncheckedIOException if the disk is full, or the file may not be written
   */
  public static void save(Object object, Path file) {
    PickleWriter pickle = new PickleWriter();
    byte[] data = pickle.write(object);
    String name = file.getFileName() == null ? "" : file.getFileName().toString();
    Output.replace(file, output -> write(output, folder(name), data, pickle.storages()));
  }

  /** Saves an object to a stream, which stays open. */
  public static void save(Object object, OutputStream stream) {
    PickleWriter pickle = new PickleWriter();
    byte[] data = pickle.write(object);
    Output.stream(stream, output -> write(output, "archive", data, pickle.storages()));
  }

  /** The name of the folder in the archive: that of the file, as in PyTorch. */
  private static String folder(String name) {
    int dot = name.lastIndexOf('.');
    String stem = dot > 0 ? name.substring(0, dot) : name;
    boolean plain = !stem.isEmpty() && dot != 0 && stem.chars().allMatch(c -> c < 128);
    return plain ? stem : "archive";
  }

  private static void write(Output output, String folder, byte[] data, List<Tensor> storages)
      throws IOException {
    ArchiveWriter archive = new ArchiveWriter(output, folder);
    archive.write("data.pkl", data);
    archive.write(".format_version", ascii("1"));
    archive.write(".storage_alignment", ascii("64"));
    archive.write("byteorder", ascii("little"));
    for (int key = 0; key < storages.size(); key++) {
      Tensor memory = storages.get(key);
      long size = org.onetape.internal.Engine.storageBytes(memory);
      archive.write("data/" + key, new byte[0][], memory, 0, size);
    }
    archive.write("version", ascii("3\n"));
    archive.write(".data/serialization_id", identity(archive.sums()));
    archive.close();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Forty digits that follow from the contents. */
  private static byte[] identity(List<Long> sums) {
    BigInteger factor = new BigInteger("9E3779B97F4A7C15", 16);
    BigInteger mixed = BigInteger.ZERO;
    for (long sum : sums) {
      mixed = mixed.multiply(factor).add(BigInteger.valueOf(sum + 1));
      mixed = mixed.mod(BigInteger.ONE.shiftLeft(128));
    }
    BigInteger[] parts = mixed.divideAndRemainder(BigInteger.ONE.shiftLeft(64));
    return ascii(String.format("%020d%020d", parts[0], parts[1]));
  }

  /**
   * What was saved, here or in PyTorch.
   *
   * @throws UnpicklingException if the file holds something else than tensors and plain objects, or
   *     its pickle is damaged
   * @throws org.onetape.TorchException if the archive is damaged, or a storage is on a device that
   *     there is not
   * @throws UncheckedIOException if there is no such file, it may not be read, or it is empty
   */
  public static Object load(Path file) {
    return load(file, new LoadOptions());
  }

  /** What was saved, here or in PyTorch. */
  public static Object load(Path file, LoadOptions options) {
    if (file.toString().endsWith(".safetensors")) {
      return Safetensors.load(file, options.mmap());
    }
    return Source.file(file, options.mmap(), source -> load(source, options));
  }

  /** What was saved, from the bytes of a file. */
  public static Object load(byte[] data, LoadOptions options) {
    return Source.bytes(data, source -> load(source, options));
  }

  /** What was saved, from all that a stream gives. */
  public static Object load(InputStream stream) {
    return Source.stream(stream, source -> load(source, new LoadOptions()));
  }

  private static Object load(Source source, LoadOptions options) throws IOException {
    byte[] start = source.read(0, Math.min(source.size(), LEGACY.length));
    if (start.length == 0) {
      throw new EOFException("Ran out of input: " + source.name() + " is empty");
    }
    if (Arrays.equals(start, LEGACY)) {
      throw new UnpicklingException(
          "Weights only load failed. "
              + source.name()
              + " has the format that PyTorch wrote before version 1.6; load it there and save it"
              + " again");
    }
    if (start.length < 4 || start[0] != 'P' || start[1] != 'K' || start[2] != 3 || start[3] != 4) {
      throw new UnpicklingException(
          "Weights only load failed. "
              + source.name()
              + " is no file that save() wrote: it is no zip archive");
    }
    return Loading.load(source, options);
  }
}
