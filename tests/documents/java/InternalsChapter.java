import static org.onetape.global.torch.arange;
import static org.onetape.global.torch.randn;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.util.Arrays;
import org.onetape.Autograd;
import org.onetape.DoublePointer;
import org.onetape.EnableGradGuard;
import org.onetape.Function;
import org.onetape.NoGradGuard;
import org.onetape.Node;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.TensorIndex;
import org.onetape.TensorIndexVector;
import org.onetape.TensorOptions;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.MSELossImpl;
import org.onetape.optim.SGD;
import org.onetape.optim.SGDOptions;

/** The listings of the chapter on PyTorch's internals, in Java's spelling. */
public class InternalsChapter {
  /** input · weightᵀ + bias, where there is a bias. */
  static class Affine extends Function {
    @Override
    public Tensor[] forward(Context ctx, Object... args) {
      Tensor input = (Tensor) args[0];
      Tensor weight = (Tensor) args[1];
      Tensor bias = (Tensor) args[2];
      Tensor output = input.mm(weight.t());
      if (bias == null) {
        ctx.saveForBackward(input, weight);
      } else {
        output.add_(bias.unsqueeze(0).expand_as(output));
        ctx.saveForBackward(input, weight, bias);
      }
      return new Tensor[] {output};
    }

    @Override
    public Tensor[] backward(Context ctx, Tensor... grads) {
      Tensor[] saved = ctx.savedTensors();
      Tensor bias = saved.length > 2 ? grads[0].sum(0) : null;
      return new Tensor[] {grads[0].mm(saved[1]), grads[0].t().mm(saved[0]), bias};
    }
  }

  /** The chapter's first version: it also saves a bias that is null. */
  static class AffineSavingNull extends Affine {
    @Override
    public Tensor[] forward(Context ctx, Object... args) {
      Tensor[] outputs = super.forward(ctx, args);
      ctx.saveForBackward((Tensor) args[0], (Tensor) args[1], (Tensor) args[2]);
      return outputs;
    }

    @Override
    public Tensor[] backward(Context ctx, Tensor... grads) {
      Tensor[] saved = ctx.savedTensors();
      Tensor bias = saved[2] == null ? null : grads[0].sum(0);
      return new Tensor[] {grads[0].mm(saved[1]), grads[0].t().mm(saved[0]), bias};
    }
  }

  static boolean oneStorage(Tensor a, Tensor b) {
    return a.storage().data_ptr().address() == b.storage().data_ptr().address();
  }

  static void storageAndViews() {
    Tensor x = arange(new Scalar(12), new TensorOptions(ScalarType.Float));
    System.out.println("x: " + x);
    System.out.println("elements: " + Arrays.toString(x.storage().elements().toFloatArray()));
    System.out.println("type: " + x.storage().scalar_type() + ", size: " + x.storage().size());
    Tensor y = x.view(3, 4);
    System.out.println("y:\n" + y);
    System.out.println("one storage? " + oneStorage(x, y));
    y.index_put_(new TensorIndexVector(new TensorIndex(0), new TensorIndex(0)), new Scalar(99.0));
    System.out.println("changed y:\n" + y);
    System.out.println("x after the change of y: " + x);
  }

  static void stridesAndContiguity() {
    Tensor t = arange(new Scalar(12), new TensorOptions(ScalarType.Float)).view(3, 4);
    describe("t", t);
    Tensor transposed = t.t();
    describe("transposed", transposed);
    System.out.println("one storage? " + oneStorage(t, transposed));
    try {
      transposed.view(-1);
    } catch (RuntimeException e) {
      System.out.println(e.getMessage());
    }
    Tensor copy = transposed.contiguous();
    describe("copy", copy);
    System.out.println("one storage? " + oneStorage(copy, transposed));
    System.out.println("flat: " + copy.view(-1));
  }

  static void describe(String name, Tensor t) {
    System.out.println(name + ":\n" + t);
    System.out.println("shape: " + t.sizes() + ", strides: " + t.strides());
    System.out.println("contiguous? " + t.is_contiguous());
  }

