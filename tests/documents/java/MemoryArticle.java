import org.onetape.Function;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.Torch;
import org.onetape.TorchTensor;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.LinearOptions;
import org.onetape.nn.LossModule;
import org.onetape.nn.MSELossImpl;
import org.onetape.nn.Module;
import org.onetape.nn.ReLUImpl;
import org.onetape.optim.Optimizer;
import org.onetape.optim.SGD;

/** The listings of the article on memory in Java. */
public class MemoryArticle {
  /** The rectifier of the article, as it stands there. */
  public static class MyReLU extends Function {
    @Override
    public Tensor forward(Tensor input) {
      return input.max(Tensor.scalar(0));
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      return gradOutput.mul(input.gt(0));
    }
  }

  static void linearRegression() {
    int epochs = 1000;
    float lr = 0.01f;

    var x = TorchTensor.of(new float[] {1, 2, 3, 4}).reshape(4, 1);
    var y = TorchTensor.of(new float[] {2, 4, 6, 8}).reshape(4, 1);

    var w = TorchTensor.randn(1).requiresGrad(true);
    var b = TorchTensor.randn(1).requiresGrad(true);

    for (int i = 0; i < epochs; i++) {
      try (var scope = new MemoryScope()) {
        var pred = x.mm(w).add(b);
        var loss = pred.sub(y).pow(2).mean();
        loss.backward();
        try (var noGrad = Torch.noGrad()) {
          w.sub_(w.grad().mul(lr));
          b.sub_(b.grad().mul(lr));
        }
        w.grad().zero_();
        b.grad().zero_();
      }
    }
    System.out.printf("w is near 2: %b%n", Math.abs(w.item().toDouble() - 2) < 0.1);
    System.out.printf("b is near 0: %b%n", Math.abs(b.item().toDouble()) < 0.25);
  }

  static void memory(Module model) {
    Tensor escaped;
    try (var scope = new MemoryScope()) {
      var input = TorchTensor.randn(new long[] {1, 3, 224, 224}, scope);
      escaped = model.forward(input);
      System.out.println("inside the scope: " + java.util.Arrays.toString(escaped.shape()));
    }
    try {
      escaped.sum();
    } catch (IllegalStateException e) {
      System.out.println("after the scope: closed");
    }
  }

  static void trainingStep(
      Module model, LossModule lossFunction, Optimizer optimizer, Tensor input, Tensor target) {
    try (var scope = new MemoryScope()) {
      var prediction = model.forward(input);
      var loss = lossFunction.apply(prediction, target);
      loss.backward();
      optimizer.step();
      optimizer.zeroGrad();
    }
  }

  static void training() {
    var model = new LinearImpl(new LinearOptions(2, 1).bias(false));
    Tensor weight = model.weight();
    try (var noGrad = Torch.noGrad()) {
      weight.copy_(TorchTensor.of(new float[] {1, 2}));
    }
    var optimizer = new SGD(model.parameters(), 0.125);
    var input = TorchTensor.of(new float[] {3, 4}).reshape(1, 2);
    var target = TorchTensor.of(new float[] {1}).reshape(1, 1);
    trainingStep(model, new MSELossImpl(), optimizer, input, target);
    System.out.println("weight after a step: " + weight);
    System.out.println("gradient after the step: " + weight.grad());
    var smaller = new SGD(model.parameters(), 0.01);
    for (int i = 0; i < 50; i++) {
      trainingStep(model, new MSELossImpl(), smaller, input, target);
    }
    System.out.printf("prediction: %.3f%n", model.forward(input).item().toDouble());
  }

  static void rectifier() {
    var relu = new MyReLU();
    var x = TorchTensor.of(new float[] {-1, 2}).requiresGrad(true);
    var y = TorchTensor.of(new float[] {3, -4}).requiresGrad(true);
    Tensor result = relu.apply(x).mul(10).add(relu.apply(y));
    System.out.println("result: " + result);
    result.sum().backward();
    System.out.println("gradients: " + x.grad() + " " + y.grad());
  }

  public static void main(String[] args) {
    Torch.manualSeed(0);
    var tensor = TorchTensor.of(new float[] {1, 2, 3}).requiresGrad(true);
    System.out.println(tensor + " " + tensor.requiresGrad());
    linearRegression();
    memory(new ReLUImpl());
    training();
    rectifier();
  }
}
