package org.onetape.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.onetape.BytePointer;
import org.onetape.Scalar;
import org.onetape.SizeTOptional;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch.ScalarType;
import org.onetape.internal.Access;

/**
 * The handwritten digits of MNIST, from its IDX files in a folder, also if compressed with gzip.
 *
 * <p>A sample's data are floats from 0 to 1 of size (1, 28, 28), its target is the digit.
 */
public final class MNIST extends MNISTBatchDataset {
  /** Which of the files. */
  public enum Mode {
    kTrain(0),
    kTest(1);

    /** The code of the constant. */
    public final int value;

    Mode(int value) {
      this.value = value;
    }

    /** This constant. */
    public Mode intern() {
      return this;
    }
  }

  private final Tensor images;
  private final Tensor targets;
  private final boolean train;

  /** The digits for training. */
  public MNIST(String root) {
    this(root, Mode.kTrain);
  }

  /** The digits for training. */
  public MNIST(BytePointer root) {
    this(root.getString());
  }

  /** The digits that a mode's code asks for. */
  public MNIST(String root, int mode) {
    this(root, mode == Mode.kTest.value ? Mode.kTest : Mode.kTrain);
  }

  /** The digits that a mode asks for. */
  public MNIST(BytePointer root, Mode mode) {
    this(root.getString(), mode);
  }

  /**
   * The digits that a mode asks for.
   *
   * @throws TorchException if a file is missing or broken
   */
  public MNIST(String root, Mode mode) {
    train = mode == Mode.kTrain;
    String name = train ? "train" : "t10k";
    try (Tensor bytes = read(root, name + "-images-idx3-ubyte", 3);
        Tensor digits = read(root, name + "-labels-idx1-ubyte", 1);
        Tensor planes = bytes.unsqueeze(1);
        Tensor floats = planes.to(ScalarType.Float);
        Tensor longs = digits.to(ScalarType.Long)) {
      if (bytes.size(0) != digits.size(0)) {
        throw new TorchException(
            "MNIST: " + bytes.size(0) + " images, but " + digits.size(0) + " labels in " + root);
      }
      images = Access.unscoped(floats.div_(new Scalar(255)));
      targets = Access.unscoped(longs);
    }
  }

  private static Tensor read(String root, String name, int dims) {
    Path file = Path.of(root, name);
    if (!Files.exists(file)) {
      file = Path.of(root, name + ".gz");
    }
    try {
      Tensor tensor = Readers.readIdx(file);
      if (tensor.dim() != dims || tensor.scalar_type() != ScalarType.Byte) {
        throw new TorchException(
            "MNIST: "
                + file
                + " holds "
                + tensor.scalar_type()
                + " of sizes "
                + Arrays.toString(tensor.shape()));
      }
      return tensor;
    } catch (IOException e) {
      throw new TorchException("Error opening images file at " + file, e);
    }
  }

  @Override
  public Example get(long index) {
    return new Example(new Tensor[] {images.select(0, index), targets.select(0, index)}, true);
  }

  @Override
  public SizeTOptional size() {
    return new SizeTOptional(images.size(0));
  }

  @Override
  Tensor[] gather(long[] indices) {
    long size = images.size(0);
    if (Arrays.stream(indices).anyMatch(i -> i < 0 || i >= size)) {
      return null;
    }
    Tensor chosen = Tensor.create(indices);
    return new Tensor[] {images.index_select(0, chosen), targets.index_select(0, chosen)};
  }

  /** Whether these are the digits for training. */
  public boolean is_train() {
    return train;
  }

  /** All images: floats of size (samples, 1, 28, 28). */
  public Tensor images() {
    return new Tensor(images);
  }

  /** All digits. */
  public Tensor targets() {
    return new Tensor(targets);
  }

  /** Lets go of the images. */
  @Override
  public void close() {
    images.close();
    targets.close();
  }
}
