package org.onetape.nn;

import java.util.Arrays;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** What layers share that normalise each channel of each sample. */
public abstract class InstanceNormBase extends RunningNorm {
  InstanceNormBase(String name, InstanceNormOptions options, boolean lazy) {
    super(
        name,
        options.num_features().get(),
        options.eps().get(),
        options.momentum(),
        options.affine().get(),
        options.track_running_stats().get(),
        lazy);
  }

  /** The normalised input, which may be one sample of the given number of dimensions. */
  final Tensor normalize(Tensor input, int single) {
    long place = input.dim() - single;
    if (affine && input.size(place) != features()) {
      throw new IllegalArgumentException(
          "expected input's size at dim="
              + place
              + " to match num_features ("
              + features()
              + "), but got: "
              + input.size(place)
              + ".");
    }
    Tensor batch = place == 0 ? input.unsqueeze(0) : input;
    boolean own = is_training() || !tracks;
    long[] sizes = batch.shape();
    if (own && Arrays.stream(sizes, 2, sizes.length).reduce(1, (a, b) -> a * b) == 1) {
      throw new IllegalArgumentException(
          "Expected more than 1 spatial element when training, got input size "
              + PythonText.size(sizes));
    }
    Tensor result =
        torch.instance_norm(
            batch,
            own("weight"),
            own("bias"),
            running("running_mean"),
            running("running_var"),
            own,
            momentum.has_value() ? momentum.get() : 0,
            eps,
            false);
    return place == 0 ? result.squeeze(0) : result;
  }
}
