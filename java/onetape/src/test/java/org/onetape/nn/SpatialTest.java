package org.onetape.nn;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;
import org.onetape.DoubleOptional;
import org.onetape.LongOptional;
import org.onetape.LongPointer;
import org.onetape.MemoryScope;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch;

/** Layers that work on images and the like. */
public class SpatialTest {
  private static Tensor counted(long... sizes) {
    long count = 1;
    for (long size : sizes) {
      count *= size;
    }
    return torch.arange(count).reshape(sizes).to(torch.ScalarType.Float).div(count);
  }

  private static void assertClose(Tensor expected, Tensor found) {
    assertArrayEquals(expected.shape(), found.shape());
    assertTrue(torch.allclose(expected, found, 1e-5, 1e-6));
  }

  @Test
  public void layersShowThemselvesAsInPyTorch() {
    try (MemoryScope scope = new MemoryScope()) {
      Conv2dOptions options = new Conv2dOptions(2, 4, new LongPointer(3, 2));
      options.stride(2).padding(1).dilation(new LongPointer(2, 2)).groups(2).bias(false);
      assertEquals(
          "Conv2d(2, 4, kernel_size=(3, 2), stride=(2, 2), padding=(1, 1), dilation=(2, 2),"
              + " groups=2, bias=False)",
          new Conv2dImpl(options).toString());
      Conv2dOptions same = new Conv2dOptions(2, 4, 3).padding(new kSame());
      same.padding_mode(new kReflect());
      assertEquals(
          "Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1), padding=same, padding_mode=reflect)",
          new Conv2dImpl(same).toString());
      assertEquals(
          "Conv1d(2, 4, kernel_size=(3,), stride=(1,))", new Conv1dImpl(2, 4, 3).toString());
      assertEquals(
          "ConvTranspose2d(2, 4, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1),"
              + " output_padding=(1, 1))",
          new ConvTranspose2dImpl(
                  new ConvTranspose2dOptions(2, 4, 3).stride(2).padding(1).output_padding(1))
              .toString());
      assertEquals(
          "MaxPool2d(kernel_size=(2, 3), stride=1, padding=0, dilation=1, ceil_mode=True)",
          new MaxPool2dImpl(new MaxPool2dOptions(2, 3).stride(1).ceil_mode(true)).toString());
      assertEquals(
          "AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))",
          new AvgPool1dImpl(2).toString());
      assertEquals(
          "AvgPool3d(kernel_size=2, stride=2, padding=0)", new AvgPool3dImpl(2).toString());
      assertEquals(
          "AdaptiveAvgPool2d(output_size=(None, 3))",
          new AdaptiveAvgPool2dImpl(
                  new AdaptiveAvgPool2dOptions(new LongOptional(), new LongOptional(3)))
              .toString());
      assertEquals("AdaptiveMaxPool1d(output_size=3)", new AdaptiveMaxPool1dImpl(3).toString());
      assertEquals(
          "BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True,"
              + " track_running_stats=True)",
          new BatchNorm2dImpl(3).toString());
      assertEquals(
          "InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=False, bias=False,"
              + " track_running_stats=False)",
          new InstanceNorm1dImpl(3).toString());
      assertEquals(
          "GroupNorm(2, 4, eps=1e-05, affine=True, bias=True)", new GroupNormImpl(2, 4).toString());
    }
  }

  @Test
  public void convolutionsHaveFirstWeightsAsInPyTorch() {
    try (MemoryScope scope = new MemoryScope()) {
      torch.manual_seed(11);
      Conv2dImpl layer = new Conv2dImpl(1, 1, 2);
      torch.manual_seed(11);
      Tensor weight = torch.empty(1, 1, 2, 2).uniform_(-0.5, 0.5);
      Tensor bias = torch.empty(1).uniform_(-0.5, 0.5);
      assertTrue(weight.equal(layer.weight()));
      assertTrue(bias.equal(layer.bias()));
      assertFalse(new Conv2dImpl(new Conv2dOptions(1, 1, 2).bias(false)).bias().defined());
    }
  }

