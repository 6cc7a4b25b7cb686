package org.onetape.internal;

import java.util.Set;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;

/**
 * First values that depend on an element's place, or are drawn within bounds; Python's, draw by
 * draw.
 */
public final class ShapedInit {
  private static final Set<String> LINEAR =
      Set.of(
          "linear",
          "sigmoid",
          "conv1d",
          "conv2d",
          "conv3d",
          "conv_transpose1d",
          "conv_transpose2d",
          "conv_transpose3d");

  /**
   * Share of a normal distribution within bounds from which drawing until one falls within them is
   * quicker.
   */
  private static final double REJECTION_WORTH = 0.3;

  private ShapedInit() {}

  /** The factor that keeps the spread of values through a layer followed by this function. */
  public static double gain(String nonlinearity, double slope) {
    if (LINEAR.contains(nonlinearity)) {
      return 1;
    }
    switch (nonlinearity) {
      case "tanh":
        return 5.0 / 3;
      case "relu":
        return Math.sqrt(2);
      case "selu":
        return 3.0 / 4;
      case "leaky_relu":
        return Math.sqrt(2 / (1 + slope * slope));
      default:
        throw new TorchException("Unsupported nonlinearity " + nonlinearity);
    }
  }

  /** gain / √fan, for the spread of Kaiming's values. */
  public static double kaimingStd(Tensor tensor, double slope, String mode, String nonlinearity) {
    long fan;
    switch (mode) {
      case "fan_in":
        fan = Init.fanIn(tensor);
        break;
      case "fan_out":
        fan = Init.fanOut(tensor);
        break;
      default:
        throw new TorchException(
            "Mode " + mode + " not supported, please use one of ['fan_in', 'fan_out']");
    }
    return gain(nonlinearity, slope) / Math.sqrt(fan);
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new TorchException(otherwise);
    }
  }

  public static Tensor eye(Tensor tensor) {
    check(tensor.dim() == 2, "Only tensors with 2 dimensions are supported");
    try (NoGradGuard guard = new NoGradGuard();
        MemoryScope scope = new MemoryScope()) {
      tensor.copy_(torch.eye(tensor.size(0), tensor.size(1)));
    }
    return tensor;
  }

  public static Tensor dirac(Tensor tensor, long groups) {
    long dims = tensor.dim();
    check(dims >= 3 && dims <= 5, "Only tensors with 3, 4, or 5 dimensions are supported");
    check(groups > 0 && tensor.size(0) % groups == 0, "dim 0 must be divisible by groups");
    long channels = tensor.size(0) / groups;
    try (NoGradGuard guard = new NoGradGuard();
        MemoryScope scope = new MemoryScope()) {
      tensor.zero_();
      Tensor middle = tensor;
      for (int d = 2; d < dims; d++) {
        middle = middle.select(2, tensor.size(d) / 2);
      }
      for (long group = 0; group < groups; group++) {
        for (long d = 0; d < Math.min(channels, tensor.size(1)); d++) {
          middle.select(0, group * channels + d).select(0, d).fill_(1);
        }
      }
    }
    return tensor;
  }

  public static Tensor sparse(Tensor tensor, double sparsity, double std) {
    check(tensor.dim() == 2, "Only tensors with 2 dimensions are supported");
    long rows = tensor.size(0);
    long zeros = Math.min((long) Math.ceil(sparsity * rows), rows);
    check(zeros >= 0, "the share of zeros must not be negative");
    try (NoGradGuard guard = new NoGradGuard();
        MemoryScope scope = new MemoryScope()) {
      tensor.normal_(0, std);
      for (long column = 0; column < tensor.size(1); column++) {
        tensor.select(1, column).index_fill_(0, torch.randperm(rows).narrow(0, 0, zeros), 0);
      }
    }
    return tensor;
  }

  public static Tensor orthogonal(Tensor tensor, double gain) {
    check(tensor.dim() >= 2, "Only tensors with 2 or more dimensions are supported");
    if (tensor.numel() == 0) {
      return tensor;
    }
    long rows = tensor.size(0);
    long columns = tensor.numel() / rows;
    try (NoGradGuard guard = new NoGradGuard();
        MemoryScope scope = new MemoryScope()) {
      Tensor drawn = tensor.new_empty(rows, columns).normal_(0, 1);
      Tensor wide = rows >= columns ? drawn : drawn.t();
      Tensor result = orthonormalColumns(wide.to(torch.ScalarType.Double));
      tensor.copy_((rows >= columns ? result : result.t()).reshape(tensor.shape())).mul_(gain);
    }
    return tensor;
  }

  /**
   * Gram and Schmidt's columns, each cleaned of the earlier ones twice so that rounding leaves
   * nothing.
   */
  private static Tensor orthonormalColumns(Tensor matrix) {
    Tensor result = torch.zeros_like(matrix);
    for (long j = 0; j < matrix.size(1); j++) {
      Tensor column = matrix.select(1, j);
      Tensor before = result.narrow(1, 0, j);
      for (int pass = 0; pass < 2; pass++) {
        column = column.sub(before.matmul(before.t().matmul(column)));
      }
      result.select(1, j).copy_(column.div(column.mul(column).sum().sqrt()));
    }
    return result;
  }

  public static Tensor truncatedNormal(
      Tensor tensor, double mean, double std, double low, double high) {
    try (NoGradGuard guard = new NoGradGuard();
        MemoryScope scope = new MemoryScope()) {
      double within = shareBelow(high, mean, std) - shareBelow(low, mean, std);
      if (within > REJECTION_WORTH) {
        drawUntilWithin(tensor, mean, std, low, high);
      } else {
        drawByDensity(tensor, mean, std, low, high);
      }
    }
    return tensor;
  }

  private static double shareBelow(double x, double mean, double std) {
    Tensor distance = torch.tensor((x - mean) / std / Math.sqrt(2));
    return (1 + distance.erf().item_double()) / 2;
  }

  private static void drawUntilWithin(
      Tensor tensor, double mean, double std, double low, double high) {
    double least = torch.tensor(low).to(tensor.dtype()).item_double();
    double most = torch.tensor(high).to(tensor.dtype()).item_double();
    tensor.normal_(mean, std);
    while (true) {
      try (MemoryScope scope = new MemoryScope()) {
        Tensor outside = tensor.lt(least).logical_or(tensor.gt(most));
        if (!outside.any().item_bool()) {
          return;
        }
        Tensor again = torch.empty_like(tensor).normal_(mean, std);
        tensor.copy_(torch.where(outside, again, tensor));
      }
    }
  }

  /**
   * Uniform candidates, each accepted with the probability that its density has compared to the
   * largest one.
   */
  private static void drawByDensity(
      Tensor tensor, double mean, double std, double low, double high) {
    double nearest = Math.max(low, Math.min(mean, high));
    double logPeak = -0.5 * Math.pow((nearest - mean) / std, 2);
    Tensor pending = torch.ones_like(tensor).to(torch.ScalarType.Bool);
    while (pending.any().item_bool()) {
      try (MemoryScope scope = new MemoryScope()) {
        Tensor candidates = torch.empty_like(tensor).uniform_(low, high);
        tensor.copy_(torch.where(pending, candidates, tensor));
        Tensor distance = candidates.sub(mean).div_(std);
        Tensor logDensity = distance.mul(distance).mul_(-0.5).sub_(logPeak);
        Tensor rejected = torch.empty_like(tensor).uniform_().log_().gt(logDensity);
        pending.logical_and_(rejected);
      }
    }
  }
}
