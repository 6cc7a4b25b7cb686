import static org.onetape.global.torch.*;

import org.onetape.*;
import org.onetape.nn.*;
import org.onetape.optim.*;

/**
 * Training steps of the models in benchmarks/cases, of the same sizes; the same source runs with
 * JavaCPP's PyTorch, too. Arguments: threads and the names of cases. Prints a case and its seconds
 * a line.
 */
public class Models {
  interface Step {
    void run();
  }

  static void once(Step step) {
    try (PointerScope scope = new PointerScope()) {
      step.run();
    }
  }

  /** The smallest of many batches of about a thousandth of a second, after some to warm up. */
  static double best(Step step) {
    for (int i = 0; i < 30; i++) {
      once(step);
    }
    long start = System.nanoTime();
    once(step);
    long calls = Math.max(1, 1_000_000L / Math.max(System.nanoTime() - start, 1));
    double best = Double.MAX_VALUE;
    long end = System.nanoTime() + 2_000_000_000L;
    for (int batch = 0; batch < 40 || System.nanoTime() < end; batch++) {
      start = System.nanoTime();
      for (long i = 0; i < calls; i++) {
        once(step);
      }
      best = Math.min(best, (System.nanoTime() - start) * 1e-9 / calls);
    }
    return best;
  }

  static Step training(SequentialImpl model, Tensor images) {
    SGD optimizer = new SGD(model.parameters(), new SGDOptions(0.01));
    Tensor labels = randint(0, 10, new long[] {64});
    return () -> {
      optimizer.zero_grad();
      cross_entropy(model.forward(images), labels).backward();
      optimizer.step();
    };
  }

  static Step mlp() {
    SequentialImpl model = new SequentialImpl();
    model.push_back(new LinearImpl(784, 128));
    model.push_back(new ReLUImpl());
    model.push_back(new LinearImpl(128, 10));
    return training(model, randn(64, 784));
  }

  static Conv2dImpl conv(long in, long out) {
    Conv2dOptions options = new Conv2dOptions(in, out, new LongPointer(3, 3));
    options.padding().put(new LongPointer(1, 1));
    return new Conv2dImpl(options);
  }

  static Step cnn() {
    SequentialImpl model = new SequentialImpl();
    model.push_back(conv(1, 16));
    model.push_back(new ReLUImpl());
    model.push_back(conv(16, 32));
    model.push_back(new ReLUImpl());
    model.push_back(new MaxPool2dImpl(new LongPointer(2, 2)));
    model.push_back(new FlattenImpl());
    model.push_back(new LinearImpl(512, 10));
    return training(model, randn(64, 1, 8, 8));
  }

  static Step lstm() {
    LSTMOptions options = new LSTMOptions(128, 128);
    options.num_layers().put(2);
    LSTMImpl layer = new LSTMImpl(options);
    Tensor steps = randn(64, 32, 128);
    Tensor grad = randn(64, 32, 128);
    return () -> {
      layer.zero_grad(true);
      layer.forwardT_TensorT_TensorTensor_T_T(steps).get0().backward(grad);
    };
  }

  static Step transformerBlock() {
    TransformerEncoderLayerOptions options = new TransformerEncoderLayerOptions(256, 4);
    options.dim_feedforward().put(1024);
    options.dropout().put(0);
    TransformerEncoderLayerImpl layer = new TransformerEncoderLayerImpl(options);
    Tensor steps = randn(128, 8, 256);
    Tensor grad = randn(128, 8, 256);
    return () -> {
      layer.zero_grad(true);
      layer.forward(steps).backward(grad);
    };
  }

  static Step named(String name) {
    return switch (name) {
      case "mlp" -> mlp();
      case "cnn" -> cnn();
      case "lstm" -> lstm();
      case "transformer_block" -> transformerBlock();
      default -> throw new IllegalArgumentException("no such case: " + name);
    };
  }

  public static void main(String[] args) {
    set_num_threads(Integer.parseInt(args[0]));
    manual_seed(0);
    for (int i = 1; i < args.length; i++) {
      System.out.println(args[i] + " " + best(named(args[i])));
    }
  }
}
