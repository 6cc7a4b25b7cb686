package org.onetape.examples;

import static org.onetape.global.torch.cross_entropy;
import static org.onetape.global.torch.manual_seed;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.data.DataLoaderOptions;
import org.onetape.global.torch.ScalarType;
import org.onetape.nn.BatchNorm2dImpl;
import org.onetape.nn.Conv2dImpl;
import org.onetape.nn.Conv2dOptions;
import org.onetape.nn.DropoutImpl;
import org.onetape.nn.FlattenImpl;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.MaxPool2dImpl;
import org.onetape.nn.ReLUImpl;
import org.onetape.nn.SequentialImpl;
import org.onetape.optim.Adam;
import org.onetape.optim.AdamOptions;
import org.onetape.utils.Metrics;

/**
 * A small convolutional network learns handwritten digits; examples/cnn.py is the same program.
 *
 * <p>{@code python -m examples.cnn --java}
 */
public final class Cnn {
  private static final int EPOCHS = 20;
  private static final int SHOWN = 40;

  private Cnn() {}

  /** Two convolutions on 8 × 8 pixels, one on 4 × 4, and a linear layer. */
  private static SequentialImpl makeModel() {
    return new SequentialImpl(
        new Conv2dImpl(new Conv2dOptions(1, 32, 3).padding(1)),
        new BatchNorm2dImpl(32),
        new ReLUImpl(),
        new Conv2dImpl(new Conv2dOptions(32, 32, 3).padding(1)),
        new BatchNorm2dImpl(32),
        new ReLUImpl(),
        new MaxPool2dImpl(2),
        new Conv2dImpl(new Conv2dOptions(32, 64, 3).padding(1)),
        new BatchNorm2dImpl(64),
        new ReLUImpl(),
        new FlattenImpl(),
        new DropoutImpl(0.5),
        new LinearImpl(64 * 4 * 4, 10));
  }

  /** Trains, tests, and leaves a picture. */
  public static void main(String[] args) throws IOException {
    Run run = new Run("cnn", args);
    manual_seed(0);
    Data digits = Data.digits(run.data);
    SequentialImpl model = makeModel();
    Adam optimizer = new Adam(model.parameters(), new AdamOptions(1e-3));
    run.batches(
        digits.loader(new DataLoaderOptions(32)),
        EPOCHS,
        batch -> {
          optimizer.zeroGrad();
          Tensor loss = cross_entropy(model.forward(batch.data()), batch.target());
          loss.backward();
          optimizer.step();
          run.log("loss", loss.item_double());
        });

    model.eval();
    try (NoGradGuard guard = new NoGradGuard()) {
      Tensor answers = model.forward(digits.heldOutX).argmax(1);
      run.report("accuracy on held-out digits", Metrics.accuracy(answers, digits.heldOutY));
      Tensor right = answers.eq(digits.heldOutY).to(ScalarType.Long);
      Tensor worstFirst = right.argsort(true).narrow(0, 0, SHOWN);
      Pictures.save(
          run,
          "Handwritten digits, and what the network says they are",
          Pictures.tiles(
              digits.heldOutX.index_select(0, worstFirst),
              8,
              captions(
                  answers.index_select(0, worstFirst).toLongArray(),
                  digits.heldOutY.index_select(0, worstFirst).toLongArray())));
    }
  }

  private static List<String> captions(long[] answers, long[] truths) {
    List<String> captions = new ArrayList<>();
    for (int i = 0; i < answers.length; i++) {
      captions.add(answers[i] == truths[i] ? "" + answers[i] : answers[i] + ", is " + truths[i]);
    }
    return captions;
  }
}
