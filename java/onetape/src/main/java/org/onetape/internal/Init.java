package org.onetape.internal;

import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TorchException;

/** First values of parameters, drawn as PyTorch draws them. */
public final class Init {
  private static final ThreadLocal<Unset> UNSET = new ThreadLocal<>();

  private Init() {}

  /**
   * Until what is returned is closed, this thread draws nothing: values will come from elsewhere.
   */
  public static Unset unset() {
    Unset made = new Unset(UNSET.get());
    UNSET.set(made);
    return made;
  }

  /** See {@link #unset()}. */
  public static final class Unset implements AutoCloseable {
    private final Unset outer;

    private Unset(Unset outer) {
      this.outer = outer;
    }

    @Override
    public void close() {
      if (outer == null) {
        UNSET.remove();
      } else {
        UNSET.set(outer);
      }
    }
  }

  private static long receptiveField(Tensor tensor) {
    long[] sizes = tensor.shape();
    if (sizes.length < 2) {
      throw new TorchException(
          "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
    }
    long field = 1;
    for (int i = 2; i < sizes.length; i++) {
      field *= sizes[i];
    }
    return field;
  }

  /** How many inputs an element of the result depends on. */
  public static long fanIn(Tensor tensor) {
    return receptiveField(tensor) * tensor.size(1);
  }

  /** How many elements of the result depend on an input. */
  public static long fanOut(Tensor tensor) {
    return receptiveField(tensor) * tensor.size(0);
  }

  public static Tensor uniform(Tensor tensor, double low, double high) {
    if (UNSET.get() != null) {
      return tensor;
    }
    try (NoGradGuard guard = new NoGradGuard()) {
      return tensor.uniform_(low, high);
    }
  }

  public static Tensor normal(Tensor tensor, double mean, double std) {
    if (UNSET.get() != null) {
      return tensor;
    }
    try (NoGradGuard guard = new NoGradGuard()) {
      return tensor.normal_(mean, std);
    }
  }

  public static Tensor constant(Tensor tensor, double value) {
    try (NoGradGuard guard = new NoGradGuard()) {
      return tensor.fill_(value);
    }
  }

  private static double xavierStd(Tensor tensor, double gain) {
    return gain * Math.sqrt(2.0 / (fanIn(tensor) + fanOut(tensor)));
  }

  public static Tensor xavierUniform(Tensor tensor, double gain) {
    double bound = Math.sqrt(3.0) * xavierStd(tensor, gain);
    return uniform(tensor, -bound, bound);
  }

  public static Tensor xavierNormal(Tensor tensor, double gain) {
    return normal(tensor, 0, xavierStd(tensor, gain));
  }

  private static double kaimingStd(Tensor tensor, double slope) {
    return Math.sqrt(2.0 / (1 + slope * slope)) / Math.sqrt(fanIn(tensor));
  }

  /** For layers that a leaky ReLU of the given slope follows. */
  public static Tensor kaimingUniform(Tensor tensor, double slope) {
    if (tensor.numel() == 0) {
      return tensor;
    }
    double bound = Math.sqrt(3.0) * kaimingStd(tensor, slope);
    return uniform(tensor, -bound, bound);
  }

  /** For layers that a leaky ReLU of the given slope follows. */
  public static Tensor kaimingNormal(Tensor tensor, double slope) {
    return tensor.numel() == 0 ? tensor : normal(tensor, 0, kaimingStd(tensor, slope));
  }
}
