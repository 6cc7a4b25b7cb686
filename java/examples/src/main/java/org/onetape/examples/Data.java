package org.onetape.examples;

import static org.onetape.global.torch.randperm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.data.DataLoader;
import org.onetape.data.DataLoaderOptions;
import org.onetape.data.Example;
import org.onetape.data.Readers;
import org.onetape.data.TensorDataset;
import org.onetape.global.torch.ScalarType;

/**
 * Samples to train with and others that are held out, from the files that examples/data.py makes.
 */
final class Data {
  /** Pixels of a digit's side. */
  static final int SIDE = 8;

  /** Samples and what is to be said of them, one a row. */
  final Tensor x;

  final Tensor y;
  final Tensor heldOutX;
  final Tensor heldOutY;

  /** These samples, the given number of them held out at random. */
  private Data(Tensor x, Tensor y, long heldOut) {
    Tensor order = randperm(x.size(0));
    Tensor test = order.narrow(0, 0, heldOut);
    Tensor train = order.narrow(0, heldOut, x.size(0) - heldOut);
    this.x = x.index_select(0, train);
    this.y = y.index_select(0, train);
    heldOutX = x.index_select(0, test);
    heldOutY = y.index_select(0, test);
  }

  /** 1,797 digits: images of (1, 8, 8) values from 0 to 1, and what they show; 360 held out. */
  static Data digits(Path folder) throws IOException {
    Tensor table = Readers.readCsv(folder.resolve("digits.csv"));
    Tensor images = columns(table, 0, -1).reshape(-1, 1, SIDE, SIDE).div(new Scalar(16));
    return new Data(images, table.select(1, -1).to(ScalarType.Long), 360);
  }

  /** 442 patients: ten measures, and how far the disease was a year later, scaled; 88 held out. */
  static Data diabetes(Path folder) throws IOException {
    Tensor table = standard(Readers.readCsv(folder.resolve("diabetes.csv")));
    return new Data(columns(table, 0, -1), columns(table, -1, 0), 88);
  }

  /** 569 tumours: thirty scaled measures, and 1 for a benign one; 114 held out. */
  static Data breastCancer(Path folder) throws IOException {
    Tensor table = Readers.readCsv(folder.resolve("breast_cancer.csv"));
    return new Data(standard(columns(table, 0, -1)), columns(table, -1, 0), 114);
  }

  /** Half a million letters of technical English: words of printable ASCII, single spaces. */
  static String text(Path folder) throws IOException {
    return Files.readString(folder.resolve("text.txt"));
  }

  /** Batches of the samples to train with, in an order that changes with every pass. */
  DataLoader<Example> loader(DataLoaderOptions options) {
    return new DataLoader<>(new TensorDataset(x, y), options.shuffle(true));
  }

  /** Columns from one on to before another; both count from the end if negative, 0 is the end. */
  private static Tensor columns(Tensor table, long from, long to) {
    long count = table.size(1);
    long first = from < 0 ? count + from : from;
    long end = to <= 0 ? count + to : to;
    return table.narrow(1, first, end - first);
  }

  /** Columns with mean 0 and deviation 1. */
  private static Tensor standard(Tensor x) {
    return x.sub(x.mean(0)).div(x.std(0));
  }
}
