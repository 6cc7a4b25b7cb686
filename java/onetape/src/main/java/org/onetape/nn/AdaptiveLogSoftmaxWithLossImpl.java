package org.onetape.nn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.onetape.GraphRecording;
import org.onetape.LongVector;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.TorchException;
import org.onetape.global.torch;

/**
 * The log-probability of the right class, with classes in the order of how frequent they are: of
 * clusters of rarer classes, the head knows only how probable each is; what is within is computed
 * for samples that need it.
 */
public class AdaptiveLogSoftmaxWithLossImpl extends Module {
  private final AdaptiveLogSoftmaxWithLossOptions options;
  private final long[] borders;
  private final long shortlist;
  private final LinearImpl head;
  private final ModuleListImpl tail = new ModuleListImpl();

  /** Features, classes, and where clusters of rarer classes begin. */
  public AdaptiveLogSoftmaxWithLossImpl(long inFeatures, long nClasses, LongVector cutoffs) {
    this(new AdaptiveLogSoftmaxWithLossOptions(inFeatures, nClasses, cutoffs));
  }

  /** A layer as the options say. */
  public AdaptiveLogSoftmaxWithLossImpl(AdaptiveLogSoftmaxWithLossOptions options) {
    super("AdaptiveLogSoftmaxWithLoss");
    this.options = options;
    long[] cutoffs = options.cutoffs().get();
    long features = options.in_features().get();
    check(cutoffs, options.n_classes().get());
    borders = Arrays.copyOf(cutoffs, cutoffs.length + 1);
    borders[cutoffs.length] = options.n_classes().get();
    shortlist = cutoffs[0];
    boolean bias = options.head_bias().get();
    head = new LinearImpl(new LinearOptions(features, shortlist + cutoffs.length).bias(bias));
    register_module("head", head);
    register_module("tail", tail);
    for (int i = 0; i < cutoffs.length; i++) {
      long inner = (long) Math.floor(features / Math.pow(options.div_value().get(), i + 1));
      long outer = borders[i + 1] - borders[i];
      tail.push_back(
          new SequentialImpl(
              new LinearImpl(new LinearOptions(features, inner).bias(false)),
              new LinearImpl(new LinearOptions(inner, outer).bias(false))));
    }
  }

  private static void check(long[] cutoffs, long classes) {
    if (cutoffs.length == 0) {
      throw new IllegalArgumentException("cutoffs should be a sequence of length larger than 0");
    }
    boolean fits = cutoffs[0] > 0 && cutoffs[cutoffs.length - 1] <= classes - 1;
    for (int i = 1; i < cutoffs.length; i++) {
      fits = fits && cutoffs[i - 1] < cutoffs[i];
    }
    if (!fits) {
      throw new IllegalArgumentException(
          "cutoffs should be a sequence of unique, positive integers sorted in an increasing order,"
              + " where each value is between 1 and n_classes-1");
    }
  }

  private void check(Tensor input, Tensor target) {
    if (target.dim() > 1) {
      throw new TorchException("0D or 1D target tensor expected, multi-target not supported");
    }
    if (target.dim() == 1 && input.size(0) != target.size(0)) {
      throw new TorchException(
          "Input and target should have the same size in the batch dimension.");
    }
    if (input.dim() != target.dim() + 1) {
      throw new TorchException(
          target.dim()
              + "D target tensor expects "
              + (target.dim() + 1)
              + "D input tensors, but found inputs with size "
              + PythonText.size(input.shape()));
    }
    long least = target.min().item_long();
    long most = target.max().item_long();
    long classes = options.n_classes().get();
    if (least < 0 || most >= classes) {
      throw new TorchException(
          String.format(
              "Target values should be in [0, %d], but values in range [%d, %d] were found. ",
              classes - 1, least, most));
    }
  }

  /** The log-probability of each sample's class, and the mean of their negatives. */
  public ASMoutput forward_loss(Tensor input, Tensor target) {
    check(input, target);
    boolean alone = target.dim() == 0;
    try (GraphRecording.Call call = entered()) {
      Tensor found =
          alone
              ? logProbability(input.unsqueeze(0), target.unsqueeze(0))
              : logProbability(input, target);
      return new ASMoutput(alone ? found.squeeze(0) : found, found.neg().mean());
    }
  }

  /** The log-probability of each sample's class. */
  @Override
  public Tensor forward(Tensor input, Tensor target) {
    return forward_loss(input, target).output();
  }

  private Tensor logProbability(Tensor input, Tensor target) {
    Tensor output = input.new_zeros(target.size(0));
    Tensor ofHead = target.clone();
    for (int i = 0; i + 1 < borders.length; i++) {
      Tensor inside =
          target.ge(new Scalar(borders[i])).logical_and(target.lt(new Scalar(borders[i + 1])));
      Tensor rows = inside.nonzero().reshape(-1);
      if (rows.numel() == 0) {
        continue;
      }
      ofHead = ofHead.index_fill(0, rows, new Scalar(shortlist + i));
      Tensor within = torch.log_softmax(tail.get(i).call(input.index_select(0, rows)), 1);
      Tensor number = target.index_select(0, rows).sub(new Scalar(borders[i])).unsqueeze(1);
      output = output.index_copy(0, rows, within.gather(1, number).squeeze(1));
    }
    Tensor scores = torch.log_softmax(head.call(input), 1);
    return output.add(scores.gather(1, ofHead.unsqueeze(1)).squeeze(1));
  }

  /** The log-probabilities of all classes, (samples, classes). */
  public Tensor log_prob(Tensor input) {
    Tensor scores = torch.log_softmax(head.call(input), 1);
    List<Tensor> parts = new ArrayList<>();
    parts.add(scores.narrow(1, 0, shortlist));
    for (int i = 0; i + 1 < borders.length; i++) {
      Tensor within = torch.log_softmax(tail.get(i).call(input), 1);
      parts.add(within.add(scores.narrow(1, shortlist + i, 1)));
    }
    return torch.cat(new TensorVector(parts.toArray(new Tensor[0])), 1);
  }

  /** The most probable class of each sample. */
  public Tensor predict(Tensor input) {
    Tensor found = head.call(input).argmax(1);
    Tensor rows = found.ge(new Scalar(shortlist)).nonzero().reshape(-1);
    if (rows.numel() == 0) {
      return found;
    }
    return found.index_copy(0, rows, log_prob(input.index_select(0, rows)).argmax(1));
  }

  /** How the layer was made. */
  public AdaptiveLogSoftmaxWithLossOptions options() {
    return options;
  }
}
