import java.util.function.UnaryOperator;
import org.onetape.Function;
import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.Module;

/** What the tests of both languages in one process call. */
public class Border {
  public static Tensor square(Tensor x) {
    return x.mul(x);
  }

  public static Tensor same(Tensor x) {
    return x;
  }

  public static Tensor applied(UnaryOperator<Tensor> function, Tensor x) {
    return function.apply(x).mul(2.0);
  }

  public static void backward(Tensor x) {
    x.backward();
  }

  public static void fails(Tensor x) {
    throw new IllegalArgumentException("not today");
  }

  public static Tensor wrongShapes() {
    return torch.ones(2, 3).add(torch.ones(4));
  }

  /** x³, with a gradient of its own. */
  public static class Cube extends Function {
    @Override
    public Tensor forward(Tensor x) {
      return x.mul(x).mul(x);
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      return gradOutput.mul(input.mul(input)).mul(3.0);
    }
  }

  /** Throws in backward. */
  public static class Broken extends Function {
    @Override
    public Tensor forward(Tensor x) {
      return x.mul(1.0);
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      throw new IllegalStateException("backward is broken");
    }
  }

  /** One linear layer. */
  /** Several tensors and a number in, two tensors out. */
  public static class ScaledProductAndSum extends Function {
    @Override
    public Tensor[] forward(Context ctx, Object... args) {
      Tensor a = (Tensor) args[0];
      Tensor b = (Tensor) args[1];
      ctx.saveForBackward(a, b);
      ctx.put("factor", args[2]);
      return new Tensor[] {a.mul(b).mul(((Number) args[2]).doubleValue()), a.add(b)};
    }

    @Override
    public Tensor[] backward(Context ctx, Tensor... grads) {
      Tensor[] saved = ctx.savedTensors();
      Tensor scaled = grads[0].mul(((Number) ctx.get("factor")).doubleValue());
      return new Tensor[] {
        scaled.mul(saved[1]).add(grads[1]), scaled.mul(saved[0]).add(grads[1]), null
      };
    }
  }

  public static Object anything(Object value) {
    return value;
  }

  public static class Net extends Module {
    private final LinearImpl layer = register_module("layer", new LinearImpl(3, 1));

    @Override
    public Tensor forward(Tensor x) {
      return layer.forward(x);
    }
  }

  public static void main(String[] args) {
    Tensor x = torch.tensor(3.0, torch.requires_grad(true));
    square(x).backward();
    System.out.println(x.grad() + " " + String.join(",", args));
  }
}
