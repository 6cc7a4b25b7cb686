package org.onetape;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** What {@link Function.Context} is made of. */
abstract class FunctionContext {
  final boolean[] isTensor;
  Tensor[] tensors;
  Tensor[] toSave = {};

  /** For each tensor that was to be saved, whether there is one; null if there are all. */
  private boolean[] present;

  Tensor[] saved = {};
  Tensor[] forForward = {};
  int[] lastMarks = {};
  Tensor[] dirty = {};
  Tensor[] nonDifferentiable = {};
  boolean[] needed;
  boolean materialize = true;
  boolean keepInputs;
  final Map<String, Object> values;

  FunctionContext(Object[] args) {
    values = Collections.synchronizedMap(new HashMap<>());
    isTensor = new boolean[args.length];
    List<Tensor> found = new ArrayList<>();
    for (int i = 0; i < args.length; i++) {
      isTensor[i] = args[i] instanceof Tensor;
      if (isTensor[i]) {
        found.add((Tensor) args[i]);
      }
    }
    tensors = found.toArray(new Tensor[0]);
    needed = new boolean[tensors.length];
    for (int i = 0; i < needed.length; i++) {
      needed[i] = tensors[i].defined() && tensors[i].requires_grad();
    }
  }

  FunctionContext(FunctionContext forward, Tensor[] saved, boolean[] needed) {
    isTensor = forward.isTensor;
    values = forward.values;
    keepInputs = forward.keepInputs;
    tensors = new Tensor[0];
    this.saved = forward.present == null ? saved : withNulls(saved, forward.present);
    this.needed = needed;
  }

  void forget() {
    tensors = toSave = dirty = nonDifferentiable = new Tensor[0];
  }

  private static Tensor[] withNulls(Tensor[] saved, boolean[] present) {
    Tensor[] all = new Tensor[present.length];
    int next = 0;
    for (int i = 0; i < all.length; i++) {
      all[i] = present[i] ? saved[next++] : null;
    }
    return all;
  }

  /**
   * Keeps tensors that went in or came out for {@link #savedTensors()} in backward; null stays
   * null.
   */
  public void saveForBackward(Tensor... kept) {
    toSave = kept.clone();
    present = null;
    if (Arrays.asList(kept).contains(null)) {
      present = new boolean[kept.length];
      for (int i = 0; i < kept.length; i++) {
        present[i] = kept[i] != null;
      }
      toSave = Arrays.stream(kept).filter(Objects::nonNull).toArray(Tensor[]::new);
    }
  }

  /** Keeps tensors that went in or came out for {@link #savedTensors()} in jvp; null stays null. */
  public void saveForForward(Tensor... kept) {
    forForward = kept.clone();
  }

  /**
   * In backward and in jvp: the tensors that were kept.
   *
   * @throws TorchException if one of them was changed in place since
   */
  public Tensor[] savedTensors() {
    return saved.clone();
  }

  /** Keeps something that is not a tensor; {@link #get} gives it back. */
  public void put(String name, Object value) {
    values.put(name, value);
  }

  /** What was kept under a name, or null. */
  public Object get(String name) {
    return values.get(name);
  }

  /** Whether the i-th argument needs a gradient. */
  public boolean needsInputGrad(int i) {
    int tensor = 0;
    for (int k = 0; k < i; k++) {
      tensor += isTensor[k] ? 1 : 0;
    }
    return isTensor[i] && needed[tensor];
  }

  /** For each argument, whether it needs a gradient. */
  public boolean[] needsInputGrad() {
    boolean[] all = new boolean[isTensor.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = needsInputGrad(i);
    }
    return all;
  }

  /** In forward: says which inputs are changed in place; they must be among the results. */
  public void markDirty(Tensor... changed) {
    dirty = changed.clone();
  }

  /** In forward: says which results have no gradient. */
  public void markNonDifferentiable(Tensor... results) {
    nonDifferentiable = results.clone();
  }

  /** Whether backward gets zeros (as it does unless told otherwise) or null for no gradient. */
  public void setMaterializeGrads(boolean zeros) {
    materialize = zeros;
  }

  /** For each result: 1 if it was changed in place, 2 if it has no gradient. */
  int[] marks(Tensor[] outputs) {
    if (dirty.length == 0 && nonDifferentiable.length == 0) {
      return new int[outputs.length];
    }
    Set<Tensor> returned = Collections.newSetFromMap(new IdentityHashMap<>());
    Collections.addAll(returned, outputs);
    if (!returned.containsAll(Arrays.asList(dirty))) {
      throw new TorchException(
          "Some elements marked as dirty during the forward method were not returned as output."
              + " The inputs that are modified inplace must all be outputs of the Function.");
    }
    Map<Tensor, Integer> marked = new IdentityHashMap<>();
    Arrays.stream(dirty).forEach(t -> marked.put(t, 1));
    Arrays.stream(nonDifferentiable).forEach(t -> marked.put(t, 2));
    return Arrays.stream(outputs).mapToInt(t -> marked.getOrDefault(t, 0)).toArray();
  }

  long[] handles(Function function, Tensor[] gradients) {
    int given = gradients == null ? 0 : gradients.length;
    int count = needed.length;
    if (given != isTensor.length && given != count) {
      throw new TorchException(
          "function "
              + function.getClass().getSimpleName()
              + "Backward returned an incorrect number of gradients (expected "
              + isTensor.length
              + ", got "
              + given
              + ")");
    }
    long[] handles = new long[count];
    int tensor = 0;
    for (int i = 0; i < given; i++) {
      if (given == count || isTensor[i]) {
        handles[tensor++] = gradients[i] == null ? 0 : gradients[i].newHandle();
      } else if (gradients[i] != null && gradients[i].defined()) {
        throw new TorchException(
            "function "
                + function.getClass().getSimpleName()
                + "Backward returned a gradient for argument "
                + i
                + ", which is not a tensor");
      }
    }
    return handles;
  }
}
