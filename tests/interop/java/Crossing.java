import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.onetape.Function;
import org.onetape.Tensor;

/** Exceptions on their way from one language through a backward pass into the other. */
public class Crossing {
  /** An exception of its own class, with something that only the object itself carries. */
  public static class Refused extends RuntimeException {
    public final Object note = new Object();

    public Refused(String message) {
      super(message);
    }
  }

  /** The exception that was thrown last by this class, to be compared with what arrives. */
  public static Throwable thrown;

  private static RuntimeException remember(RuntimeException error) {
    thrown = error;
    return error;
  }

  /** Multiplies by one; throws in backward. */
  public static class Throwing extends Function {
    @Override
    public Tensor forward(Tensor x) {
      return x.mul(1.0);
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      throw remember(new Refused("grüße 🙂"));
    }
  }

  /** Calls back in backward. */
  public static class Calling extends Function {
    private final UnaryOperator<Tensor> inner;

    public Calling(UnaryOperator<Tensor> inner) {
      this.inner = inner;
    }

    @Override
    public Tensor forward(Tensor x) {
      return x.mul(1.0);
    }

    @Override
    public Tensor backward(Tensor gradOutput) {
      return inner.apply(gradOutput);
    }
  }

  /** Registers a hook that throws. */
  public static void throwingHook(Tensor x) {
    x.register_hook(
        gradient -> {
          throw remember(new IllegalStateException("the hook refuses"));
        });
  }

  public static void backward(Tensor x) {
    x.backward();
  }

  /** What backward throws, for Java's eyes. */
  public static Throwable caught(Tensor x) {
    try {
      x.backward();
      return null;
    } catch (RuntimeException error) {
      thrown = error;
      return error;
    }
  }

  /** What a callable throws, for Java's eyes. */
  public static String seen(Callable<?> callable) {
    try {
      callable.call();
      return "nothing";
    } catch (Exception error) {
      return described(error);
    }
  }

  /** The message and the first frames, as Java tells them. */
  public static String described(Throwable error) {
    StringBuilder text = new StringBuilder(String.valueOf(error.getMessage()));
    for (StackTraceElement frame : error.getStackTrace()) {
      text.append('\n').append(frame);
    }
    return text.toString();
  }

  /** Wraps what backward throws. */
  public static void wrapping(Tensor x) {
    try {
      x.backward();
    } catch (RuntimeException error) {
      throw new IllegalStateException("training stopped", error);
    }
  }
}
