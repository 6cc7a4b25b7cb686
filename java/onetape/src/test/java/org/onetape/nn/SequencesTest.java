package org.onetape.nn;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;
import org.onetape.LongOptional;
import org.onetape.MemoryScope;
import org.onetape.PackedSequence;
import org.onetape.T_PackedSequenceTensor_T;
import org.onetape.T_TensorT_TensorTensor_T_T;
import org.onetape.T_TensorTensor_T;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.TorchException;
import org.onetape.global.torch;

/** Layers that work on sequences. Numbers are PyTorch's, from the same seed and inputs. */
public class SequencesTest {
  private static Tensor counted(long... sizes) {
    long count = 1;
    for (long size : sizes) {
      count *= size;
    }
    return torch.arange(count).reshape(sizes).to(torch.ScalarType.Float).div(count);
  }

  private static double weighted(Tensor tensor) {
    return tensor.mul(counted(tensor.shape())).sum().item_double();
  }

  private static void assertWeighted(double expected, Tensor tensor) {
    assertEquals(expected, weighted(tensor), 1e-5);
  }

  private static String message(Runnable action, Class<? extends RuntimeException> kind) {
    return assertThrows(kind, action::run).getMessage();
  }

  @Test
  public void lstmGivesPyTorchsNumbers() {
    try (MemoryScope scope = new MemoryScope()) {
      torch.manual_seed(11);
      LSTMImpl layer = new LSTMImpl(new LSTMOptions(3, 4).num_layers(2).bidirectional(true));
      assertEquals("LSTM(3, 4, num_layers=2, bidirectional=True)", layer.toString());
      T_TensorT_TensorTensor_T_T found = layer.forwardT_TensorT_TensorTensor_T_T(counted(5, 2, 3));
      assertWeighted(1.2876206, found.get0());
      assertWeighted(0.1677739, found.get1().get0());
      assertWeighted(0.5809360, found.get1().get1());
      T_TensorT_TensorTensor_T_T again = layer.forward(counted(5, 2, 3), found.get1());
      assertFalse(again.get0().equal(found.get0()));
      again.get0().sum().backward();
      for (Tensor parameter : layer.parameters()) {
        assertTrue(parameter.grad().defined());
      }
      torch.manual_seed(11);
      LSTMOptions options = new LSTMOptions(3, 4).proj_size(2).batch_first(true);
      found = new LSTMImpl(options).forwardT_TensorT_TensorTensor_T_T(counted(2, 5, 3));
      assertWeighted(-0.8783395, found.get0());
      assertWeighted(-0.1867875, found.get1().get0());
      assertWeighted(-1.7143876, found.get1().get1());
    }
  }

  @Test
  public void gruAndPlainLayersGivePyTorchsNumbers() {
    try (MemoryScope scope = new MemoryScope()) {
      torch.manual_seed(11);
      GRUImpl gru = new GRUImpl(new GRUOptions(3, 4).num_layers(2).batch_first(true));
      T_TensorTensor_T found = gru.forwardT_TensorTensor_T(counted(2, 5, 3));
      assertWeighted(1.1468916, found.get0());
      assertWeighted(0.5146878, found.get1());
      Tensor one = gru.forwardT_TensorTensor_T(counted(2, 5, 3).select(0, 0)).get0();
      assertTrue(torch.allclose(found.get0().select(0, 0), one, 1e-5, 1e-6));
      torch.manual_seed(11);
      RNNOptions options = new RNNOptions(3, 4).nonlinearity(new RNNNonlinearity(new kReLU()));
      found = new RNNImpl(options).forwardT_TensorTensor_T(counted(5, 2, 3));
      assertWeighted(6.3807056, found.get0());
      assertWeighted(1.2276293, found.get1());
    }
  }

  @Test
  public void cellsAreLayersOfOneStep() {
    try (MemoryScope scope = new MemoryScope()) {
      torch.manual_seed(11);
      LSTMCellImpl cell = new LSTMCellImpl(3, 4);
      T_TensorTensor_T found = cell.forward(counted(2, 3), (T_TensorTensor_T) null);
      assertWeighted(-0.3454042, found.get0());
      assertWeighted(-0.7828732, found.get1());
      Tensor single = cell.forward(counted(2, 3).select(0, 1), (T_TensorTensor_T) null).get0();
      assertTrue(torch.allclose(found.get0().select(0, 1), single, 1e-5, 1e-6));
      torch.manual_seed(4);
      GRUCellImpl step = new GRUCellImpl(new GRUCellOptions(3, 4));
      torch.manual_seed(4);
      GRUImpl layer = new GRUImpl(3, 4);
      Tensor state = counted(2, 4);
      Tensor expected =
          layer.forwardT_TensorTensor_T(counted(1, 2, 3), state.unsqueeze(0)).get0().select(0, 0);
      assertTrue(torch.allclose(expected, step.forward(counted(2, 3), state), 1e-5, 1e-6));
      RNNCellOptions options =
          new RNNCellOptions(3, 4).nonlinearity(new RNNNonlinearity(new kReLU())).bias(false);
      assertEquals(
          "RNNCell(3, 4, bias=False, nonlinearity=relu)", new RNNCellImpl(options).toString());
    }
  }