  @Test
  public void convolutionsAreThoseOfTheOperators() {
    try (MemoryScope scope = new MemoryScope()) {
      for (int dims = 1; dims <= 3; dims++) {
        long[] sizes = new long[dims + 2];
        java.util.Arrays.fill(sizes, 4);
        Tensor x = counted(sizes);
        long[] two = {2, 2, 2};
        long[] stride = java.util.Arrays.copyOf(two, dims);
        ConvBase[] layers = {
          new Conv1dImpl(new Conv1dOptions(4, 2, 3).stride(2).padding(1)),
          new Conv2dImpl(new Conv2dOptions(4, 2, 3).stride(2).padding(new LongPointer(1, 1))),
          new Conv3dImpl(new Conv3dOptions(4, 2, 3).stride(2).padding(1)),
          new ConvTranspose1dImpl(new ConvTranspose1dOptions(4, 2, 3).stride(2).padding(1)),
          new ConvTranspose2dImpl(new ConvTranspose2dOptions(4, 2, 3).stride(2).padding(1)),
          new ConvTranspose3dImpl(new ConvTranspose3dOptions(4, 2, 3).stride(2).padding(1)),
        };
        long[] ones = java.util.Arrays.copyOf(new long[] {1, 1, 1}, dims);
        long[] none = new long[dims];
        for (boolean transposed : new boolean[] {false, true}) {
          ConvBase layer = layers[dims - 1 + (transposed ? 3 : 0)];
          Tensor expected =
              torch.convolution(
                  x, layer.weight(), layer.bias(), stride, ones, ones, transposed, none, 1);
          assertClose(expected, layer.forward(x));
          assertClose(expected.select(0, 1), layer.forward(x.select(0, 1)));
        }
      }
    }
  }

