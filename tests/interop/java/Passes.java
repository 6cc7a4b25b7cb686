import java.util.ArrayList;
import java.util.List;
import org.onetape.MemoryScope;
import org.onetape.Tensor;

/** Parts of forward and backward passes that go through both languages. */
public class Passes {
  /** Its gradient at zero is not a number. */
  public static Tensor rootTimesZero(Tensor x) {
    return x.sqrt().mul(0.0);
  }

  /** Starts a backward pass. */
  public static void backward(Tensor loss) {
    loss.backward();
  }

  /** Runs backward passes to one leaf in several threads. */
  public static class Workers {
    private final List<Thread> threads = new ArrayList<>();

    public Workers(Tensor leaf, int count, int passes) {
      for (int i = 0; i < count; i++) {
        Thread thread =
            new Thread(
                () -> {
                  for (int k = 0; k < passes; k++) {
                    try (MemoryScope scope = new MemoryScope()) {
                      leaf.mul(3.0).sum().backward();
                    }
                  }
                });
        threads.add(thread);
        thread.start();
      }
    }

    public void join() throws InterruptedException {
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }
}
