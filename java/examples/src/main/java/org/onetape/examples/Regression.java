package org.onetape.examples;

import static org.onetape.global.torch.binary_cross_entropy_with_logits;
import static org.onetape.global.torch.manual_seed;
import static org.onetape.global.torch.mse_loss;

import java.awt.image.BufferedImage;
import java.io.IOException;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.global.torch.ScalarType;
import org.onetape.nn.LinearImpl;
import org.onetape.optim.Adam;
import org.onetape.optim.AdamOptions;
import org.onetape.optim.SGD;
import org.onetape.optim.SGDOptions;
import org.onetape.utils.Metrics;

/**
 * Linear and logistic regression on patients' data; examples/regression.py is the same program.
 *
 * <p>{@code python -m examples.regression --java}
 */
public final class Regression {
  private static final int STEPS = 300;

  private Regression() {}

  /** How diabetes goes on, told by a line through ten measures. */
  private static BufferedImage linear(Run run) throws IOException {
    Data diabetes = Data.diabetes(run.data);
    LinearImpl model = new LinearImpl(10, 1);
    SGD optimizer = new SGD(model.parameters(), new SGDOptions(0.05).momentum(0.9));
    run.steps(
        STEPS,
        step -> {
          optimizer.zeroGrad();
          Tensor loss = mse_loss(model.forward(diabetes.x), diabetes.y);
          loss.backward();
          optimizer.step();
          run.log("linear", loss.item_double());
        });

    try (NoGradGuard guard = new NoGradGuard()) {
      Tensor came = diabetes.heldOutY;
      Tensor said = model.forward(diabetes.heldOutX);
      Tensor missed = mse_loss(said, came).div(came.var(false));
      run.report("explained share of the variance (R²)", 1 - missed.item_double());
      return Pictures.points(
          "Diabetes after a year (scaled)",
          "what came",
          "what the line says",
          came.flatten(),
          said.flatten());
    }
  }

  /** Whether a tumour is benign. */
  private static BufferedImage logistic(Run run) throws IOException {
    Data tumours = Data.breastCancer(run.data);
    LinearImpl model = new LinearImpl(30, 1);
    Adam optimizer = new Adam(model.parameters(), new AdamOptions(0.02).weight_decay(1e-3));
    run.steps(
        STEPS,
        step -> {
          optimizer.zeroGrad();
          Tensor loss = binary_cross_entropy_with_logits(model.forward(tumours.x), tumours.y);
          loss.backward();
          optimizer.step();
          run.log("logistic", loss.item_double());
        });

    try (NoGradGuard guard = new NoGradGuard()) {
      Tensor probabilities = model.forward(tumours.heldOutX).sigmoid().flatten();
      Tensor truth = tumours.heldOutY.flatten().to(ScalarType.Long);
      Tensor said = probabilities.gt(0.5).to(ScalarType.Long);
      run.report("accuracy on held-out tumours", Metrics.accuracy(said, truth));
      run.report("area under the ROC curve", Metrics.auroc(probabilities, truth));
      return Pictures.shares(
          "Tumours",
          "probability of being benign",
          "held-out patients",
          new String[] {"malignant", "benign"},
          new double[][] {
            probabilities.masked_select(truth.eq(0)).toDoubleArray(),
            probabilities.masked_select(truth.eq(1)).toDoubleArray()
          });
    }
  }

  /** Trains both, tests, and leaves a picture. */
  public static void main(String[] args) throws IOException {
    Run run = new Run("regression", args);
    manual_seed(0);
    BufferedImage points = linear(run);
    BufferedImage shares = logistic(run);
    Pictures.save(run, "Linear and logistic regression", points, shares);
  }
}
