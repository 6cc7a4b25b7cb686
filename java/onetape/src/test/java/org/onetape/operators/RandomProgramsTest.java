package org.onetape.operators;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Test;
import org.onetape.AutoGradMode;
import org.onetape.Autograd;
import org.onetape.GradCheckOptions;
import org.onetape.MemoryScope;
import org.onetape.Tensor;

/**
 * Random programs do what they do in PyTorch: values, gradients, second gradients, hooks, errors.
 * {@code tests/golden/programs} tells how they are made.
 */
@SuppressWarnings("try") // scopes only free what is made inside
public class RandomProgramsTest {
  private static final Map<String, Double> TOLERANCES =
      Map.of("float32", 2e-4, "float64", 1e-8, "complex128", 1e-8);

  private static final GradCheckOptions OPTIONS = new GradCheckOptions();
  private static final GradCheckOptions FAST = new GradCheckOptions().fastMode(true);

  private static String difference(JsonObject stored) {
    try (MemoryScope scope = new MemoryScope();
        ProgramMachine machine = new ProgramMachine()) {
      machine.run(stored.getAsJsonArray("program"));
      return machine.difference(stored, TOLERANCES.get(stored.get("dtype").getAsString()));
    }
  }

  /** Programs without kinks: their gradients are the change of values, also those of gradients. */
  @Test
  public void gradientsAreFiniteDifferences() {
    JsonArray programs = GoldenCase.read("programs/smooth.json.gz").getAsJsonArray("programs");
    assertTrue("enough programs", programs.size() >= 300);
    for (JsonElement element : programs) {
      JsonObject stored = element.getAsJsonObject();
      JsonArray program = stored.getAsJsonArray("program");
      Autograd.TensorsFunction function =
          inputs -> {
            try (ProgramMachine machine = new ProgramMachine(inputs)) {
              machine.run(program);
              return machine.values(stored.getAsJsonArray("roots"));
            }
          };
      try (MemoryScope scope = new MemoryScope()) {
        Tensor[] leaves = leaves(program);
        assertTrue(stored.toString(), Autograd.gradcheck(function, leaves, OPTIONS));
        assertTrue(stored.toString(), Autograd.gradgradcheck(function, leaves, null, FAST));
      }
    }
  }

  private static Tensor[] leaves(JsonArray program) {
    List<Tensor> leaves = new ArrayList<>();
    for (JsonElement step : program) {
      JsonArray parts = step.getAsJsonArray();
      if (parts.get(0).getAsString().equals("leaf")) {
        long[] shape = Values.longs(parts.get(1).getAsJsonArray());
        Tensor leaf =
            Values.pattern(Values.type(parts.get(3).getAsString()), shape, parts.get(2).getAsInt());
        leaves.add(leaf.clone().requires_grad_(true));
      }
    }
    return leaves.toArray(new Tensor[0]);
  }

  @Test
  public void programsDoWhatTheyDoInPyTorch() {
    JsonArray programs = GoldenCase.read("programs/programs.json.gz").getAsJsonArray("programs");
    assertTrue("enough programs", programs.size() >= 2000);
    StringBuilder wrong = new StringBuilder();
    int count = 0;
    for (JsonElement program : programs) {
      JsonObject stored = program.getAsJsonObject();
      String difference = difference(stored);
      if (difference != null && count++ < 5) {
        wrong.append("\nprogram ").append(stored.get("seed")).append(": ").append(difference);
        wrong.append("\n  ").append(stored.get("program"));
      }
      assertTrue("the mode is as it was", AutoGradMode.is_enabled());
    }
    assertEquals(count + " programs differ" + wrong, 0, count);
  }
}
