package org.onetape.examples;

import static org.onetape.global.torch.binary_cross_entropy_with_logits;
import static org.onetape.global.torch.clip_grad_norm_;
import static org.onetape.global.torch.manual_seed;
import static org.onetape.global.torch.tensor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.data.DataLoader;
import org.onetape.data.DataLoaderOptions;
import org.onetape.data.TensorDataset;
import org.onetape.global.torch.ScalarType;
import org.onetape.nn.EmbeddingImpl;
import org.onetape.nn.GRUImpl;
import org.onetape.nn.GRUOptions;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.Module;
import org.onetape.optim.Adam;
import org.onetape.optim.AdamOptions;
import org.onetape.utils.Metrics;

/**
 * A recurrent network puts the spaces back into a text without any; examples/spaces.py is the same
 * program.
 *
 * <p>{@code python -m examples.spaces --java}
 */
public final class Spaces {
  private static final int EPOCHS = 4;
  private static final int LENGTH = 64;
  private static final int HELD_OUT = 400;
  private static final int SHOWN = 12;

  private Spaces() {}

  /** Reads letters (N, L) in both directions; logits (N, L) of a space behind each. */
  private static final class Reader extends Module {
    private final EmbeddingImpl embedding = new EmbeddingImpl(26, 32);
    private final GRUImpl memory =
        new GRUImpl(new GRUOptions(32, 96).num_layers(2).batch_first(true).bidirectional(true));
    private final LinearImpl answer = new LinearImpl(2 * 96, 1);

    @Override
    public Tensor forward(Tensor letters) {
      Tensor states = memory.forwardT_TensorTensor_T(embedding.forward(letters)).get0();
      return answer.forward(states).squeeze(2);
    }
  }

  /** A row of letters with spaces where they are said to be. */
  private static String written(long[] letters, long[] ends) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < letters.length; i++) {
      text.append((char) ('a' + letters[i])).append(ends[i] == 1 ? " " : "");
    }
    return text.toString();
  }

  /** Trains, tests, and leaves a picture. */
  public static void main(String[] args) throws IOException {
    Run run = new Run("spaces", args);
    manual_seed(0);
    String text = Data.text(run.data).toLowerCase(Locale.ROOT).replaceAll("[^a-z]+", " ").strip();
    String without = text.replace(" ", "");
    long[] letters = without.chars().mapToLong(letter -> letter - 'a').toArray();
    float[] ends = new float[letters.length];
    int place = -1;
    for (char letter : (text + " ").toCharArray()) {
      if (letter == ' ') {
        ends[place] = 1;
      } else {
        place++;
      }
    }
    Tensor x = tensor(letters).unfold(0, LENGTH, LENGTH);
    Tensor y = tensor(ends).unfold(0, LENGTH, LENGTH);
    long kept = x.size(0) - HELD_OUT;
    TensorDataset training = new TensorDataset(x.narrow(0, 0, kept), y.narrow(0, 0, kept));

    Reader model = new Reader();
    Adam optimizer = new Adam(model.parameters(), new AdamOptions(3e-3));
    run.batches(
        new DataLoader<>(training, new DataLoaderOptions(32).shuffle(true)),
        EPOCHS,
        batch -> {
          optimizer.zeroGrad();
          Tensor logits = model.forward(batch.data());
          Tensor loss = binary_cross_entropy_with_logits(logits, batch.target());
          loss.backward();
          clip_grad_norm_(model.parameters(), 1.0);
          optimizer.step();
          run.log("loss", loss.item_double());
        });
    test(run, model, x.narrow(0, kept, HELD_OUT), y.narrow(0, kept, HELD_OUT));
  }

  private static void test(Run run, Reader model, Tensor x, Tensor y) throws IOException {
    try (NoGradGuard guard = new NoGradGuard()) {
      Tensor said = model.forward(x).gt(0).to(ScalarType.Long);
      Tensor truth = y.to(ScalarType.Long);
      long[] counts = Metrics.confusionMatrix(said.flatten(), truth.flatten(), 2).toLongArray();
      double wrong = counts[1];
      double missing = counts[2];
      double right = counts[3];
      run.report("share of the spaces that were found", right / (right + missing));
      run.report("share of the said spaces that are right", right / Math.max(right + wrong, 1));

      List<String> rows = new ArrayList<>();
      for (int i = 0; i < SHOWN; i++) {
        rows.add(written(x.select(0, i).toLongArray(), said.select(0, i).toLongArray()));
      }
      System.out.println(String.join("\n", rows));
      Pictures.save(run, "Spaces put back", Pictures.page(rows));
    }
  }
}
