package org.onetape;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.onetape.Autograd.TensorsFunction;

/** The check of second derivatives: of the gradients of a function as a function. */
final class GradGradCheck {
  private GradGradCheck() {}

  /** The gradients of a function as a function of its inputs and of its outputs' gradients. */
  static GradCheck of(
      TensorsFunction function, Tensor[] inputs, Tensor[] gradOutputs, GradCheckOptions options) {
    Tensor[] seeds = gradOutputs == null ? seedsFor(function, inputs) : gradOutputs.clone();
    Tensor[] all = new Tensor[inputs.length + seeds.length];
    System.arraycopy(inputs, 0, all, 0, inputs.length);
    System.arraycopy(seeds, 0, all, inputs.length, seeds.length);
    boolean[] wanted = new boolean[all.length];
    for (int i = 0; i < all.length; i++) {
      wanted[i] = all[i].requires_grad();
    }
    return new GradCheck(given -> gradients(function, given, inputs.length, wanted), all, options);
  }

  private static Tensor[] seedsFor(TensorsFunction function, Tensor[] inputs) {
    Random random = new Random(1);
    return Arrays.stream(GradCheck.recorded(function.apply(inputs)))
        .map(
            y ->
                Elements.tensor(random.doubles(Elements.count(y), -1, 1).toArray(), y)
                    .requires_grad_(true))
        .toArray(Tensor[]::new);
  }

  private static Tensor[] gradients(
      TensorsFunction function, Tensor[] given, int count, boolean[] wanted) {
    List<Tensor> leaves = new ArrayList<>();
    for (int i = 0; i < given.length; i++) {
      if (wanted[i] && !given[i].requires_grad()) {
        given[i].requires_grad_(true);
      }
      if (i < count && wanted[i]) {
        leaves.add(given[i]);
      }
    }
    Tensor[] outputs = GradCheck.recorded(function.apply(Arrays.copyOf(given, count)));
    Tensor[] seeds = Arrays.copyOfRange(given, count, given.length);
    Tensor[] found = Products.gradients(outputs, leaves.toArray(new Tensor[0]), seeds, true, true);
    return Arrays.stream(found).filter(g -> g != null).toArray(Tensor[]::new);
  }
}
