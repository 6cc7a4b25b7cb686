import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.onetape.Function;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.Torch;
import org.onetape.TorchTensor;

/**
 * The listings of the article on memory in Java; the model and the optimizer are plain functions
 * here.
 */
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

  static void memory(UnaryOperator<Tensor> model) {
    Tensor escaped;
    try (var scope = new MemoryScope()) {
      var input = TorchTensor.randn(new long[] {1, 3, 224, 224}, scope);
      escaped = model.apply(input);
      System.out.println("inside the scope: " + java.util.Arrays.toString(escaped.shape()));
    }
    try {
      escaped.sum();
    } catch (IllegalStateException e) {
      System.out.println("after the scope: closed");
    }
  }

  static void trainingStep(
      UnaryOperator<Tensor> model,
      BiFunction<Tensor, Tensor, Tensor> lossFunction,
      Tensor weight,
      Tensor input,
      Tensor target) {
    try (var scope = new MemoryScope()) {
      var prediction = model.apply(input);
      var loss = lossFunction.apply(prediction, target);
      loss.backward();
    }
    System.out.println("gradient: " + weight.grad());
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
    memory(t -> t.mul(2));
    var weight = TorchTensor.of(new float[] {1, 2}).requiresGrad(true);
    trainingStep(
        t -> t.mul(weight),
        (p, t) -> p.sub(t).pow(2).sum(),
        weight,
        TorchTensor.of(new float[] {3, 4}),
        TorchTensor.of(new float[] {1, 1}));
    rectifier();
  }
}
