package org.onetape.utils;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.nn.Module;
import org.onetape.nn.ModuleHook;
import org.onetape.nn.StringSharedModuleDict;
import org.onetape.nn.StringSharedModuleDictItem;

/**
 * A table of a model: its modules with the shapes they give, their parameters and their memory. Its
 * text is the table, the same as in Python.
 *
 * <p>The shape of a module is known for the model itself, for the parts of sequences, and for parts
 * that a module calls by {@link Module#call}. Calls of {@code forward} are those of any other
 * methods, which nobody sees.
 */
public final class ModelSummary {
  private static final String UNKNOWN = "–";

  /** A module of the table. */
  public static final class Row {
    private final String path;
    private final String kind;
    private final long[] shape;
    private final long parameters;
    private final long outputBytes;
    private final boolean leaf;

    Row(String path, String kind, Tensor output, long parameters, boolean leaf) {
      this.path = path;
      this.kind = kind;
      shape = output == null ? null : output.shape();
      outputBytes = output == null ? 0 : output.nbytes();
      this.parameters = parameters;
      this.leaf = leaf;
    }

    /** The names that lead to the module, with dots between; empty for the model. */
    public String path() {
      return path;
    }

    /** The name of the module's class, as it is printed. */
    public String kind() {
      return kind;
    }

    /** The sizes of what the module gave; null if they are not known. */
    public long[] shape() {
      return shape == null ? null : shape.clone();
    }

    /** The numbers in the module's own parameters. */
    public long parameters() {
      return parameters;
    }

    /** The bytes of what the module gave. */
    public long outputBytes() {
      return outputBytes;
    }

    private String label() {
      if (path.isEmpty()) {
        return kind;
      }
      int depth = (int) path.chars().filter(c -> c == '.').count() + 1;
      return "  ".repeat(depth) + path.substring(path.lastIndexOf('.') + 1) + ": " + kind;
    }

    private String[] cells() {
      return new String[] {
        label(),
        shape == null ? UNKNOWN : Arrays.toString(shape),
        String.format(Locale.ROOT, "%,d", parameters),
        shape == null ? UNKNOWN : bytes(outputBytes)
      };
    }
  }

  private final List<Row> rows = new ArrayList<>();
  private final Map<Module, Tensor> outputs = new IdentityHashMap<>();
  private long totalParameters;
  private long trainableParameters;
  private long parameterBytes;

  private ModelSummary() {}

  /** The table of a model that is not called: no shape is known. */
  public static ModelSummary of(Module model) {
    return of(model, null);
  }

  /** The table of a model, which is called once, as in eval mode and without gradients. */
  public static ModelSummary of(Module model, Tensor input) {
    ModelSummary summary = new ModelSummary();
    try (MemoryScope scope = new MemoryScope()) {
      if (input != null) {
        summary.call(model, input);
      }
      summary.note(model);
    }
    summary.outputs.clear();
    return summary;
  }

  private void call(Module model, Tensor input) {
    Map<Module, Boolean> modes =
        new LinkedHashMap<>(); // a module before its parts, as train() goes
    for (Module module : model.modules()) {
      modes.put(module, module.is_training());
    }
    List<ModuleHook> hooks = new ArrayList<>();
    for (Module module : modes.keySet()) {
      hooks.add(
          module.register_forward_hook(
              (called, inputs, output) -> {
                outputs.put(called, output);
                return null;
              }));
    }
    model.eval();
    try (NoGradGuard guard = new NoGradGuard()) {
      model.call(input);
    } finally {
      hooks.forEach(ModuleHook::remove);
      modes.forEach(Module::train);
    }
  }

  private void note(Module model) {
    Set<Module> seen = new HashSet<>();
    note("", model, seen);
    for (Tensor parameter : model.parameters()) {
      totalParameters += parameter.numel();
      trainableParameters += parameter.requires_grad() ? parameter.numel() : 0;
      parameterBytes += parameter.nbytes();
    }
  }

  private void note(String path, Module module, Set<Module> seen) {
    if (!seen.add(module)) {
      return;
    }
    long own = 0;
    for (Tensor parameter : module.parameters(false)) {
      own += parameter.numel();
    }
    boolean leaf = module.children().empty();
    rows.add(new Row(path, module.name(), outputs.get(module), own, leaf));
    StringSharedModuleDict parts = module.named_children();
    for (long i = 0; i < parts.size(); i++) {
      StringSharedModuleDictItem part = parts.get(i);
      String name = part.key().getString();
      note(path.isEmpty() ? name : path + "." + name, part.value(), seen);
    }
  }

  /** The modules in the order of their definition. */
  public List<Row> rows() {
    return List.copyOf(rows);
  }

  /** The numbers in all parameters. */
  public long totalParameters() {
    return totalParameters;
  }

  /** The numbers in those parameters that require a gradient. */
  public long trainableParameters() {
    return trainableParameters;
  }

  /** The bytes of all parameters. */
  public long parameterBytes() {
    return parameterBytes;
  }

  /**
   * The bytes that the modules without parts gave, which is about what a forward pass keeps for a
   * backward pass.
   */
  public long outputBytes() {
    return rows.stream().filter(row -> row.leaf).mapToLong(Row::outputBytes).sum();
  }

  private static String bytes(long count) {
    String[] units = {"B", "KiB", "MiB", "GiB"};
    int power = Math.min((63 - Long.numberOfLeadingZeros(Math.max(count, 1))) / 10, 3);
    BigDecimal size = new BigDecimal(count / Math.pow(1024, power));
    return power == 0
        ? count + " B"
        : size.setScale(1, RoundingMode.HALF_EVEN).toPlainString() + " " + units[power];
  }

  /** The table. */
  @Override
  public String toString() {
    List<String[]> cells = new ArrayList<>();
    cells.add(new String[] {"Module", "Output shape", "Parameters", "Output memory"});
    rows.forEach(row -> cells.add(row.cells()));
    int[] widths = new int[4];
    for (String[] line : cells) {
      Arrays.setAll(widths, i -> Math.max(widths[i], line[i].length()));
    }
    List<String> table = new ArrayList<>();
    for (String[] line : cells) {
      String left = String.format("%-" + widths[0] + "s  %-" + widths[1] + "s", line[0], line[1]);
      String right = String.format("  %" + widths[2] + "s  %" + widths[3] + "s", line[2], line[3]);
      table.add(left + right);
    }
    String rule = "-".repeat(table.stream().mapToInt(String::length).max().orElse(0));
    table.add(1, rule);
    table.add(rule);
    table.add(
        String.format(
            Locale.ROOT,
            "Parameters: %,d (%s), %,d of them fixed",
            totalParameters,
            bytes(parameterBytes),
            totalParameters - trainableParameters));
    table.add("Outputs: " + bytes(outputBytes()));
    return String.join("\n", table);
  }
}
