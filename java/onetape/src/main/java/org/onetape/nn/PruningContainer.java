package org.onetape.nn;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.onetape.Tensor;
import org.onetape.global.torch.ScalarType;

/** Several methods for one parameter: each chooses among what those before have left. */
public final class PruningContainer extends BasePruningMethod {
  private final List<BasePruningMethod> methods = new ArrayList<>();

  /** A container of the given methods, which are for one parameter. */
  public PruningContainer(BasePruningMethod... methods) {
    if (methods.length > 0) {
      tensorName(methods[0].tensorName());
    }
    for (BasePruningMethod method : methods) {
      add_pruning_method(method);
    }
  }

  /** Adds a method behind the others; it must be for the same parameter. */
  public void add_pruning_method(BasePruningMethod method) {
    if (!method.tensorName().equals(tensorName())) {
      throw new IllegalArgumentException(
          "Can only add pruning methods acting on the parameter named '"
              + tensorName()
              + "' to PruningContainer. Found '"
              + method.tensorName()
              + "'");
    }
    methods.add(method);
  }

  /** The methods, in order. */
  public List<BasePruningMethod> methods() {
    return Collections.unmodifiableList(methods);
  }

  @Override
  public PruningType pruning_type() {
    return PruningType.CONTAINER;
  }

  /** The mask of the last method, for what the mask of the others leaves. */
  @Override
  public Tensor compute_mask(Tensor t, Tensor defaultMask) {
    BasePruningMethod method = methods.get(methods.size() - 1);
    ScalarType type = t.scalar_type();
    switch (method.pruning_type()) {
      case GLOBAL:
        return method.compute_mask(t, defaultMask);
      case UNSTRUCTURED:
        {
          Tensor left = defaultMask.eq(1L).reshape(-1).nonzero().reshape(-1);
          Tensor mask = defaultMask.to(type).reshape(-1);
          Tensor part =
              method.compute_mask(t.reshape(-1).index_select(0, left), mask.index_select(0, left));
          return mask.index_copy(0, left, part.to(type)).reshape(t.shape());
        }
      case STRUCTURED:
        {
          long dim = Math.floorMod(((Prune.Channels) method).dim, t.dim());
          long[] others = Reparametrization.others(t, dim);
          Tensor left = defaultMask.sum(others).ne(0L).nonzero().reshape(-1);
          Tensor mask = defaultMask.to(type);
          Tensor part =
              method.compute_mask(t.index_select(dim, left), mask.index_select(dim, left));
          return mask.index_copy(dim, left, part.to(type));
        }
      default:
        throw new IllegalArgumentException("Unrecognized PRUNING_TYPE " + method.pruning_type());
    }
  }
}
