package org.onetape.nn;

import java.util.Arrays;
import java.util.List;
import org.onetape.DoubleOptional;
import org.onetape.GraphRecording;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Lines, images or volumes brought to other sizes. */
public class UpsampleImpl extends Module {
  private static final List<String> BLOCKY = List.of("nearest", "nearest-exact", "area");
  private static final List<String> SMOOTH = List.of("linear", "bilinear", "trilinear");

  private final UpsampleOptions options;

  /** As the options say. */
  public UpsampleImpl(UpsampleOptions options) {
    super("Upsample");
    this.options = options;
  }

  private static long[] each(long[] given, int dims) {
    long[] all = new long[dims];
    Arrays.fill(all, given[0]);
    return given.length == 1 ? all : given;
  }

  private void check(Tensor input) {
    if (BLOCKY.contains(options.mode()) && options.align_corners().has_value()) {
      throw new IllegalArgumentException(
          "align_corners option can only be set with the interpolating modes: linear | bilinear |"
              + " bicubic | trilinear");
    }
    boolean sized = options.size().has_value();
    if (sized && options.scaleFactor() != null) {
      throw new IllegalArgumentException("only one of size or scale_factor should be defined");
    }
    if (!sized && options.scaleFactor() == null) {
      throw new IllegalArgumentException("either size or scale_factor should be defined");
    }
    int given = sized ? (int) options.size().get().size() : options.scaleFactor().length;
    long dims = input.dim() - 2;
    if (given != 1 && given != dims) {
      throw new IllegalArgumentException(
          "Input and output must have the same number of spatial dimensions, but got input with "
              + dims
              + " and "
              + given
              + " numbers");
    }
  }

  @Override
  public Tensor forward(Tensor input) {
    check(input);
    int dims = (int) input.dim() - 2;
    long[] sizes = new long[Math.max(dims, 0)];
    DoubleOptional[] factors = new DoubleOptional[3];
    Arrays.setAll(factors, d -> new DoubleOptional());
    if (options.size().has_value()) {
      sizes = each(options.size().get().get(), dims);
    } else {
      double[] given = options.scaleFactor();
      for (int d = 0; d < dims; d++) {
        double factor = given[given.length == 1 ? 0 : d];
        sizes[d] = (long) Math.floor(input.size(d + 2) * factor);
        factors[d < 3 ? d : 2] = new DoubleOptional(factor);
      }
    }
    try (GraphRecording.Call call = entered()) {
      return resampled(input, dims, sizes, factors);
    }
  }

  private Tensor resampled(Tensor x, int dims, long[] sizes, DoubleOptional[] f) {
    boolean align = options.align_corners().has_value() && options.align_corners().get();
    switch (options.mode() + dims) {
      case "nearest1":
        return torch.upsample_nearest1d(x, sizes, f[0]);
      case "nearest2":
        return torch.upsample_nearest2d(x, sizes, f[0], f[1]);
      case "nearest3":
        return torch.upsample_nearest3d(x, sizes, f[0], f[1], f[2]);
      case "nearest-exact1":
        return torch._upsample_nearest_exact1d(x, sizes, f[0]);
      case "nearest-exact2":
        return torch._upsample_nearest_exact2d(x, sizes, f[0], f[1]);
      case "nearest-exact3":
        return torch._upsample_nearest_exact3d(x, sizes, f[0], f[1], f[2]);
      case "area1":
        return torch.adaptive_avg_pool1d(x, sizes);
      case "area2":
        return torch.adaptive_avg_pool2d(x, sizes);
      case "area3":
        return torch.adaptive_avg_pool3d(x, sizes);
      case "linear1":
        return torch.upsample_linear1d(x, sizes, align, f[0]);
      case "bilinear2":
        return torch.upsample_bilinear2d(x, sizes, align, f[0], f[1]);
      case "bicubic2":
        return torch.upsample_bicubic2d(x, sizes, align, f[0], f[1]);
      case "trilinear3":
        return torch.upsample_trilinear3d(x, sizes, align, f[0], f[1], f[2]);
      default:
        throw refused(dims);
    }
  }

  private UnsupportedOperationException refused(int dims) {
    String mode = options.mode();
    if (SMOOTH.contains(mode) && dims >= 1 && dims <= 3) {
      int wanted = 3 + SMOOTH.indexOf(mode);
      return new UnsupportedOperationException(
          "Got " + (dims + 2) + "D input, but " + mode + " mode needs " + wanted + "D input");
    }
    return new UnsupportedOperationException(
        "Input Error: Only 3D, 4D and 5D input Tensors supported (got "
            + (dims + 2)
            + "D) for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area"
            + " | nearest-exact (got "
            + mode
            + ")");
  }

  /** How the layer was made. */
  public UpsampleOptions options() {
    return options;
  }

  @Override
  protected String describe() {
    double[] factors = options.scaleFactor();
    String what;
    if (factors == null) {
      boolean given = options.size().has_value();
      long[] sizes = given ? options.size().get().get() : new long[0];
      String shown = sizes.length == 1 ? Long.toString(sizes[0]) : PythonText.of(sizes);
      what = "size=" + (given ? shown : "None");
    } else if (factors.length == 1) {
      what = "scale_factor=" + PythonText.of(factors[0]);
    } else {
      String inner = Arrays.toString(factors);
      what = "scale_factor=(" + inner.substring(1, inner.length() - 1) + ")";
    }
    return what + ", mode='" + options.mode() + "'";
  }
}
