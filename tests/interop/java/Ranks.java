import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.onetape.Tensor;
import org.onetape.distributed.Distributed;
import org.onetape.distributed.DistributedException;
import org.onetape.distributed.ProcessGroup;
import org.onetape.distributed.ReduceOp;

/** A process of Java in a group with processes of Python. */
public final class Ranks {
  private Ranks() {}

  /** The arguments: what to do, the URL, the world size, and the rank unless RANK says it. */
  public static void main(String[] args) throws Exception {
    int world = Integer.parseInt(args[2]);
    try (ProcessGroup group =
        args.length > 3
            ? Distributed.initProcessGroup(
                "gloo", args[1], "world", world, Integer.parseInt(args[3]), Duration.ofSeconds(30))
            : Distributed.initProcessGroup("gloo", args[1], "world", world)) {
      switch (args[0]) {
        case "moves":
          moves(group);
          break;
        case "dies":
          Distributed.barrier();
          Runtime.getRuntime().halt(3);
          break;
        default:
          survives();
      }
    }
  }

  private static void moves(ProcessGroup group) throws Exception {
    int rank = Distributed.getRank();
    int world = Distributed.getWorldSize();
    Tensor sum = Tensor.create(new double[] {rank + 1, 10});
    Distributed.allReduce(sum);
    System.out.println(sum);
    Tensor most = Tensor.create(new long[] {rank, -rank});
    Distributed.allReduce(most, ReduceOp.MAX);
    System.out.println(most);
    Tensor text = Tensor.create(new byte[] {1, 2, 3});
    Distributed.broadcast(text, 0);
    System.out.println(text);
    Tensor[] all = new Tensor[world];
    Arrays.setAll(all, i -> Tensor.create(new float[2]));
    Distributed.allGather(all, Tensor.create(new float[] {rank, rank}));
    System.out.println(Arrays.toString(all));
    Tensor got = Tensor.create(new float[3]);
    if (rank == 1) {
      System.out.println(group.receive(got, 0) + " " + got);
      group.send(Tensor.create(new float[] {4, 5}), 0);
    }
    Distributed.barrier();
    Tensor later = Tensor.create(new float[] {1});
    Distributed.allReduceAsync(later, ReduceOp.SUM).future().get(30, TimeUnit.SECONDS);
    System.out.println(later);
    ProcessGroup pair = Distributed.newGroup(0, 1);
    if (pair != null) {
      pair.allReduce(later);
    }
    System.out.println(later);
    System.out.flush();
  }

  private static void survives() {
    Distributed.barrier();
    Distributed.world().setTimeout(Duration.ofSeconds(3));
    try {
      Distributed.allReduce(Tensor.create(new float[] {1}));
    } catch (DistributedException e) {
      System.out.println(e.getMessage().lines().findFirst().orElse(""));
    }
  }
}
