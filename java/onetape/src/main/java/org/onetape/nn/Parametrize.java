package org.onetape.nn;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.internal.Access;

/**
 * Parameters that are computed from others by modules.
 *
 * <p>{@code register_parametrization(module, "weight", parametrization)} makes the weight a result:
 * what it is computed from is {@code parametrizations.weight.original} (or {@code original0},
 * {@code original1} and so on, if the parametrization takes several). A module of one's own that
 * keeps the tensor in a field asks for it by {@link Module#registered} instead.
 */
public final class Parametrize {
  private static final String PARTS = "parametrizations";
  private static final ThreadLocal<Deque<Map<ParametrizationListImpl, Tensor>>> CACHES =
      ThreadLocal.withInitial(ArrayDeque::new);

  private Parametrize() {}

  /** The end of what {@link #cached} began. */
  @FunctionalInterface
  public interface Cache extends AutoCloseable {
    @Override
    void close();
  }

  /** Until what is returned is closed, this thread computes each parametrized tensor once. */
  public static Cache cached() {
    Deque<Map<ParametrizationListImpl, Tensor>> caches = CACHES.get();
    caches.push(caches.isEmpty() ? new HashMap<>() : caches.peek());
    return caches::pop;
  }

  private static final class Entry implements ModuleParts.Computed {
    final ParametrizationListImpl list;

    Entry(ParametrizationListImpl list) {
      this.list = list;
    }

    @Override
    public Tensor get(boolean calling) {
      Map<ParametrizationListImpl, Tensor> cache = CACHES.get().peek();
      if (cache == null) {
        return list.computed();
      }
      Tensor found = cache.get(list);
      if (found == null) {
        found = Access.unscoped(list.computed()); // the cache may outlive the scope
        cache.put(list, found);
      }
      return found;
    }

    @Override
    public void set(Tensor value) {
      list.right_inverse(value);
    }
  }

  private static ParametrizationListImpl listOf(Module module, String name) {
    ModuleParts.Computed found = module.computed(name);
    return found instanceof Entry ? ((Entry) found).list : null;
  }

  /**
   * Has a parameter or buffer computed by a module from what was there before; returns the module.
   */
  public static <M extends Module> M register_parametrization(
      M module, String tensorName, Module parametrization) {
    return register_parametrization(module, tensorName, parametrization, false);
  }

  /**
   * Has a parameter or buffer computed by a module from what was there before; returns the first.
   *
   * <p>Several may be registered for one tensor: each is applied to what the one before gives. A
   * parametrization that is a {@link RightInverse} may be assigned to.
   *
   * @param unsafe do not check that dtype and shape stay
   * @throws IllegalArgumentException for a tensor that there is not
   */
  public static <M extends Module> M register_parametrization(
      M module, String tensorName, Module parametrization, boolean unsafe) {
    parametrization.train(module.is_training());
    ParametrizationListImpl list = listOf(module, tensorName);
    if (list != null) {
      if (!unsafe) {
        checkAdded(module.registered(tensorName), parametrization);
      }
      list.push_back(parametrization);
      list.unsafe |= unsafe;
      return module;
    }
    boolean isParameter = module.parameterMap().containsKey(tensorName);
    if (!isParameter && !module.bufferMap().containsKey(tensorName)) {
      throw new IllegalArgumentException(
          "Module '"
              + module
              + "' does not have a parameter, a buffer, or a parametrized element with name '"
              + tensorName
              + "'");
    }
    Tensor original = module.registered(tensorName);
    ParametrizationListImpl made =
        new ParametrizationListImpl(parametrization, original, isParameter, unsafe);
    module.take(tensorName);
    if (!module.childMap().containsKey(PARTS)) {
      module.register_module(PARTS, new ModuleDictImpl());
      module.rename("Parametrized" + module.name());
    }
    dict(module).insert(tensorName, made);
    module.compute(tensorName, new Entry(made));
    return module;
  }

  private static ModuleDictImpl dict(Module module) {
    return (ModuleDictImpl) module.childMap().get(PARTS);
  }

