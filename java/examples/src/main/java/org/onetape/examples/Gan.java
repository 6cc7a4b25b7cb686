package org.onetape.examples;

import static org.onetape.global.torch.binary_cross_entropy_with_logits;
import static org.onetape.global.torch.full_like;
import static org.onetape.global.torch.manual_seed;
import static org.onetape.global.torch.randn;

import java.io.IOException;
import java.util.List;
import org.onetape.NoGradGuard;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.data.DataLoaderOptions;
import org.onetape.global.torch.ScalarType;
import org.onetape.nn.BatchNorm2dImpl;
import org.onetape.nn.Conv2dImpl;
import org.onetape.nn.Conv2dOptions;
import org.onetape.nn.ConvTranspose2dImpl;
import org.onetape.nn.ConvTranspose2dOptions;
import org.onetape.nn.DropoutImpl;
import org.onetape.nn.FlattenImpl;
import org.onetape.nn.LeakyReLUImpl;
import org.onetape.nn.LeakyReLUOptions;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.Module;
import org.onetape.nn.ReLUImpl;
import org.onetape.nn.SequentialImpl;
import org.onetape.nn.SigmoidImpl;
import org.onetape.optim.Adam;
import org.onetape.optim.AdamOptions;

/**
 * Two networks play: one draws digits, one tells them from real ones; examples/gan.py is the same
 * program.
 *
 * <p>{@code python -m examples.gan --java}
 */
public final class Gan {
  private static final int EPOCHS = 120;
  private static final int BATCH = 64;
  private static final int NOISE = 16;

  private Gan() {}

  /** From noise (N, 16, 1, 1) to images (N, 1, 8, 8). */
  private static SequentialImpl makeGenerator() {
    return new SequentialImpl(
        new ConvTranspose2dImpl(NOISE, 64, 2),
        new BatchNorm2dImpl(64),
        new ReLUImpl(),
        new ConvTranspose2dImpl(new ConvTranspose2dOptions(64, 32, 4).stride(2).padding(1)),
        new BatchNorm2dImpl(32),
        new ReLUImpl(),
        new ConvTranspose2dImpl(new ConvTranspose2dOptions(32, 1, 4).stride(2).padding(1)),
        new SigmoidImpl());
  }

  /** From images (N, 1, 8, 8) to logits (N, 1) of being real. */
  private static SequentialImpl makeCritic() {
    return new SequentialImpl(
        new Conv2dImpl(new Conv2dOptions(1, 32, 4).stride(2).padding(1)),
        new LeakyReLUImpl(new LeakyReLUOptions().negative_slope(0.2)),
        new DropoutImpl(0.3),
        new Conv2dImpl(new Conv2dOptions(32, 64, 4).stride(2).padding(1)),
        new LeakyReLUImpl(new LeakyReLUOptions().negative_slope(0.2)),
        new DropoutImpl(0.3),
        new FlattenImpl(),
        new LinearImpl(64 * 2 * 2, 1));
  }

  private static Tensor noise(long count) {
    return randn(count, NOISE, 1, 1);
  }

  private static Adam optimizer(Module model) {
    return new Adam(model.parameters(), new AdamOptions(1e-3).betas(0.5, 0.999));
  }

  /** How far the critic is from calling images real, or from calling them drawn. */
  private static Tensor says(SequentialImpl critic, Tensor images, boolean real) {
    Tensor logits = critic.forward(images);
    return binary_cross_entropy_with_logits(
        logits, full_like(logits, new Scalar(real ? 1.0 : 0.0)));
  }

  /** Trains, tests, and leaves a picture. */
  public static void main(String[] args) throws IOException {
    Run run = new Run("gan", args);
    manual_seed(0);
    Data digits = Data.digits(run.data);
    SequentialImpl generator = makeGenerator();
    SequentialImpl critic = makeCritic();
    Adam drawing = optimizer(generator);
    Adam judging = optimizer(critic);
    run.batches(
        digits.loader(new DataLoaderOptions(BATCH).drop_last(true)),
        EPOCHS,
        batch -> {
          Tensor drawn = generator.forward(noise(BATCH));

          judging.zeroGrad();
          Tensor criticLoss =
              says(critic, batch.data(), true).add(says(critic, drawn.detach(), false));
          criticLoss.backward();
          judging.step();

          drawing.zeroGrad();
          Tensor generatorLoss = says(critic, drawn, true);
          generatorLoss.backward();
          drawing.step();
          run.log("critic", criticLoss.item_double());
          run.log("generator", generatorLoss.item_double());
        });

    generator.eval();
    critic.eval();
    try (NoGradGuard guard = new NoGradGuard()) {
      Tensor drawn = generator.forward(noise(100));
      Tensor taken = critic.forward(drawn).gt(0).to(ScalarType.Float).mean();
      run.report("share of drawn digits taken for real", taken.item_double());
      Pictures.save(run, "Digits that nobody wrote", Pictures.tiles(drawn, 10, List.of()));
    }
  }
}
