import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.Torch;
import org.onetape.distributed.Distributed;
import org.onetape.distributed.ProcessGroup;
import org.onetape.distributed.ReduceOp;
import org.onetape.global.torch;
import org.onetape.optim.Adam;
import org.onetape.optim.AdamOptions;
import org.onetape.optim.OptimizerState;

/**
 * A job of several processes that leaves a checkpoint after each step and goes on from the one that
 * is there.
 */
public final class Restarting {
  private Restarting() {}

  /** The arguments: the checkpoint, and "kill" where rank 1 is to die once. */
  public static void main(String[] args) {
    Path path = Path.of(args[0]);
    boolean kill =
        args[1].equals("kill") && "0".equals(System.getenv("TORCHELASTIC_RESTART_COUNT"));
    try (ProcessGroup group = Distributed.initProcessGroup("gloo")) {
      Tensor w = torch.zeros(new long[] {4}, torch.requires_grad(true));
      Adam optimizer = new Adam(new TensorVector(w), new AdamOptions(0.1));
      long begin = 0;
      if (Files.exists(path)) {
        Map<?, ?> state = (Map<?, ?>) Torch.load(path);
        w.data().copy_((Tensor) state.get("w"));
        optimizer.load_state_dict(OptimizerState.of((Map<?, ?>) state.get("optimizer")));
        begin = (Long) state.get("step");
      }
      for (long step = begin; step < 10; step++) {
        try (MemoryScope scope = new MemoryScope()) {
          torch.manual_seed(10 * step + group.rank());
          Tensor loss = w.sub(torch.randn(4)).square().sum();
          optimizer.zero_grad();
          loss.backward();
          Distributed.allReduce(w.grad(), ReduceOp.AVG);
          optimizer.step();
          Tensor total = loss.detach();
          Distributed.allReduce(total);
          if (group.rank() == 0) {
            System.out.println(step + " " + total.item_double());
            Torch.save(
                Map.of(
                    "w", w.detach(), "optimizer", optimizer.state_dict().toMap(), "step", step + 1),
                path);
          }
        }
        group.barrier();
        if (kill && step == 4 && group.rank() == 1) {
          Runtime.getRuntime().halt(3);
        }
      }
    }
  }
}
