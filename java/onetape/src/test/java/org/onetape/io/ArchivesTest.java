package org.onetape.io;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.onetape.Device;
import org.onetape.StringTensorDict;
import org.onetape.Tensor;
import org.onetape.Torch;
import org.onetape.TorchException;
import org.onetape.global.torch;
import org.onetape.nn.LinearImpl;
import org.onetape.nn.Module;
import org.onetape.nn.SequentialImpl;
import org.onetape.optim.AdamW;
import org.onetape.optim.AdamWOptions;
import org.onetape.optim.OptimizerState;

/** What JavaCPP's programs save and load models with, and the states of optimizers in files. */
public class ArchivesTest {
  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private String path(String name) {
    return folder.getRoot().toPath().resolve(name).toString();
  }

  private static SequentialImpl model(long seed) {
    torch.manual_seed(seed);
    SequentialImpl model = new SequentialImpl();
    model.push_back(new LinearImpl(3, 4));
    model.push_back(new LinearImpl(4, 2));
    return model;
  }

  @Test
  public void modelsAreSavedAndLoaded() {
    Module saved = model(1);
    OutputArchive out = new OutputArchive();
    saved.save(out);
    out.save_to(path("model.pt"));

    Module loaded = model(2);
    InputArchive in = new InputArchive();
    in.load_from(path("model.pt"), new Device("cpu"));
    loaded.load(in);
    Tensor x = torch.ones(5, 3);
    assertTrue(saved.forward(x).equal(loaded.forward(x)));

    Map<?, ?> state = (Map<?, ?>) Torch.load(Path.of(path("model.pt")));
    assertEquals(List.of("0.weight", "0.bias", "1.weight", "1.bias"), List.copyOf(state.keySet()));
    Module again = model(3);
    again.load_state_dict(StringTensorDict.of(state));
    assertTrue(saved.forward(x).equal(again.forward(x)));
  }

  @Test
  public void modelsOfJavaCppAreLoaded() {
    SequentialImpl model = new SequentialImpl();
    model.push_back(new LinearImpl(3, 2));
    model.push_back(new LinearImpl(2, 1));
    InputArchive in = new InputArchive();
    in.load_from(GoldenObjects.file("javacpp.pt").toString());
    model.load(in);
    // What tests/golden/checkpoints/JavaCppModel.java printed.
    assertEquals(0.1458273, model.forward(torch.ones(1, 3)).item_float(), 1e-6);
  }

  @Test
  public void nothingIsChangedWhereSomethingIsMissing() {
    OutputArchive out = new OutputArchive();
    out.write("0.weight", torch.zeros(4, 3));
    out.write("other", torch.zeros(1));
    out.save_to(path("x.pt"));
    InputArchive in = new InputArchive();
    in.load_from(path("x.pt"));
    Module module = model(1);
    Tensor before = module.parameters().get(0).detach().clone();
    TorchException error = assertThrows(TorchException.class, () -> module.load(in));
    assertEquals("No such serialized tensor '0.bias'", error.getMessage());
    assertTrue(before.equal(module.parameters().get(0)));

    InputArchive nested = new InputArchive();
    assertTrue(in.try_read("0", nested));
    assertFalse(in.try_read("7", nested));
    assertFalse(nested.try_read("bias", torch.zeros(1)));
    assertThrows(TorchException.class, () -> nested.read("weight", torch.zeros(9)));
    assertEquals(2, in.keys().size());
    Torch.save(List.of(1), Path.of(path("list.pt")));
    assertThrows(TorchException.class, () -> in.load_from(path("list.pt")));
  }

  @Test
  public void optimizersGoOn() {
    Module[] models = {model(1), model(1)};
    AdamW first = new AdamW(models[0].parameters(), new AdamWOptions(0.1));
    train(models[0], first, 3);
    Torch.save(
        Map.of("model", models[0].state_dict(), "optimizer", first.state_dict().toMap()),
        Path.of(path("x.pt")));
    train(models[0], first, 3);

    Map<?, ?> saved = (Map<?, ?>) Torch.load(Path.of(path("x.pt")));
    AdamW second = new AdamW(models[1].parameters(), new AdamWOptions(0.5));
    models[1].load_state_dict(StringTensorDict.of((Map<?, ?>) saved.get("model")));
    second.load_state_dict(OptimizerState.of((Map<?, ?>) saved.get("optimizer")));
    train(models[1], second, 3);
    for (int i = 0; i < 4; i++) {
      assertTrue(models[0].parameters().get(i).equal(models[1].parameters().get(i)));
    }
    assertThrows(IllegalArgumentException.class, () -> OptimizerState.of(Map.of("state", 1)));
  }

  private static void train(Module model, AdamW optimizer, int steps) {
    for (int i = 0; i < steps; i++) {
      optimizer.zero_grad();
      model.forward(torch.ones(5, 3)).sum().backward();
      optimizer.step();
    }
  }
}