  @Test
  public void packedSequencesGoThroughLayers() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor lengths = torch.tensor(new long[] {3, 5});
      PackedSequence packed = torch.pack_padded_sequence(counted(5, 2, 3), lengths, false, false);
      assertArrayEquals(new long[] {2, 2, 2, 1, 1}, packed.batch_sizes().toLongArray());
      torch.manual_seed(11);
      GRUImpl layer = new GRUImpl(new GRUOptions(3, 4).bidirectional(true));
      T_PackedSequenceTensor_T found = layer.forward_with_packed_input(packed);
      T_TensorTensor_T padded = torch.pad_packed_sequence(found.get0());
      assertWeighted(-0.2894117, padded.get0());
      assertWeighted(0.3521023, found.get1());
      assertArrayEquals(new long[] {3, 5}, padded.get1().toLongArray());
      T_TensorTensor_T longer =
          torch.pad_packed_sequence(found.get0(), true, 7, new LongOptional(6));
      assertArrayEquals(new long[] {2, 6, 8}, longer.get0().shape());
      assertEquals(7, longer.get0().select(1, 5).mean().item_double(), 0);
      TensorVector parts = new TensorVector(counted(2, 3), counted(4, 3));
      assertArrayEquals(new long[] {4, 2, 3}, torch.pad_sequence(parts).shape());
      PackedSequence sorted = torch.pack_sequence(parts, false);
      assertArrayEquals(new long[] {2, 2, 1, 1}, sorted.batch_sizes().toLongArray());
      assertThrows(TorchException.class, () -> torch.pack_sequence(parts));
      assertThrows(TorchException.class, () -> torch.pad_sequence(new TensorVector()));
    }
  }

  @Test
  public void attentionGivesPyTorchsNumbers() {
    try (MemoryScope scope = new MemoryScope()) {
      torch.manual_seed(11);
      MultiheadAttentionOptions options = new MultiheadAttentionOptions(4, 2);
      options.add_bias_kv(true).add_zero_attn(true).kdim(3).vdim(5);
      MultiheadAttentionImpl layer = new MultiheadAttentionImpl(options);
      Tensor query = counted(3, 2, 4);
      Tensor key = counted(5, 2, 3);
      Tensor value = counted(5, 2, 5);
      T_TensorTensor_T found = layer.forwardT_TensorTensor_T(query, key, value);
      assertWeighted(-0.7448588, found.get0());
      assertWeighted(2.9271459, found.get1());
      assertTrue(torch.allclose(found.get0(), layer.forward(query, key, value), 1e-5, 1e-6));
      Tensor padding = torch.zeros(2, 5).to(torch.ScalarType.Bool);
      padding.select(1, 4).fill_(1);
      Tensor mask = torch.ones(3, 5).to(torch.ScalarType.Bool).triu(2);
      T_TensorTensor_T masked = layer.forward(query, key, value, padding, true, mask, false);
      assertArrayEquals(new long[] {2, 2, 3, 7}, masked.get1().shape());
      assertEquals(0, masked.get1().select(3, 4).sum().item_double(), 0);
      Tensor alone = layer.forward(query, key, value, padding, false, mask, false).get0();
      assertTrue(torch.allclose(masked.get0(), alone, 1e-5, 1e-6));
      layer.forward(query, key, value).sum().backward();
      for (Tensor parameter : layer.parameters()) {
        assertTrue(parameter.grad().defined());
      }
    }
  }

  @Test
  public void transformersGivePyTorchsNumbers() {
    try (MemoryScope scope = new MemoryScope()) {
      torch.manual_seed(11);
      TransformerOptions options = new TransformerOptions(4, 2, 2, 2);
      TransformerImpl model = new TransformerImpl(options.dim_feedforward(6).dropout(0));
      Tensor none = new Tensor();
      Tensor mask = TransformerImpl.generate_square_subsequent_mask(3);
      Tensor source = counted(5, 2, 4);
      Tensor target = counted(3, 2, 4);
      Tensor found = model.forward(source, target, none, mask, none, none, none, none);
      assertWeighted(-0.0590268, found);
      found.sum().backward();
      for (Tensor parameter : model.parameters()) {
        assertTrue(parameter.grad().defined());
      }
      TransformerEncoderLayerOptions layer = new TransformerEncoderLayerOptions(4, 2);
      layer.dim_feedforward(6).activation(new TransformerActivation(new kGELU())).dropout(0);
      layer.norm_first(true).batch_first(true);
      TransformerEncoderImpl encoder =
          new TransformerEncoderImpl(new TransformerEncoderOptions(layer, 2));
      Tensor x = counted(2, 3, 4);
      assertArrayEquals(x.shape(), encoder.forward(x).shape());
      Tensor first = encoder.forward(x, mask, none).select(1, 0);
      Tensor short1 = encoder.forward(x.narrow(1, 0, 1)).select(1, 0);
      assertTrue(torch.allclose(first, short1, 1e-5, 1e-6));
      assertTrue(encoder.layers().get(0).toString().contains("NonDynamicallyQuantizableLinear("));
      TransformerDecoderImpl decoder =
          new TransformerDecoderImpl(new TransformerDecoderLayerOptions(4, 2), 2);
      decoder.eval();
      assertArrayEquals(new long[] {3, 2, 4}, decoder.forward(target, source).shape());
    }
  }

  @Test
  public void bilinearAndResampledLayers() {
    try (MemoryScope scope = new MemoryScope()) {
      torch.manual_seed(11);
      BilinearImpl layer = new BilinearImpl(2, 3, 4);
      assertWeighted(1.1722737, layer.forward(counted(3, 2), counted(3, 3)));
      assertEquals(
          "Bilinear(in1_features=2, in2_features=3, out_features=4, bias=True)", layer.toString());
      Tensor image = counted(1, 1, 2, 2);
      UpsampleImpl twice = new UpsampleImpl(new UpsampleOptions().scale_factor(2));
      Tensor expected = image.repeat_interleave(2, 2).repeat_interleave(2, 3);
      assertTrue(expected.equal(twice.forward(image)));
      UpsampleOptions smooth = new UpsampleOptions().size(3, 3).mode("bilinear");
      Tensor middle = new UpsampleImpl(smooth.align_corners(true)).forward(image);
      assertEquals(image.mean().item_double(), middle.flatten().select(0, 4).item_double(), 1e-6);
      UpsampleOptions shown = new UpsampleOptions().scale_factor(2, 1.5).mode("bilinear");
      assertEquals(
          "Upsample(scale_factor=(2.0, 1.5), mode='bilinear')", new UpsampleImpl(shown).toString());
      UpsampleImpl linear = new UpsampleImpl(new UpsampleOptions().size(3).mode("linear"));
      assertEquals(
          "Got 4D input, but linear mode needs 3D input",
          message(() -> linear.forward(image), UnsupportedOperationException.class));
    }
  }

  @Test
  public void refusesAsPyTorchDoes() {
    try (MemoryScope scope = new MemoryScope()) {
      Class<IllegalArgumentException> value = IllegalArgumentException.class;
      assertEquals(
          "proj_size has to be smaller than hidden_size",
          message(() -> new LSTMImpl(new LSTMOptions(3, 4).proj_size(4)), value));
      assertEquals(
          "num_layers must be greater than zero",
          message(() -> new GRUImpl(new GRUOptions(3, 4).num_layers(0)), value));
      GRUImpl gru = new GRUImpl(3, 4);
      assertEquals(
          "GRU: Expected input to be 2D or 3D, got 1D instead",
          message(() -> gru.forward(counted(3)), value));
      assertEquals(
          "input.size(-1) must be equal to input_size. Expected 3, got 2",
          message(() -> gru.forward(counted(5, 2, 2)), TorchException.class));
      assertEquals(
          "Expected hidden size (1, 2, 4), got [2, 2, 4]",
          message(
              () -> gru.forwardT_TensorTensor_T(counted(5, 2, 3), counted(2, 2, 4)),
              TorchException.class));
      assertEquals(
          "embed_dim must be divisible by num_heads",
          message(() -> new MultiheadAttentionImpl(5, 2), TorchException.class));
      Tensor q = counted(3, 2, 4);
      MultiheadAttentionImpl attention = new MultiheadAttentionImpl(4, 2);
      assertEquals(
          "The shape of the 2D attn_mask is torch.Size([3, 4]), but should be (3, 3).",
          message(
              () -> attention.forward(q, q, q, new Tensor(), false, torch.zeros(3, 4), true),
              TorchException.class));
      TransformerImpl model = new TransformerImpl(new TransformerOptions(4, 2, 1, 1));
      assertEquals(
          "the batch number of src and tgt must be equal",
          message(() -> model.forward(q, q.narrow(1, 0, 1)), TorchException.class));
    }
  }
}
