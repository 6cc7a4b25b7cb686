package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.Test;
import org.onetape.global.torch;
import org.onetape.global.torch.DeviceType;
import org.onetape.global.torch.ScalarType;
import org.onetape.nn.EmbeddingImpl;
import org.onetape.nn.LinearImpl;
import org.onetape.optim.SGD;

/** What users of other libraries met, where no other test here shows it. */
public class UserReportsTest {
  /** Makes ten million options, devices and numbers; the process must not grow. */
  public static final class TenMillionValues {
    public static void main(String[] args) throws Exception {
      make(1_000_000); // so that the code is compiled
      long before = NativeMemory.nativeBytes();
      long resident = ProcessMemory.resident();
      make(10_000_000);
      System.out.println("native " + (NativeMemory.nativeBytes() - before));
      System.out.println("grown " + ((ProcessMemory.resident() - resident) >> 20));
    }

    private static void make(int count) {
      for (int i = 0; i < count; i++) {
        new TensorOptions()
            .dtype(new ScalarTypeOptional(ScalarType.Float))
            .device(new DeviceOptional(new Device(DeviceType.CPU)))
            .requires_grad(true);
        new Scalar(i);
      }
    }
  }

  @Test
  public void optionsDevicesAndNumbersTakeNoNativeMemory() throws Exception {
    // A small heap that is there from the start: what grows then is native.
    ChildJvm child =
        ChildJvm.run(TenMillionValues.class, "-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch");
    assertEquals(child.output, 0, child.status);
    assertTrue(child.output, child.output.contains("native 0"));
    long grown = Long.parseLong(child.output.replaceAll("(?s).*grown (-?\\d+).*", "$1"));
    assertTrue(child.output, grown < 16);
  }

  /** How much memory this process has. */
  static final class ProcessMemory {
    private ProcessMemory() {}

    static long resident() throws java.io.IOException {
      String pages = java.nio.file.Files.readString(java.nio.file.Path.of("/proc/self/statm"));
      return Long.parseLong(pages.split(" ")[1]) * 4096;
    }
  }

  /**
   * One thread's work: a model of its own on a table that all read, times a factor that all share.
   */
  private static Tensor train(EmbeddingImpl table, Tensor shared, int steps) {
    Tensor expected = torch.zeros(2);
    try (LinearImpl model = new LinearImpl(2, 2);
        SGD optimizer = new SGD(model.parameters(), 0.1)) {
      for (int i = 0; i < steps; i++) {
        try (MemoryScope step = new MemoryScope()) {
          Tensor rows = table.forward(tensor(new long[] {i % 3, (i + 1) % 3}));
          // Multiples of 1/8 add up exactly in any order.
          shared.mul(rows.detach()).sum().backward();
          expected.add_(rows.detach().sum(0));
          optimizer.zero_grad();
          model.forward(rows).pow(2).mean().backward();
          optimizer.step();
        }
      }
    }
    return expected;
  }

  @Test
  public void sixteenThreadsTrainWithSharedParts() throws Exception {
    int threads = 16;
    try (MemoryScope scope = new MemoryScope();
        EmbeddingImpl table = new EmbeddingImpl(3, 2)) {
      try (NoGradGuard guard = new NoGradGuard()) {
        table.weight().copy_(tensor(new float[][] {{0.125f, 1}, {2, -0.25f}, {3, 0.5f}}));
      }
      table.weight().requires_grad_(false);
      Tensor shared = torch.ones(new long[] {2}, new TensorOptions().requires_grad(true));
      ExecutorService pool = Executors.newFixedThreadPool(threads);
      try {
        List<Callable<Tensor>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          tasks.add(() -> train(table, shared, 60));
        }
        Tensor expected = torch.zeros(2);
        for (Future<Tensor> one : pool.invokeAll(tasks)) {
          expected.add_(one.get());
        }
        assertArrayEquals(expected.toDoubleArray(), shared.grad().toDoubleArray(), 0);
        assertTrue(!table.weight().grad().defined());
      } finally {
        pool.shutdown();
      }
    }
  }

  /** Whether a tensor still belongs to the graph of x = [1, 2], at which it has the gradient 2x. */
  private static void assertInGraph(String what, Tensor x, Tensor y) {
    assertTrue(what, y.requires_grad());
    x.set_grad(null);
    y.sum().backward(null, true, false);
    assertEquals(what, "tensor([2., 4.])", x.grad().to(ScalarType.Float).toString());
  }

  @Test
  public void conversionsAndContainersKeepTheGraph() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = tensor(new double[] {1, 2}, requires_grad(true));
      Tensor y = x.mul(x);
      assertInGraph("to", x, y.to(ScalarType.Float));
      assertInGraph("to and back", x, y.to(ScalarType.Half).to(ScalarType.Double));
      assertInGraph("half", x, y.half());
      assertInGraph("clone", x, y.clone());
      assertInGraph("contiguous", x, y.contiguous());
      assertInGraph("wrapped", x, new Tensor(y));
      assertInGraph("TorchTensor", x, new TorchTensor(y));
      assertInGraph("TensorOptional", x, new TensorOptional(y).get());
      assertInGraph("Optional", x, Optional.of(y).get());
      assertInGraph("TensorVector", x, new TensorVector(y, x).get(0));
      assertInGraph("TensorVector of a list", x, new TensorVector(List.of(y)).get(0));
      assertInGraph("TensorArrayRef", x, new TensorArrayRef(new TensorVector(y)).get(0));
      Map<String, Tensor> map = new HashMap<>(Map.of("y", y));
      assertInGraph("Map", x, map.get("y"));
      StringTensorDict dict = new StringTensorDict();
      dict.insert("y", y);
      assertInGraph("StringTensorDict", x, dict.get("y"));
      assertInGraph("kept", x, inAMethod(y));
      Tensor leaf = new TensorOptional(new Tensor(x)).get();
      assertTrue(leaf.is_leaf() && leaf.requires_grad());
      assertEquals(x, leaf);
    }
  }

  private static Tensor inAMethod(Tensor y) {
    try (MemoryScope inner = new MemoryScope()) {
      return y.reshape(2, 1).squeeze().keep();
    }
  }

  @Test
  public void countsAreSeenOverJmx() throws Exception {
    NativeMemory.registerBean();
    var name = new javax.management.ObjectName("org.onetape:type=NativeMemory");
    var server = ManagementFactory.getPlatformMBeanServer();
    long before = (Long) server.getAttribute(name, "LiveTensors");
    try (Tensor one = tensor(1.0)) {
      assertEquals(before + 1, (long) (Long) server.getAttribute(name, "LiveTensors"));
      assertTrue(one.defined());
    }
  }
}
