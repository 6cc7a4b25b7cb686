package org.onetape.nn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.TensorVector;
import org.onetape.global.torch;

/** Parameters some of whose elements are zero for good; see {@link BasePruningMethod}. */
public final class Prune {
  private Prune() {}

  /** How many elements or channels go, or which share of them. */
  private static final class Amount {
    final double number;
    final boolean share;

    Amount(double number, boolean share) {
      if (!(number >= 0) || (share && number > 1)) {
        throw new IllegalArgumentException(
            "amount="
                + (share ? PythonText.of(number) : Long.toString((long) number))
                + " should either be a float in the range [0, 1] or a non-negative integer");
      }
      this.number = number;
      this.share = share;
    }

    long of(long size) {
      long count = (long) (share ? Math.rint(number * size) : number);
      if (count > size) {
        throw new IllegalArgumentException(
            "amount="
                + count
                + " should be smaller than the number of parameters to prune="
                + size);
      }
      return count;
    }
  }

  /** Nothing becomes zero. */
  public static final class Identity extends BasePruningMethod {
    @Override
    public PruningType pruning_type() {
      return PruningType.UNSTRUCTURED;
    }

    @Override
    public Tensor compute_mask(Tensor t, Tensor defaultMask) {
      return defaultMask;
    }
  }

  private abstract static class Elements extends BasePruningMethod {
    private final Amount amount;

    Elements(double number, boolean share) {
      amount = new Amount(number, share);
    }

    @Override
    public PruningType pruning_type() {
      return PruningType.UNSTRUCTURED;
    }

    /** Where so many elements are that go. */
    abstract Tensor chosen(Tensor t, long count);

    @Override
    public Tensor compute_mask(Tensor t, Tensor defaultMask) {
      long count = amount.of(t.numel());
      if (count == 0) {
        return defaultMask.clone();
      }
      Tensor flat = defaultMask.reshape(-1).index_fill(0, chosen(t, count), 0L);
      return flat.reshape(defaultMask.shape());
    }
  }

  /** Elements that are drawn become zero. */
  public static final class RandomUnstructured extends Elements {
    /** So large a share of them. */
    public RandomUnstructured(double share) {
      super(share, true);
    }

    /** So many of them. */
    public RandomUnstructured(long count) {
      super(count, false);
    }

    @Override
    Tensor chosen(Tensor t, long count) {
      return torch.rand_like(t).reshape(-1).topk(count).get1();
    }
  }

  /** The smallest elements become zero. */
  public static final class L1Unstructured extends Elements {
    /** So large a share of them. */
    public L1Unstructured(double share) {
      super(share, true);
    }

    /** So many of them. */
    public L1Unstructured(long count) {
      super(count, false);
    }

    @Override
    Tensor chosen(Tensor t, long count) {
      return t.abs().reshape(-1).topk(count, -1, false).get1();
    }
  }

  /** Whole channels become zero. */
  abstract static class Channels extends BasePruningMethod {
    private final Amount amount;
    final long dim;

    Channels(double number, boolean share, long dim) {
      amount = new Amount(number, share);
      this.dim = dim;
    }

    @Override
    public PruningType pruning_type() {
      return PruningType.STRUCTURED;
    }

    /** How much each channel counts. */
    abstract Tensor weights(Tensor t, long channels);

    @Override
    public Tensor compute_mask(Tensor t, Tensor defaultMask) {
      String size = PythonText.size(t.shape());
      if (t.dim() <= 1) {
        throw new IllegalArgumentException(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of"
                + " shape "
                + size
                + " with "
                + t.dim()
                + " dims");
      }
      if (dim >= t.dim()) {
        throw new IndexOutOfBoundsException("Invalid index " + dim + " for tensor of size " + size);
      }
      long channels = t.size(dim);
      long count = amount.of(channels);
      if (count == 0) {
        return defaultMask;
      }
      Tensor kept = weights(t, channels).topk(channels - count).get1();
      return torch.zeros_like(t).index_fill(dim, kept, 1L).mul(defaultMask.to(t.scalar_type()));
    }
  }

  /** Channels that are drawn become zero. */
  public static final class RandomStructured extends Channels {
    /** So large a share of them; dim: what the channels are. */
    public RandomStructured(double share, long dim) {
      super(share, true, dim);
    }

    /** So many of them; dim: what the channels are. */
    public RandomStructured(long count, long dim) {
      super(count, false, dim);
    }

    @Override
    Tensor weights(Tensor t, long channels) {
      return torch.rand(new long[] {channels}, new TensorOptions());
    }
  }

  /** The channels of the smallest norm become zero. */
  public static final class LnStructured extends Channels {
    private final double n;

    /** So large a share of them; n: the norm; dim: what the channels are. */
    public LnStructured(double share, double n, long dim) {
      super(share, true, dim);
      this.n = n;
    }

    /** So many of them; n: the norm; dim: what the channels are. */
    public LnStructured(long count, double n, long dim) {
      super(count, false, dim);
      this.n = n;
    }

    @Override
    Tensor weights(Tensor t, long channels) {
      return t.norm(n, Reparametrization.others(t, Math.floorMod(dim, t.dim())), false);
    }
  }

  /** The zeros of a mask. */
  public static final class CustomFromMask extends BasePruningMethod {
    private final Tensor mask;

    /** Those of this mask. */
    public CustomFromMask(Tensor mask) {
      this.mask = mask;
    }

    @Override
    public PruningType pruning_type() {
      return PruningType.GLOBAL;
    }