  @Test
  public void paddingMayBeAWordOrAMode() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = counted(1, 2, 4, 5);
      Conv2dImpl same = new Conv2dImpl(new Conv2dOptions(2, 3, 3, 2).padding(new kSame()));
      assertArrayEquals(new long[] {1, 3, 4, 5}, same.forward(x).shape());
      Conv2dImpl valid = new Conv2dImpl(new Conv2dOptions(2, 3, 3, 2).padding(new kValid()));
      assertArrayEquals(new long[] {1, 3, 2, 4}, valid.forward(x).shape());
      Conv2dOptions options = new Conv2dOptions(2, 3, 3, 2).padding(1, 2);
      Conv2dImpl circular = new Conv2dImpl(options.padding_mode(new kCircular()));
      Tensor padded = torch.pad(x, new long[] {2, 2, 1, 1}, "circular");
      assertClose(torch.conv2d(padded, circular.weight(), circular.bias()), circular.forward(x));
      Conv2dOptions strided = new Conv2dOptions(2, 3, 3).stride(2).padding(new kSame());
      assertThrows(IllegalArgumentException.class, () -> new Conv2dImpl(strided));
    }
  }

  @Test
  public void sizesOfTransposedConvolutionsCanBeAskedFor() {
    try (MemoryScope scope = new MemoryScope()) {
      ConvTranspose2dOptions options = new ConvTranspose2dOptions(1, 1, 3).stride(2).padding(1);
      ConvTranspose2dImpl layer = new ConvTranspose2dImpl(options);
      Tensor x = counted(1, 1, 3, 3);
      assertArrayEquals(new long[] {1, 1, 5, 5}, layer.forward(x).shape());
      assertArrayEquals(new long[] {1, 1, 6, 5}, layer.forward(x, 6, 5).shape());
      assertArrayEquals(new long[] {1, 1, 5, 6}, layer.forward(x, 1, 1, 5, 6).shape());
      IllegalArgumentException error =
          assertThrows(IllegalArgumentException.class, () -> layer.forward(x, 7, 5));
      assertEquals(
          "requested an output size of [7, 5], but valid sizes range from [5, 5] to [6, 6] (for an"
              + " input of torch.Size([3, 3]))",
          error.getMessage());
      assertThrows(IllegalArgumentException.class, () -> layer.forward(x, 7L));
    }
  }

  @Test
  public void wrongNumbersAreRefused() {
    try (MemoryScope scope = new MemoryScope()) {
      assertThrows(
          IllegalArgumentException.class,
          () -> new Conv2dImpl(new Conv2dOptions(3, 4, 2).groups(2)));
      assertThrows(
          IllegalArgumentException.class,
          () -> new Conv2dImpl(new Conv2dOptions(4, 3, 2).groups(2)));
      assertThrows(
          IllegalArgumentException.class,
          () -> new Conv2dImpl(new Conv2dOptions(4, 4, 2).groups(0)));
      assertThrows(IllegalArgumentException.class, () -> new Conv2dOptions(4, 4, 2, 2, 2));
      assertThrows(IllegalArgumentException.class, () -> new GroupNormImpl(3, 4));
      TorchException error =
          assertThrows(
              TorchException.class, () -> new Conv2dImpl(3, 4, 2).forward(counted(1, 2, 4, 4)));
      assertTrue(
          error
              .getMessage()
              .startsWith(
                  "Given groups=1, weight of size [4, 3, 2, 2], expected input[1, 2, 4, 4] to have"
                      + " 3 channels, but got 2 channels instead"));
      assertThrows(
          IllegalArgumentException.class, () -> new BatchNorm2dImpl(3).forward(counted(2, 3)));
    }
  }

  @Test
  public void poolsTakeWindows() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = counted(1, 1, 4, 4);
      Tensor largest = torch.tensor(new float[] {5, 7, 13, 15}).div(16).reshape(1, 1, 2, 2);
      assertClose(largest, new MaxPool2dImpl(2).forward(x));
      assertClose(largest, new MaxPool2dImpl(new LongPointer(2, 2)).forward(x));
      T_TensorTensor_T found = new MaxPool2dImpl(2).forward_with_indices(x);
      assertClose(x, torch.max_unpool2d(found.get0(), found.get1(), 4, 4).max(x));
      Tensor mean =
          torch.tensor(new float[] {2.5f, 4.5f, 10.5f, 12.5f}).div(16).reshape(1, 1, 2, 2);
      assertClose(mean, new AvgPool2dImpl(2).forward(x));
      assertClose(mean, new AdaptiveAvgPool2dImpl(2).forward(x));
      assertClose(largest, new AdaptiveMaxPool2dImpl(2, 2).forward(x));
      assertClose(
          mean.mul(4), new AvgPool2dImpl(new AvgPool2dOptions(2).divisor_override(1)).forward(x));
      AdaptiveMaxPool2dOptions kept =
          new AdaptiveMaxPool2dOptions(new LongOptional(1), new LongOptional());
      assertArrayEquals(
          new long[] {1, 1, 1, 4}, new AdaptiveMaxPool2dImpl(kept).forward(x).shape());
      assertArrayEquals(
          new long[] {1, 4, 3},
          new MaxPool1dImpl(new MaxPool1dOptions(2).stride(1)).forward(x.squeeze(0)).shape());
      assertArrayEquals(new long[] {1, 1, 2, 2}, new MaxPool3dImpl(1, 2, 2).forward(x).shape());
      assertArrayEquals(new long[] {1, 4, 2}, new AvgPool1dImpl(2).forward(x.squeeze(0)).shape());
      assertArrayEquals(new long[] {1, 1, 2, 2}, new AvgPool3dImpl(1, 2, 2).forward(x).shape());
      assertArrayEquals(
          new long[] {1, 1, 2, 1}, new AdaptiveAvgPool3dImpl(1, 2, 1).forward(x).shape());
      assertArrayEquals(
          new long[] {1, 1, 2, 1}, new AdaptiveMaxPool3dImpl(1, 2, 1).forward(x).shape());
      assertArrayEquals(
          new long[] {1, 4, 3}, new AdaptiveAvgPool1dImpl(3).forward(x.squeeze(0)).shape());
    }
  }

  @Test
  public void normalisedChannelsHaveMeanZeroAndVarianceOne() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor x = counted(4, 3, 2, 2);
      BatchNorm2dImpl batch = new BatchNorm2dImpl(new BatchNormOptions(3).momentum(0.5));
      Tensor y = batch.forward(x);
      assertClose(torch.zeros(3), y.mean(new long[] {0, 2, 3}));
      assertClose(x.mean(new long[] {0, 2, 3}).mul(0.5), batch.running_mean());
      assertEquals(1, batch.num_batches_tracked().item_long());
      batch.eval();
      assertFalse(torch.allclose(y, batch.forward(x), 1e-5, 1e-6));
      BatchNorm2dImpl average =
          new BatchNorm2dImpl(new BatchNormOptions(3).momentum(new DoubleOptional()));
      average.forward(x);
      assertClose(x.mean(new long[] {0, 2, 3}), average.running_mean());
      InstanceNorm2dImpl instance = new InstanceNorm2dImpl(3);
      assertClose(torch.zeros(4, 3), instance.forward(x).mean(new long[] {2, 3}));
      assertClose(instance.forward(x).select(0, 1), instance.forward(x.select(0, 1)));
      InstanceNormOptions affine = new InstanceNormOptions(5).affine(true);
      assertThrows(IllegalArgumentException.class, () -> new InstanceNorm2dImpl(affine).forward(x));
      assertClose(torch.group_norm(x, 1), new GroupNormImpl(new GroupNormOptions(1, 3)).forward(x));
    }
  }
}
