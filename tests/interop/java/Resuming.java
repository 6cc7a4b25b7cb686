import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.onetape.MemoryScope;
import org.onetape.Scalar;
import org.onetape.StringTensorDict;
import org.onetape.Tensor;
import org.onetape.Torch;
import org.onetape.global.torch;
import org.onetape.nn.DropoutImpl;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.ReLUImpl;
import org.onetape.nn.SequentialImpl;
import org.onetape.optim.AdamW;
import org.onetape.optim.AdamWOptions;
import org.onetape.optim.OptimizerState;

/** The training of tests/golden/checkpoints/objects.py, from one file to the next. */
public class Resuming {
  /** Goes on from a file, and leaves another; the losses. */
  public static double[] train(String from, String to, int steps) {
    SequentialImpl model = new SequentialImpl();
    model.push_back(new LinearImpl(4, 8));
    model.push_back(new ReLUImpl());
    model.push_back(new DropoutImpl(0.25));
    model.push_back(new LinearImpl(8, 1));
    AdamW optimizer = new AdamW(model.parameters(), new AdamWOptions(0.05));

    Map<?, ?> saved = (Map<?, ?>) Torch.load(Path.of(from));
    model.load_state_dict(StringTensorDict.of((Map<?, ?>) saved.get("model")));
    optimizer.load_state_dict(OptimizerState.of((Map<?, ?>) saved.get("optimizer")));
    Map<Object, Object> schedule = new LinkedHashMap<>((Map<?, ?>) saved.get("schedule"));
    Torch.setRngState((Tensor) saved.get("random"));

    double[] losses = new double[steps];
    for (int i = 0; i < steps; i++) {
      try (MemoryScope scope = new MemoryScope()) {
        Tensor inputs = torch.rand(16, 4);
        Tensor wanted = inputs.sum(new long[] {1}, true);
        Tensor loss = model.forward(inputs).sub(wanted).pow(new Scalar(2)).mean();
        optimizer.zero_grad();
        loss.backward();
        optimizer.step();
        losses[i] = loss.item_double();
      }
      step(schedule, optimizer);
    }
    Map<String, Object> state = new LinkedHashMap<>();
    state.put("model", model.state_dict());
    state.put("optimizer", optimizer.state_dict().toMap());
    state.put("schedule", schedule);
    state.put("random", Torch.getRngState());
    Torch.save(state, Path.of(to));
    return losses;
  }

  /** StepLR with a step of three. */
  private static void step(Map<Object, Object> schedule, AdamW optimizer) {
    long epoch = (Long) schedule.get("last_epoch") + 1;
    var options = optimizer.param_groups().get(0).options();
    if (epoch % (Long) schedule.get("step_size") == 0) {
      options.set_lr(options.get_lr() * (Double) schedule.get("gamma"));
    }
    schedule.put("last_epoch", epoch);
    schedule.put("_step_count", (Long) schedule.get("_step_count") + 1);
    schedule.put("_last_lr", List.of(options.get_lr()));
  }
}
