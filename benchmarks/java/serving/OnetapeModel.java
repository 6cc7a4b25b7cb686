import java.nio.file.Path;
import org.onetape.NoGradGuard;
import org.onetape.PointerScope;
import org.onetape.Tensor;
import org.onetape.jit.Tape;

/** The tape that Python recorded, run by all threads. */
final class OnetapeModel implements Served.Model {
  private final Tape tape;

  OnetapeModel(Path folder) {
    tape = Tape.load(folder.resolve("mlp.tape"));
  }

  @Override
  public Served forThread() {
    NoGradGuard guard = new NoGradGuard(); // of this thread
    return new Served() {
      @Override
      public float[] answer(float[] row) {
        try (PointerScope scope = new PointerScope()) {
          return tape.run(Tensor.create(row, 1, row.length)).toFloatArray();
        }
      }

      @Override
      public void close() {
        guard.close();
      }
    };
  }

  @Override
  public void close() {
    tape.close();
  }
}