    @Override
    public Tensor compute_mask(Tensor t, Tensor defaultMask) {
      if (!Arrays.equals(defaultMask.shape(), mask.shape())) {
        throw new IllegalArgumentException(
            "default_mask shape "
                + PythonText.size(defaultMask.shape())
                + " must match self.mask shape "
                + PythonText.size(mask.shape()));
      }
      return defaultMask.mul(mask.to(defaultMask.scalar_type()));
    }
  }

  private static <M extends Module> M applied(M module, String name, BasePruningMethod method) {
    method.apply(module, name);
    return module;
  }

  /** Makes a parameter one that is computed with a mask of ones; returns the module. */
  public static <M extends Module> M identity(M module, String name) {
    return applied(module, name, new Identity());
  }

  /** Has such a share of the elements, which are drawn, be zero; returns the module. */
  public static <M extends Module> M random_unstructured(M module, String name, double share) {
    return applied(module, name, new RandomUnstructured(share));
  }

  /** Has so many elements, which are drawn, be zero; returns the module. */
  public static <M extends Module> M random_unstructured(M module, String name, long count) {
    return applied(module, name, new RandomUnstructured(count));
  }

  /** Has such a share of the elements, the smallest, be zero; returns the module. */
  public static <M extends Module> M l1_unstructured(M module, String name, double share) {
    return applied(module, name, new L1Unstructured(share));
  }

  /** Has so many of the smallest elements be zero; returns the module. */
  public static <M extends Module> M l1_unstructured(M module, String name, long count) {
    return applied(module, name, new L1Unstructured(count));
  }

  /** Has such a share of the channels along dim, which are drawn, be zero; returns the module. */
  public static <M extends Module> M random_structured(
      M module, String name, double share, long dim) {
    return applied(module, name, new RandomStructured(share, dim));
  }

  /** Has so many channels along dim, which are drawn, be zero; returns the module. */
  public static <M extends Module> M random_structured(
      M module, String name, long count, long dim) {
    return applied(module, name, new RandomStructured(count, dim));
  }

  /**
   * Has such a share of the channels along dim, of the smallest norm, be zero; returns the module.
   */
  public static <M extends Module> M ln_structured(
      M module, String name, double share, double n, long dim) {
    return applied(module, name, new LnStructured(share, n, dim));
  }

  /** Has so many channels along dim, of the smallest norm, be zero; returns the module. */
  public static <M extends Module> M ln_structured(
      M module, String name, long count, double n, long dim) {
    return applied(module, name, new LnStructured(count, n, dim));
  }

  /** Has the elements be zero where the mask is; returns the module. */
  public static <M extends Module> M custom_from_mask(M module, String name, Tensor mask) {
    return applied(module, name, new CustomFromMask(mask));
  }

  /**
   * Has elements of several parameters be zero that a method chooses among all of them together.
   */
  public static void global_unstructured(
      List<? extends Map.Entry<? extends Module, String>> parameters, BasePruningMethod method) {
    if (method.pruning_type() != BasePruningMethod.PruningType.UNSTRUCTURED) {
      throw new IllegalArgumentException(
          "Only \"unstructured\" PRUNING_TYPE supported for the `pruning_method`. Found method "
              + method.getClass().getSimpleName()
              + " of type "
              + method.pruning_type());
    }
    List<Tensor> scores = new ArrayList<>();
    List<Tensor> masks = new ArrayList<>();
    for (Map.Entry<? extends Module, String> one : parameters) {
      Tensor tensor = one.getKey().registered(one.getValue()).detach();
      scores.add(tensor.reshape(-1));
      boolean pruned = BasePruningMethod.of(one.getKey(), one.getValue()) != null;
      Tensor mask =
          pruned ? one.getKey().registered(one.getValue() + "_mask") : torch.ones_like(tensor);
      masks.add(mask.reshape(-1));
    }
    Tensor mask = new PruningContainer(method).compute_mask(together(scores), together(masks));
    long start = 0;
    for (int i = 0; i < scores.size(); i++) {
      long count = scores.get(i).numel();
      Map.Entry<? extends Module, String> one = parameters.get(i);
      long[] shape = one.getKey().registered(one.getValue()).shape();
      custom_from_mask(one.getKey(), one.getValue(), mask.narrow(0, start, count).reshape(shape));
      start += count;
    }
  }

  private static Tensor together(List<Tensor> parts) {
    return torch.cat(new TensorVector(parts.toArray(new Tensor[0])), 0);
  }

  /**
   * Makes a parameter what is computed for it, for good; returns the module.
   *
   * @throws IllegalArgumentException where it is not pruned
   */
  public static <M extends Module> M remove(M module, String name) {
    if (BasePruningMethod.of(module, name) == null) {
      throw new IllegalArgumentException(
          "Parameter '"
              + name
              + "' of module "
              + module
              + " has to be pruned before pruning can be removed");
    }
    Tensor value = module.registered(name).detach();
    module.compute(name, null);
    Tensor orig = module.take(name + "_orig");
    module.take(name + "_mask").close();
    orig.set_data(value);
    module.register_parameter(name, orig, orig.requires_grad());
    return module;
  }

  /** Whether a module or one of its parts has pruned parameters. */
  public static boolean is_pruned(Module module) {
    for (Module part : module.modules()) {
      if (part.computedNames().stream()
          .anyMatch(name -> BasePruningMethod.of(part, name) != null)) {
        return true;
      }
    }
    return false;
  }
}
