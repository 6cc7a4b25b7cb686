import static org.onetape.global.torch.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.onetape.*;
import org.onetape.nn.*;
import org.onetape.optim.*;

/**
 * A training loop of many steps, as benchmarks/long_run.py has it: prints steps and the process's
 * bytes.
 */
public class LongRun {
  private static final int SAMPLES = 100;

  static long residentBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
      }
    }
    throw new IOException("/proc/self/status has no VmRSS");
  }

  public static void main(String[] args) throws IOException {
    int steps = Integer.parseInt(args[0]);
    manual_seed(0);
    SequentialImpl model = new SequentialImpl();
    model.push_back(new LinearImpl(16, 64));
    model.push_back(new TanhImpl());
    model.push_back(new LinearImpl(64, 1));
    Adam optimizer = new Adam(model.parameters(), new AdamOptions(1e-3));
    for (int i = 1; i <= steps; i++) {
      try (PointerScope scope = new PointerScope()) {
        Tensor inputs = randn(32, 16);
        Tensor targets = inputs.narrow(1, 0, 1).sin();
        optimizer.zero_grad();
        mse_loss(model.forward(inputs), targets).backward();
        optimizer.step();
      }
      if (i % (steps / SAMPLES) == 0) {
        System.out.println(i + " " + residentBytes());
      }
    }
  }
}