  private static void checkAdded(Tensor before, Module parametrization) {
    Tensor after = parametrization.call(before);
    String what = "Registering a parametrization";
    ParametrizationListImpl.checkUnchanged(what, "the `unsafe`", before, after);
    if (parametrization instanceof RightInverse) {
      Tensor[] undone;
      try {
        undone = ((RightInverse) parametrization).right_inverse(after);
      } catch (UnsupportedOperationException e) {
        return;
      }
      if (undone.length != 1) {
        throw new IllegalArgumentException(
            "parametrization.right_inverse must return a tensor. Got: "
                + undone.length
                + " of them");
      }
      ParametrizationListImpl.checkUnchanged(
          "parametrization.right_inverse", "the `unsafe`", before, undone[0]);
    }
  }

  /** Whether a module has parametrizations. */
  public static boolean is_parametrized(Module module) {
    return module.computedNames().stream().anyMatch(name -> listOf(module, name) != null);
  }

  /** Whether a module has parametrizations for the tensor of a name. */
  public static boolean is_parametrized(Module module, String tensorName) {
    return listOf(module, tensorName) != null;
  }

  /** Takes the parametrizations away; the tensor keeps the value that was computed. */
  public static <M extends Module> M remove_parametrizations(M module, String tensorName) {
    return remove_parametrizations(module, tensorName, true);
  }

  /**
   * Takes the parametrizations of a tensor away; returns the module.
   *
   * @param leaveParametrized the tensor keeps the value that was computed; else it gets back what
   *     that was computed from
   * @throws IllegalArgumentException where there are none, or several tensors cannot become one
   */
  public static <M extends Module> M remove_parametrizations(
      M module, String tensorName, boolean leaveParametrized) {
    ParametrizationListImpl list = listOf(module, tensorName);
    if (list == null) {
      throw new IllegalArgumentException(
          "Module " + module + " does not have a parametrization on " + tensorName);
    }
    boolean several = list.originals().size() > 1 || list.originals().get(0).equals("original0");
    if (several && !leaveParametrized) {
      throw new IllegalArgumentException(
          "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized"
              + " in terms of a sequence of tensors.");
    }
    Tensor kept = list.registered(list.originals().get(0));
    boolean requiresGrad = kept.requires_grad();
    if (leaveParametrized) {
      Tensor value;
      try (NoGradGuard guard = new NoGradGuard()) {
        value = module.registered(tensorName).detach();
      }
      if (several) {
        kept = value;
      } else {
        kept.set_data(value);
      }
    }
    module.compute(tensorName, null);
    dict(module).unregister_module(tensorName);
    module.registerAs(tensorName, kept, list.isParameter, requiresGrad);
    if (!is_parametrized(module)) {
      module.unregister_module(PARTS);
      module.rename(module.name().substring("Parametrized".length()));
    }
    return module;
  }

  /** The class of a module, which in Java is the same when it is parametrized. */
  public static Class<? extends Module> type_before_parametrizations(Module module) {
    return module.getClass();
  }

  /** Gives another module the parametrizations of one and what they compute from; returns it. */
  public static <M extends Module> M transfer_parametrizations_and_params(Module from, M to) {
    if (is_parametrized(from)) {
      for (String name : List.copyOf(dict(from).childMap().keySet())) {
        transfer_parametrizations_and_params(from, to, name);
      }
    }
    return to;
  }

  /**
   * Gives another module the parametrizations of a tensor and its originals; returns that module.
   */
  public static <M extends Module> M transfer_parametrizations_and_params(
      Module from, M to, String tensorName) {
    ParametrizationListImpl list = listOf(from, tensorName);
    if (list == null) {
      return to;
    }
    boolean own =
        to.parameterMap().containsKey(tensorName) || to.bufferMap().containsKey(tensorName);
    if (!own && listOf(to, tensorName) == null) {
      to.registerAs(tensorName, from.registered(tensorName).detach(), list.isParameter, true);
    }
    for (Module parametrization : list) {
      register_parametrization(to, tensorName, parametrization, list.unsafe);
    }
    ParametrizationListImpl target = listOf(to, tensorName);
    for (String name : list.originals()) {
      target.replace(
          list.isParameter ? target.parameterMap() : target.bufferMap(),
          name,
          list.registered(name));
    }
    return to;
  }
}
