import org.onetape.Tensor;
import org.onetape.profiler.RecordFunction;

/**
 * Operators and named blocks in Java, for a profile that Python records, or Java of Python's part.
 */
public class Profiled {
  private Profiled() {}

  /** What Python does for Java. */
  @FunctionalInterface
  public interface Step {
    Tensor of(Tensor x);
  }

  public static Tensor cube(Tensor x) {
    try (RecordFunction named = new RecordFunction("in Java")) {
      return x.mul(x).mul(x);
    }
  }

  public static Tensor apply(Step function, Tensor x) {
    return function.of(x);
  }
}
