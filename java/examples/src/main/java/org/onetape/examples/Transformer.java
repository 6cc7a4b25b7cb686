package org.onetape.examples;

import static org.onetape.global.torch.arange;
import static org.onetape.global.torch.cat;
import static org.onetape.global.torch.clip_grad_norm_;
import static org.onetape.global.torch.cross_entropy;
import static org.onetape.global.torch.manual_seed;
import static org.onetape.global.torch.multinomial;
import static org.onetape.global.torch.randint;
import static org.onetape.global.torch.scaled_dot_product_attention;
import static org.onetape.global.torch.tensor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.onetape.LongVector;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.TensorOptional;
import org.onetape.TensorVector;
import org.onetape.nn.EmbeddingImpl;
import org.onetape.nn.GELUImpl;
import org.onetape.nn.LayerNormImpl;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.Module;
import org.onetape.nn.SequentialImpl;
import org.onetape.optim.AdamW;
import org.onetape.optim.AdamWOptions;
import org.onetape.optim.OneCycleLR;
import org.onetape.optim.OneCycleLROptions;

/**
 * A transformer of three million parameters learns to write, letter by letter;
 * examples/transformer.py is the same program.
 *
 * <p>{@code python -m examples.transformer --java}
 */
public final class Transformer {
  private static final int STEPS = 2000;
  private static final int BATCH = 8;
  private static final int CONTEXT = 64;
  private static final int WIDTH = 256;
  private static final int HEADS = 4;
  private static final int BLOCKS = 4;
  private static final int WRITTEN = 1000;
  private static final int LINE = 62;
  private static final double TEMPERATURE = 0.7;

  /** Attention of each letter to those before it, then two layers for each letter alone. */
  private static final class Block extends Module {
    private final LayerNormImpl beforeAttention = new LayerNormImpl(new LongVector(WIDTH));
    private final LinearImpl queryKeyValue = new LinearImpl(WIDTH, 3 * WIDTH);
    private final LinearImpl joined = new LinearImpl(WIDTH, WIDTH);
    private final LayerNormImpl beforeLayers = new LayerNormImpl(new LongVector(WIDTH));
    private final SequentialImpl layers =
        new SequentialImpl(
            new LinearImpl(WIDTH, 4 * WIDTH), new GELUImpl(), new LinearImpl(4 * WIDTH, WIDTH));

    private Tensor attention(Tensor x) {
      long batch = x.size(0);
      long length = x.size(1);
      Tensor heads = queryKeyValue.forward(x).view(batch, length, 3, HEADS, WIDTH / HEADS);
      TensorVector parts = heads.permute(2, 0, 3, 1, 4).unbind();
      Tensor seen =
          scaled_dot_product_attention(
              parts.get(0), parts.get(1), parts.get(2), new TensorOptional(), 0, true);
      return joined.forward(seen.transpose(1, 2).reshape(batch, length, WIDTH));
    }

    @Override
    public Tensor forward(Tensor input) {
      Tensor x = input.add(attention(beforeAttention.forward(input)));
      return x.add(layers.forward(beforeLayers.forward(x)));
    }
  }

  /** From letters (N, L) to logits (N, L, letters) of the next one. */
  private static final class Writer extends Module {
    private final EmbeddingImpl letters;
    private final EmbeddingImpl places;
    private final SequentialImpl blocks;
    private final LayerNormImpl norm;
    private final LinearImpl answer;

    Writer(long count) {
      letters = new EmbeddingImpl(count, WIDTH);
      places = new EmbeddingImpl(CONTEXT, WIDTH);
      blocks = new SequentialImpl();
      for (int i = 0; i < BLOCKS; i++) {
        blocks.push_back(new Block());
      }
      norm = new LayerNormImpl(new LongVector(WIDTH));
      answer = new LinearImpl(WIDTH, count);
    }

    @Override
    public Tensor forward(Tensor input) {
      Tensor x = letters.forward(input).add(places.forward(arange(new Scalar(input.size(1)))));
      return answer.forward(norm.forward(blocks.forward(x)));
    }

