package org.onetape.examples;

import static org.onetape.global.torch.manual_seed;
import static org.onetape.global.torch.randperm;
import static org.onetape.global.torch.tensor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.optim.SGD;
import org.onetape.optim.SGDOptions;

/**
 * Learns handwritten digits, step for step as examples/digits/train.py does in Python: the same
 * seed gives the same numbers.
 *
 * <p>{@code java -cp … org.onetape.examples.Digits digits.csv results.txt} reads lines of 64 grey
 * values and a label, and writes the loss of every epoch, the accuracy on held-out images and the
 * seconds that training took, one number a line.
 */
public final class Digits {
  private static final long SEED = 7;
  private static final int EPOCHS = 30;
  private static final int BATCH = 32;
  private static final int HELD_OUT = 360;
  private static final double LEARNING_RATE = 0.1;
  private static final double MOMENTUM = 0.9;
  private static final float WHITE = 16;

  private Tensor images;
  private Tensor labels;

  private Digits(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    float[][] pixels = new float[lines.size()][DigitsModel.INPUTS];
    long[] digits = new long[lines.size()];
    for (int i = 0; i < digits.length; i++) {
      String[] cells = lines.get(i).split(",");
      for (int j = 0; j < DigitsModel.INPUTS; j++) {
        pixels[i][j] = Float.parseFloat(cells[j]) / WHITE;
      }
      digits[i] = Long.parseLong(cells[DigitsModel.INPUTS]);
    }
    images = tensor(pixels);
    labels = tensor(digits);
  }

  private List<Double> run() {
    manual_seed(SEED);
    long count = images.size(0);
    Tensor order = randperm(count);
    Tensor heldOut = order.narrow(0, 0, HELD_OUT);
    Tensor kept = order.narrow(0, HELD_OUT, count - HELD_OUT);
    Tensor trainImages = images.index_select(0, kept);
    Tensor trainLabels = labels.index_select(0, kept);
    DigitsModel model = new DigitsModel();
    SGD optimizer = new SGD(model.parameters(), new SGDOptions(LEARNING_RATE).momentum(MOMENTUM));

    List<Double> results = new ArrayList<>();
    long started = System.nanoTime();
    for (int epoch = 1; epoch <= EPOCHS; epoch++) {
      results.add(epoch(model, optimizer, trainImages, trainLabels));
      System.out.printf("\rJava: epoch %d of %d, loss %.4f", epoch, EPOCHS, results.get(epoch - 1));
    }
    System.out.println();
    double seconds = (System.nanoTime() - started) / 1e9;
    results.add(accuracy(model, heldOut));
    results.add(seconds);
    return results;
  }

  private static double epoch(DigitsModel model, SGD optimizer, Tensor images, Tensor labels) {
    double total = 0;
    int batches = 0;
    try (MemoryScope ofEpoch = new MemoryScope()) {
      long count = images.size(0);
      Tensor order = randperm(count);
      for (long start = 0; start < count; start += BATCH) {
        try (MemoryScope ofStep = new MemoryScope()) {
          Tensor batch = order.narrow(0, start, Math.min(BATCH, count - start));
          optimizer.zero_grad();
          Tensor scores = model.forward(images.index_select(0, batch));
          Tensor loss = model.loss(scores, labels.index_select(0, batch));
          loss.backward();
          optimizer.step();
          total += loss.item().toDouble();
          batches++;
        }
      }
    }
    return total / batches;
  }

  private double accuracy(DigitsModel model, Tensor heldOut) {
    try (MemoryScope scope = new MemoryScope();
        NoGradGuard guard = new NoGradGuard()) {
      Tensor answers = model.forward(images.index_select(0, heldOut)).argmax(1);
      Tensor right = answers.eq(labels.index_select(0, heldOut)).sum();
      return right.item().toDouble() / HELD_OUT;
    }
  }

  /** Trains on the first file and writes the results to the second. */
  public static void main(String[] args) throws IOException {
    List<String> lines = new ArrayList<>();
    for (double number : new Digits(Path.of(args[0])).run()) {
      lines.add(Double.toString(number));
    }
    Files.write(Path.of(args[1]), lines);
  }
}