  static void graph() {
    Tensor a = tensor(new DoublePointer(2.0, 3.0), requires_grad(true));
    Tensor b = a.mul(new Scalar(3));
    Tensor c = b.mean();
    System.out.printf("a: %b, %s%n", a.requires_grad(), a.grad_fn());
    System.out.printf("b: %b, %s%n", b.requires_grad(), b.grad_fn());
    System.out.printf("c: %b, %s%n", c.requires_grad(), c.grad_fn());
    Node node = c.grad_fn();
    StringBuilder names = new StringBuilder(node.name());
    while (!node.next_functions().isEmpty()) {
      node = node.next_functions().get(0).function();
      names.append(" -> ").append(node.name());
    }
    System.out.println(names);
  }

  static void engine() {
    Tensor w = randn(new long[] {5, 3}, requires_grad(true));
    Tensor x = randn(1, 5);
    Tensor y = torch.matmul(x, w);
    Tensor z = y.mean();
    z.backward();
    System.out.println(w.grad().sizes());
    System.out.println("y comes from: " + y.grad_fn());
    System.out.println("z comes from: " + z.grad_fn());
    System.out.println("w.grad_fn: " + w.grad_fn());
    System.out.println("x.grad_fn: " + x.grad_fn());
    System.out.println("x.grad: " + x.grad());
  }

  static void accumulation() {
    var model = new LinearImpl(4, 1);
    var optimizer = new SGD(model.parameters(), new SGDOptions(0.1));
    var criterion = new MSELossImpl();
    Tensor inputs = randn(8, 4);
    Tensor targets = randn(8, 1);
    double first = 0;
    double last = 0;
    for (int i = 0; i < 30; i++) {
      optimizer.zero_grad();
      Tensor loss = criterion.forward(model.forward(inputs), targets);
      loss.backward();
      optimizer.step();
      last = loss.item_double();
      first = i == 0 ? last : first;
    }
    System.out.println("learns: " + (last < first));
    optimizer.zero_grad();
    criterion.forward(model.forward(inputs), targets).backward();
    Tensor once = model.weight().grad().clone();
    criterion.forward(model.forward(inputs), targets).backward();
    System.out.println("twice as much: " + model.weight().grad().equal(once.mul(new Scalar(2))));
  }

  static void control() {
    var model = new LinearImpl(2, 1);
    Tensor data = randn(3, 2);
    try (var noGrad = new NoGradGuard()) {
      System.out.println("without gradients: " + model.forward(data).requires_grad());
      try (var enabled = new EnableGradGuard()) {
        System.out.println("with gradients again: " + model.forward(data).requires_grad());
      }
    }
    Tensor recorded = model.forward(data);
    Tensor cut = recorded.detach();
    System.out.println("detached: " + cut.requires_grad() + ", " + oneStorage(recorded, cut));
  }

  static void customFunction() {
    Tensor x = randn(new long[] {3, 10}, requires_grad(true));
    Tensor w = randn(new long[] {5, 10}, requires_grad(true));
    Tensor b = randn(new long[] {5}, requires_grad(true));
    Tensor y = new Affine().apply(x, w, b);
    System.out.println("node: " + y.grad_fn().name());
    y.mean().backward();
    System.out.println("gradient of x: " + x.grad().defined());
    System.out.println("gradient of w: " + w.grad().defined());
    System.out.println("gradient of b: " + b.grad().defined());

    var wanted = new TensorOptions(ScalarType.Double).requires_grad(true);
    Tensor xCheck = randn(new long[] {3, 10}, wanted);
    Tensor wCheck = randn(new long[] {5, 10}, wanted);
    Tensor bCheck = randn(new long[] {5}, wanted);
    for (Affine function : new Affine[] {new Affine(), new AffineSavingNull()}) {
      boolean right =
          Autograd.gradcheck(
              in -> function.apply(in[0], in[1], in[2]),
              new Tensor[] {xCheck, wCheck, bCheck},
              1e-6,
              1e-4,
              1e-3);
      System.out.println("gradients are right: " + right);
      boolean rightWithoutBias =
          Autograd.gradcheck(
              in -> function.apply(in[0], in[1], null),
              new Tensor[] {xCheck, wCheck},
              1e-6,
              1e-4,
              1e-3);
      System.out.println("gradients without bias are right: " + rightWithoutBias);
    }
  }

  public static void main(String[] args) {
    torch.manual_seed(0);
    storageAndViews();
    stridesAndContiguity();
    graph();
    engine();
    accumulation();
    control();
    customFunction();
  }
}