    /** Goes on behind the letters (L). */
    Tensor write(Tensor start, int count) {
      Tensor text = start;
      for (int i = 0; i < count; i++) {
        try (MemoryScope scope = new MemoryScope();
            NoGradGuard guard = new NoGradGuard()) {
          long seen = Math.min(CONTEXT, text.size(0));
          Tensor last = text.narrow(0, text.size(0) - seen, seen).unsqueeze(0);
          Tensor logits = forward(last).select(0, 0).select(0, -1);
          Tensor next = multinomial(logits.div(TEMPERATURE).softmax(0), 1);
          text = cat(text, next).keep();
        }
      }
      return text;
    }
  }

  private final Run run;
  private final String text;
  private final String alphabet;
  private final Tensor windows;
  private final Writer model;

  private Transformer(Run run) throws IOException {
    this.run = run;
    text = Data.text(run.data);
    StringBuilder all = new StringBuilder();
    text.chars().sorted().distinct().forEach(letter -> all.append((char) letter));
    alphabet = all.toString();
    windows = tensor(numbers(text)).unfold(0, CONTEXT + 1, 1);
    model = new Writer(alphabet.length());
  }

  private long[] numbers(String letters) {
    return letters.chars().mapToLong(alphabet::indexOf).toArray();
  }

  /** The mean loss of the letters from each start on. */
  private Tensor lossOf(Tensor starts) {
    Tensor chosen = windows.index_select(0, starts);
    Tensor logits = model.forward(chosen.narrow(1, 0, CONTEXT));
    return cross_entropy(logits.flatten(0, 1), chosen.narrow(1, 1, CONTEXT).flatten());
  }

  private void train() throws IOException {
    long parameters = 0;
    for (Tensor parameter : model.parameters()) {
      parameters += parameter.numel();
    }
    System.out.printf(Locale.ROOT, "%,d parameters, %,d letters%n", parameters, text.length());
    AdamW optimizer = new AdamW(model.parameters(), new AdamWOptions(1e-3).weight_decay(0.1));
    OneCycleLR schedule =
        new OneCycleLR(optimizer, 1e-3, new OneCycleLROptions().total_steps(STEPS).pct_start(0.1));
    long count = windows.size(0);
    long heldOut = count / 20;
    run.steps(
        STEPS,
        step -> {
          optimizer.zeroGrad();
          Tensor loss = lossOf(randint(count - heldOut - CONTEXT, new long[] {BATCH}));
          loss.backward();
          clip_grad_norm_(model.parameters(), 1.0);
          optimizer.step();
          schedule.step();
          run.log("loss", loss.item_double());
        });
    try (NoGradGuard guard = new NoGradGuard()) {
      Tensor starts =
          arange(new Scalar(count - heldOut), new Scalar(count), new Scalar(heldOut / 32));
      run.report("nats a held-out letter", lossOf(starts).item_double());
    }
    StringBuilder story = new StringBuilder();
    Tensor written = model.write(tensor(numbers("The ")), run.limited(WRITTEN));
    for (long letter : written.toLongArray()) {
      story.append(alphabet.charAt((int) letter));
    }
    System.out.println(story);
    Pictures.save(run, "What the transformer writes", Pictures.page(wrapped(story.toString())));
  }

  /** Lines of whole words. */
  private static List<String> wrapped(String story) {
    List<String> lines = new ArrayList<>(List.of(""));
    for (String word : story.split(" ", -1)) {
      int last = lines.size() - 1;
      String longer = (lines.get(last) + " " + word).strip();
      if (longer.length() > LINE) {
        lines.add(word);
      } else {
        lines.set(last, longer);
      }
    }
    return lines;
  }

  /** Trains, tests, writes, and leaves a picture. */
  public static void main(String[] args) throws IOException {
    Run run = new Run("transformer", args);
    manual_seed(0);
    new Transformer(run).train();
  }
}
