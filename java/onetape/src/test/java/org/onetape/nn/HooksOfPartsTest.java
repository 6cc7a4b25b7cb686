package org.onetape.nn;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.onetape.LongVector;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.global.torch;

/** Layers made of others run the hooks of their parts, in PyTorch's order and with its inputs. */
public class HooksOfPartsTest {
  private static final String ENCODER_LAYER =
      "self_attn:3 dropout1:1 norm1:1 linear1:1 dropout:1 linear2:1 dropout2:1 norm2:1";
  private static final String DECODER_LAYER =
      "self_attn:3 dropout1:1 norm1:1 multihead_attn:3 dropout2:1 norm2:1 linear1:1 dropout:1"
          + " linear2:1 dropout3:1 norm3:1";

  private MemoryScope scope;

  @Before
  public void open() {
    scope = new MemoryScope();
  }

  @After
  public void close() {
    scope.close();
  }

  private static String under(String prefix, String parts) {
    return prefix + parts.replace(" ", " " + prefix);
  }

  private static TransformerEncoderLayerOptions encoderLayer() {
    return new TransformerEncoderLayerOptions(4, 2).dim_feedforward(8);
  }

  private static TransformerDecoderLayerOptions decoderLayer() {
    return new TransformerDecoderLayerOptions(4, 2).dim_feedforward(8);
  }

  private static LayerNormImpl norm() {
    return new LayerNormImpl(new LayerNormOptions(new LongVector(4)));
  }

  /** The modules whose hooks ran, with the number of inputs that these saw. */
  private static String seen(Module module, Tensor... inputs) {
    List<String> ran = new ArrayList<>();
    StringSharedModuleDict modules = module.named_modules();
    for (long i = 0; i < modules.size(); i++) {
      String name = modules.get(i).key().getString();
      modules
          .get(i)
          .value()
          .register_forward_hook(
              (part, given, result) -> {
                ran.add(name + ":" + given.length);
                return null;
              });
    }
    module.call(inputs);
    return String.join(" ", ran);
  }

  @Test
  public void encoders() {
    Tensor x = torch.ones(3, 2, 4);
    assertEquals(ENCODER_LAYER + " :1", seen(new TransformerEncoderLayerImpl(encoderLayer()), x));
    assertEquals(
        under("layers.0.", ENCODER_LAYER)
            + " layers.0:1 "
            + under("layers.1.", ENCODER_LAYER)
            + " layers.1:1 norm:1 :1",
        seen(
            new TransformerEncoderImpl(
                new TransformerEncoderOptions(encoderLayer(), 2).norm(norm())),
            x));
  }

  @Test
  public void decoders() {
    Tensor x = torch.ones(3, 2, 4);
    assertEquals(
        "norm1:1 self_attn:3 dropout1:1 norm2:1 multihead_attn:3 dropout2:1 norm3:1 linear1:1"
            + " dropout:1 linear2:1 dropout3:1 :2",
        seen(new TransformerDecoderLayerImpl(decoderLayer().norm_first(true)), x, x));
    assertEquals(
        under("layers.0.", DECODER_LAYER) + " layers.0:2 norm:1 :2",
        seen(
            new TransformerDecoderImpl(
                new TransformerDecoderOptions(decoderLayer(), 1).norm(norm())),
            x,
            x));
  }

  @Test
  public void transformers() {
    Tensor x = torch.ones(3, 2, 4);
    Tensor none = new Tensor();
    String parts =
        under("encoder.layers.0.", ENCODER_LAYER)
            + " encoder.layers.0:1 encoder.norm:1 encoder:1 "
            + under("decoder.layers.0.", DECODER_LAYER)
            + " decoder.layers.0:2 decoder.norm:1 decoder:2";
    TransformerOptions options = new TransformerOptions(4, 2, 1, 1).dim_feedforward(8);
    assertEquals(parts + " :2", seen(new TransformerImpl(options), x, x));
    assertEquals(
        parts + " :8",
        seen(new TransformerImpl(options), x, x, none, none, none, none, none, none));
    TransformerDecoderLayerImpl layer = new TransformerDecoderLayerImpl(decoderLayer());
    assertEquals(DECODER_LAYER + " :6", seen(layer, x, x, none, none, none, none));
  }

  @Test
  public void attentionUsesOnlyTheWeightsOfItsResult() {
    Tensor x = torch.ones(3, 2, 4);
    assertEquals(":3", seen(new MultiheadAttentionImpl(4, 2), x, x, x)); // as in PyTorch
  }

  @Test
  public void clustersOfClasses() {
    var layer = new AdaptiveLogSoftmaxWithLossImpl(16, 6, new LongVector(2, 4));
    assertEquals(
        "tail.1.0:1 tail.1.1:1 tail.1:1 head:1 :2",
        seen(layer, torch.ones(2, 16), torch.tensor(new long[] {0, 5})));
  }

  @Test
  public void lists() {
    ModuleListImpl list = new ModuleListImpl(new LinearImpl(4, 4), new ReLUImpl());
    Module model =
        new Module("Lists") {
          @Override
          public Tensor forward(Tensor x) {
            Tensor result = x;
            for (Module part : list) {
              result = part.call(result);
            }
            return result;
          }
        };
    model.register_module("parts", list);
    assertEquals("parts.0:1 parts.1:1 :1", seen(model, torch.ones(2, 4)));
  }

  @Test
  public void whatHooksGiveTakesPlace() {
    Tensor x = torch.ones(3, 2, 4);
    TransformerEncoderLayerImpl layer = new TransformerEncoderLayerImpl(encoderLayer().dropout(0));
    float[] before = layer.forward(x.mul(torch.tensor(2f))).toFloatArray();
    try (ModuleHook hook =
        layer.register_forward_pre_hook(
            (module, in) -> new Tensor[] {in[0].mul(torch.tensor(2f))})) {
      assertArrayEquals(before, layer.call(x).toFloatArray(), 0);
    }
    layer
        .named_modules()
        .get("self_attn")
        .register_forward_pre_hook((module, in) -> new Tensor[] {in[0]});
    assertEquals(
        "MultiheadAttention takes 3 tensors, and a hook gave 1",
        assertThrows(IllegalArgumentException.class, () -> layer.forward(x)).getMessage());
  }

  @Test
  public void gradientsOfPartsAreSeen() {
    TransformerEncoderLayerImpl layer = new TransformerEncoderLayerImpl(encoderLayer());
    List<Integer> counts = new ArrayList<>();
    for (String part : new String[] {"self_attn", "linear1"}) {
      layer
          .named_modules()
          .get(part)
          .register_full_backward_hook(
              (module, gradInputs, gradOutput) -> {
                counts.add(gradInputs.length);
                return null;
              });
    }
    layer.forward(torch.ones(3, 2, 4).requires_grad_(true)).sum().backward();
    assertEquals(List.of(1, 3), counts);
  }
}
