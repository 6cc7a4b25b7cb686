import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.distributed.DistributedDataParallel;
import org.onetape.distributed.DistributedDataParallelOptions;
import org.onetape.distributed.ProcessGroup;
import org.onetape.global.torch;
import org.onetape.nn.LinearImpl;
import org.onetape.optim.SGD;
import org.onetape.optim.SGDOptions;
import org.onetape.spark.Distributor;

/** Trains on two executors of a local cluster, and without any, and prints both last losses. */
public final class SparkTraining {
  private SparkTraining() {}

  /** The argument: Spark's master. */
  public static void main(String[] args) {
    SparkConf conf =
        new SparkConf()
            .setMaster(args[0])
            .setAppName("onetape")
            .set("spark.ui.enabled", "false")
            .set("spark.executor.extraClassPath", System.getProperty("java.class.path"));
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      System.out.printf("%.5f%n", Distributor.run(spark, 2, SparkTraining::train));
    }
    System.out.printf("%.5f%n", train(null));
    System.exit(0); // a local cluster leaves threads behind
  }

  private static Double train(ProcessGroup group) {
    int world = group == null ? 1 : group.size();
    int rank = group == null ? 0 : group.rank();
    torch.manual_seed(0);
    LinearImpl layer = new LinearImpl(6, 1);
    org.onetape.nn.Module model =
        group == null
            ? layer
            : new DistributedDataParallel(layer, group, new DistributedDataParallelOptions());
    Tensor x = torch.randn(64, 6);
    Tensor y = x.sum(1).unsqueeze(1);
    SGD optimizer = new SGD(model.parameters(), new SGDOptions(0.05));
    for (int step = 0; step < 20; step++) {
      try (MemoryScope scope = new MemoryScope()) {
        optimizer.zero_grad();
        long part = 64 / world;
        Tensor own = x.narrow(0, rank * part, part);
        model.forward(own).sub(y.narrow(0, rank * part, part)).pow(2).mean().backward();
        optimizer.step();
      }
    }
    return layer.forward(x).sub(y).pow(2).mean().item_double();
  }
}
