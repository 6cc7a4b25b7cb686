import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TorchTensor;
import org.onetape.distributed.Distributed;
import org.onetape.distributed.DistributedDataParallel;
import org.onetape.distributed.ProcessGroup;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.LinearOptions;
import org.onetape.nn.MSELossImpl;

/**
 * The article's three steps of distributed training: the group, parallel data, gradients as one.
 */
public class DistributedArticle {
  /** The argument: where the group meets. RANK of the environment says which process this is. */
  public static void main(String[] args) {
    try (ProcessGroup group = Distributed.initProcessGroup("gloo", args[0], "world", 2)) {
      int rank = group.rank();
      var model = new LinearImpl(new LinearOptions(2, 1).bias(false));
      try (var noGrad = new NoGradGuard()) {
        model
            .weight()
            .copy_(TorchTensor.of(new float[] {rank == 0 ? 1 : 100, rank == 0 ? 2 : 100}));
      }
      var parallel = new DistributedDataParallel(model); // every rank gets the weights of rank 0
      float[] row = rank == 0 ? new float[] {3, 4} : new float[] {1, 1};
      Tensor input = TorchTensor.of(row).reshape(1, 2);
      Tensor target = TorchTensor.of(new float[] {1}).reshape(1, 1);
      Tensor loss = new MSELossImpl().forward(parallel.forward(input), target);
      loss.backward();
      System.out.println(model.weight().grad());
      Tensor mean = loss.detach();
      Distributed.allReduce(mean);
      System.out.println(mean.item_double() / 2);
    }
  }
}
