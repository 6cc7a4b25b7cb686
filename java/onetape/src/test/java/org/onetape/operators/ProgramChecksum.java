package org.onetape.operators;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import java.util.Arrays;
import java.util.List;
import org.onetape.Tensor;

/** The elements of a tensor weighed by their places and added up. */
final class ProgramChecksum {
  /** Sums of this size and below are compared as if they were of it. */
  private static final double TINY = 1e-3;

  private final double sum;

  /** Of what was added up, so that one knows which digits count. */
  private final double size;

  private ProgramChecksum(double sum, double size) {
    this.sum = sum;
    this.size = size;
  }

  static ProgramChecksum of(Tensor tensor) {
    double sum = 0;
    double size = 0;
    double[] elements = Values.elements(tensor.detach());
    for (int k = 0; k < elements.length; k++) {
      double weighed = elements[k] * (1 + (37 * k + 11) % 61 / 61.0);
      sum += weighed;
      size += Math.abs(weighed);
    }
    return new ProgramChecksum(sum, size);
  }

  @Override
  public String toString() {
    return String.valueOf(sum);
  }

  /** Where two lists of notes differ; null if they agree. */
  static String difference(String what, JsonArray stored, List<Object> found, double tolerance) {
    for (int i = 0; i < Math.min(stored.size(), found.size()); i++) {
      if (!agree(stored.get(i), found.get(i), tolerance)) {
        return what + " " + i + ": " + text(found.get(i)) + ", but in PyTorch " + stored.get(i);
      }
    }
    return stored.size() == found.size()
        ? null
        : found.size() + " notes of " + what + ", in PyTorch " + stored.size();
  }

  private static String text(Object found) {
    return found instanceof long[] ? Arrays.toString((long[]) found) : found.toString();
  }

  private static boolean agree(JsonElement stored, Object found, double tolerance) {
    if (found == null || stored.isJsonNull()) {
      return found == null && stored.isJsonNull();
    } else if (found instanceof ProgramChecksum) {
      ProgramChecksum checksum = (ProgramChecksum) found;
      double error = Math.abs(stored.getAsDouble() - checksum.sum);
      return error <= tolerance * (checksum.size + TINY);
    } else if (found instanceof long[]) {
      return Arrays.equals(Values.longs(stored.getAsJsonArray()), (long[]) found);
    } else if (found instanceof List) {
      List<?> list = (List<?>) found;
      JsonArray expected = stored.getAsJsonArray();
      boolean agree = expected.size() == list.size();
      for (int i = 0; agree && i < list.size(); i++) {
        agree = agree(expected.get(i), list.get(i), tolerance);
      }
      return agree;
    } else if (found instanceof Long) {
      return stored.getAsLong() == (Long) found;
    }
    return stored.getAsString().equals(found.toString());
  }
}
