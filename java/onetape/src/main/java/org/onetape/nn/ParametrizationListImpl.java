package org.onetape.nn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TorchException;

/**
 * The parametrizations of one tensor, in the order in which they are applied. What they are applied
 * to is {@code original}, or {@code original0}, {@code original1} and so on.
 */
public final class ParametrizationListImpl extends ModuleListImpl {
  private final List<String> originals = new ArrayList<>();
  final boolean isParameter;
  boolean unsafe;

  ParametrizationListImpl(Module first, Tensor original, boolean isParameter, boolean unsafe) {
    super(first);
    rename("ParametrizationList");
    this.isParameter = isParameter;
    this.unsafe = unsafe;
    boolean requiresGrad = original.requires_grad();
    Tensor[] from = inverted(original, false);
    if (from == null) {
      originals.add("original");
      registerAs("original", original, isParameter, requiresGrad);
    } else if (from.length == 1) {
      Tensor one = from[0].detach();
      checkType(original, one);
      original.set_data(one);
      originals.add("original");
      registerAs("original", original, isParameter, requiresGrad);
    } else {
      for (int i = 0; i < from.length; i++) {
        originals.add("original" + i);
        registerAs("original" + i, from[i].detach(), isParameter, requiresGrad);
      }
    }
    if (!unsafe) {
      checkUnchanged("Registering a parametrization", "`unsafe`", original, computed());
    }
  }

  private static void checkType(Tensor original, Tensor from) {
    if (original.scalar_type() != from.scalar_type()) {
      throw new IllegalArgumentException(
          "When `right_inverse` outputs one tensor, it may not change the dtype.\noriginal.dtype: "
              + original.scalar_type()
              + "\nright_inverse(original).dtype: "
              + from.scalar_type());
    }
  }

  /** IllegalArgumentException where a parametrization changes dtype or shape. */
  static void checkUnchanged(String what, String flag, Tensor before, Tensor after) {
    String changed = null;
    if (before.scalar_type() != after.scalar_type()) {
      changed = "dtype";
    } else if (!Arrays.equals(before.shape(), after.shape())) {
      changed = "shape";
    }
    if (changed != null) {
      throw new IllegalArgumentException(
          what
              + " may not change the "
              + changed
              + " of the tensor, unless "
              + flag
              + " flag is enabled.");
    }
  }

  /** What the tensors are for a value; null if no parametrization says. */
  private Tensor[] inverted(Tensor value, boolean required) {
    List<Module> parts = new ArrayList<>();
    forEach(parts::add);
    Collections.reverse(parts);
    Tensor[] result = null;
    try (NoGradGuard guard = new NoGradGuard()) {
      for (Module part : parts) {
        if (part instanceof RightInverse) {
          Tensor given = result == null ? value : result[0];
          result = invertedBy((RightInverse) part, given, required, result);
        } else if (required) {
          throw new TorchException(
              "parametrization " + part.name() + " does not implement right_inverse.");
        }
      }
    }
    return result;
  }

  private static Tensor[] invertedBy(
      RightInverse part, Tensor given, boolean required, Tensor[] otherwise) {
    try {
      return part.right_inverse(given);
    } catch (UnsupportedOperationException e) {
      if (required) {
        throw e;
      }
      return otherwise;
    }
  }

  /** Sets what the tensor is computed from so that it becomes a value. */
  public void right_inverse(Tensor value) {
    Tensor[] from = inverted(value, true);
    if (from.length != originals.size()) {
      throw new IllegalArgumentException(
          "'right_inverse' must return a sequence of tensors of length "
              + originals.size()
              + ". Got a sequence of length "
              + from.length
              + ".");
    }
    for (int i = 0; i < from.length; i++) {
      Tensor kept = registered(originals.get(i));
      if (kept.scalar_type() != from[i].scalar_type()) {
        throw new IllegalArgumentException(
            "The tensor returned by `right_inverse` has dtype "
                + from[i].scalar_type()
                + " while `"
                + originals.get(i)
                + "` has dtype "
                + kept.scalar_type());
      }
    }
    for (int i = 0; i < from.length; i++) {
      registered(originals.get(i)).set_data(from[i].detach());
    }
  }

  /** How many tensors it is computed from. */
  public long ntensors() {
    return originals.size();
  }

  /** The names of the tensors that it is computed from. */
  List<String> originals() {
    return originals;
  }

  /** The tensor, computed anew. */
  public Tensor computed() {
    Tensor[] from = new Tensor[originals.size()];
    for (int i = 0; i < from.length; i++) {
      from[i] = registered(originals.get(i));
    }
    Tensor value = null;
    for (Module part : this) {
      value = value == null ? part.call(from) : part.call(value);
    }
    return value;
  }
}
