package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;
import org.onetape.global.torch;
import org.onetape.global.torch.DeviceType;
import org.onetape.global.torch.ScalarType;
import org.onetape.nn.LinearImpl;

/** Devices that are not there, and {@code meta}, whose tensors have no elements. */
@SuppressWarnings("try") // scopes only free what is made inside
public class DeviceTest {
  private static final Device META = new Device("meta");

  private static TensorOptions onMeta() {
    return new TensorOptions(ScalarType.Float).device(META);
  }

  @Test
  public void values() {
    Device device = new Device("cuda:1");
    assertEquals(device, new Device(DeviceType.CUDA, (byte) 1));
    assertEquals(device.hashCode(), new Device("cuda:1").hashCode());
    assertNotEquals(device, new Device("cuda"));
    assertEquals("cuda:1", device.toString());
    assertTrue(META.is_meta());
    assertThrows(TorchException.class, () -> new Device("gpu"));
  }

  @Test
  public void programsThatLookForAGpuFindNone() {
    assertFalse(Torch.cudaIsAvailable());
    assertFalse(torch.cuda_is_available());
    assertFalse(torch.hasMPS());
    assertEquals(0, Torch.cudaDeviceCount());
    assertEquals(0, torch.cuda_device_count());
  }

  @Test
  public void devicesThatAreNotThere() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = torch.ones(2);
      TensorOptions options = new TensorOptions().device(new Device("cuda"));
      assertRefused("Torch not compiled with CUDA enabled", () -> x.to(new Device("cuda:0")));
      assertRefused("Torch not compiled with CUDA enabled", x::cuda);
      assertRefused(
          "Torch not compiled with CUDA enabled", () -> torch.ones(new long[] {2}, options));
      assertRefused("Torch not compiled with XPU enabled", () -> x.to(new Device("xpu")));
      assertRefused(
          "PyTorch is not linked with support for mps devices", () -> x.to(new Device("mps")));
      LinearImpl linear = new LinearImpl(2, 2);
      assertRefused(
          "Torch not compiled with CUDA enabled", () -> linear.to(new Device("cuda"), false));
      assertTrue(x.cpu().equals(x));
    }
  }

  private static void assertRefused(String text, org.junit.function.ThrowingRunnable run) {
    RuntimeException e = assertThrows(RuntimeException.class, run);
    assertEquals(text, e.getMessage().lines().findFirst().get());
  }

  @Test
  public void tensorsWithoutElements() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = torch.empty(new long[] {2, 3}, onMeta());
      assertEquals(META, x.device());
      assertTrue(x.is_meta());
      assertFalse(x.is_cpu());
      assertArrayEquals(new long[] {2, 3}, x.shape());
      assertEquals("tensor(..., device='meta', size=(2, 3))", x.toString());
      assertTrue(torch.ones(2).to(META).is_meta());
      assertTrue(torch.zeros_like(x).is_meta());
      assertTrue(torch.tensor(new double[] {1, 2}, onMeta()).is_meta());
      assertTrue(torch.arange(new Scalar(3), onMeta()).is_meta());
    }
  }

  @Test
  public void gradients() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor w = torch.empty(new long[] {3, 2}, onMeta()).requires_grad_(true);
      Tensor x = torch.empty(new long[] {4, 3}, onMeta());
      x.mm(w).pow(new Scalar(2)).mean().backward();
      assertTrue(w.grad().is_meta());
      assertArrayEquals(new long[] {3, 2}, w.grad().shape());
    }
  }

  @Test
  public void whatNeedsElements() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = torch.empty(new long[] {3}, onMeta());
      String none = "Cannot copy out of meta tensor; no data!";
      assertRefused(none, x::cpu);
      assertRefused(none, x::toDoubleArray);
      assertRefused(none, () -> torch.ones(3).copy_(x));
      assertRefused("Tensor.item() cannot be called on meta tensors", () -> x.sum().item());
      assertThrows(UnsupportedOperationException.class, x::data_ptr_float);
      assertThrows(UnsupportedOperationException.class, x::nonzero);
      assertRefused(
          "Tensor on device cpu is not on the expected device meta!", () -> x.add(torch.ones(3)));
      assertTrue(x.add(torch.ones(3).sum()).is_meta());
    }
  }

  @Test
  public void modules() {
    try (LinearImpl linear = new LinearImpl(2, 2)) {
      linear.to(META, false);
      assertTrue(linear.weight().is_meta());
      assertThrows(UnsupportedOperationException.class, () -> linear.to(new Device("cpu"), false));
    }
  }
}
