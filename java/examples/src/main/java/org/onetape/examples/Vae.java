package org.onetape.examples;

import static org.onetape.global.torch.arange;
import static org.onetape.global.torch.binary_cross_entropy_with_logits;
import static org.onetape.global.torch.manual_seed;
import static org.onetape.global.torch.randn_like;
import static org.onetape.global.torch.stack;

import java.io.IOException;
import java.util.List;
import org.onetape.NoGradGuard;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.TensorOptional;
import org.onetape.TensorVector;
import org.onetape.data.DataLoaderOptions;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.Module;
import org.onetape.nn.ReLUImpl;
import org.onetape.nn.SequentialImpl;
import org.onetape.optim.Adam;
import org.onetape.optim.AdamOptions;

/**
 * A variational autoencoder finds two numbers that tell a digit; examples/vae.py is the same
 * program.
 *
 * <p>{@code python -m examples.vae --java}
 */
public final class Vae {
  private static final int EPOCHS = 150;
  private static final int PIXELS = Data.SIDE * Data.SIDE;

  /** How many digits a side of the map has. */
  private static final int GRID = 14;

  private Vae() {}

  /** Three linear layers with rectifiers between them. */
  private static SequentialImpl layers(int first, int second, int third, int last) {
    return new SequentialImpl(
        new LinearImpl(first, second),
        new ReLUImpl(),
        new LinearImpl(second, third),
        new ReLUImpl(),
        new LinearImpl(third, last));
  }

  /**
   * An encoder to the mean and the logarithmic variance of two codes, and a decoder to the pixels'
   * logits.
   */
  private static final class Autoencoder extends Module {
    final SequentialImpl encoder = layers(PIXELS, 256, 128, 4);
    final SequentialImpl decoder = layers(2, 128, 256, PIXELS);

    /** What is lost of images (N, 64) and how far codes are from normal, in nats an image. */
    Tensor loss(Tensor images) {
      TensorVector parts = encoder.forward(images).chunk(2, 1);
      Tensor mean = parts.get(0);
      Tensor logVariance = parts.get(1);
      Tensor code = mean.add(logVariance.div(2).exp().mul(randn_like(mean)));
      TensorOptional none = new TensorOptional();
      Tensor lost =
          binary_cross_entropy_with_logits(decoder.forward(code), images, none, none, "sum");
      Tensor divergence =
          logVariance.add(1).sub(mean.square()).sub(logVariance.exp()).sum().mul(-0.5);
      return lost.add(divergence).div(images.size(0));
    }
  }

  /** Codes (GRID², 2) at equal shares of the normal distribution in both directions. */
  private static Tensor codeMap() {
    Tensor shares = arange(new Scalar(GRID)).add(0.5).div(GRID);
    Tensor places = shares.mul(2).sub(1).erfinv().mul(Math.sqrt(2));
    return stack(new Tensor[] {places.repeat(GRID), places.flip(0).repeat_interleave(GRID)}, 1);
  }

  /** Trains, tests, and leaves a picture. */
  public static void main(String[] args) throws IOException {
    Run run = new Run("vae", args);
    manual_seed(0);
    Data digits = Data.digits(run.data);
    Autoencoder model = new Autoencoder();
    Adam optimizer = new Adam(model.parameters(), new AdamOptions(1e-3));
    run.batches(
        digits.loader(new DataLoaderOptions(64)),
        EPOCHS,
        batch -> {
          optimizer.zeroGrad();
          Tensor loss = model.loss(batch.data().flatten(1));
          loss.backward();
          optimizer.step();
          run.log("loss", loss.item_double());
        });

    try (NoGradGuard guard = new NoGradGuard()) {
      run.report("nats a held-out digit", model.loss(digits.heldOutX.flatten(1)).item_double());
      Tensor drawn = model.decoder.forward(codeMap()).sigmoid();
      Pictures.save(
          run, "What two numbers tell: a map of digits", Pictures.tiles(drawn, GRID, List.of()));
    }
  }
}
