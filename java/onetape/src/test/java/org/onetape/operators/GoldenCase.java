package org.onetape.operators;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * One call of an operator with what PyTorch answers to it, from the files in {@code tests/golden}.
 *
 * <p>{@code tests/golden/store.py} says what the files contain.
 */
final class GoldenCase {
  /** What the operator's table says: its name, parameters and forms. */
  final JsonObject operator;

  /** Arguments and answer. */
  final JsonObject content;

  private final String id;

  private GoldenCase(String id, JsonObject operator, JsonObject content) {
    this.id = id;
    this.operator = operator;
    this.content = content;
  }

  /** The cases of all operators. */
  static List<GoldenCase> all() {
    List<GoldenCase> cases = new ArrayList<>();
    File[] files = folder().listFiles((folder, name) -> name.endsWith(".json.gz"));
    Arrays.sort(files);
    for (File file : files) {
      for (Map.Entry<String, JsonElement> entry : read(file).getAsJsonObject("ops").entrySet()) {
        JsonObject operator = entry.getValue().getAsJsonObject();
        for (JsonElement content : operator.getAsJsonArray("cases")) {
          cases.add(new GoldenCase(entry.getKey(), operator, content.getAsJsonObject()));
        }
      }
    }
    return cases;
  }

  private static File folder() {
    File folder = new File(System.getProperty("onetape.golden", "../../tests/golden"));
    if (!folder.isDirectory()) {
      throw new IllegalStateException(folder + ": no such folder; set onetape.golden");
    }
    return folder;
  }

  /** A file below {@code tests/golden}. */
  static JsonObject read(String path) {
    return read(new File(folder(), path));
  }

  private static JsonObject read(File file) {
    try (Reader text =
        new InputStreamReader(
            new GZIPInputStream(new FileInputStream(file)), StandardCharsets.UTF_8)) {
      return JsonParser.parseReader(text).getAsJsonObject();
    } catch (IOException e) {
      throw new UncheckedIOException(file.toString(), e);
    }
  }

  String dtype() {
    return content.get("dtype").getAsString();
  }

  boolean has(String key) {
    return content.has(key);
  }

  /** Does the call succeed, with element types that the table declares? */
  boolean succeeds() {
    return has("result") && !has("undeclared");
  }

  /** Does the table give the operator a gradient? */
  boolean isDifferentiable() {
    return operator.get("differentiable").getAsBoolean();
  }

  boolean hasForm(String form) {
    for (JsonElement one : operator.getAsJsonArray("forms")) {
      if (one.getAsString().equals(form)) {
        return true;
      }
    }
    return false;
  }

  String name() {
    return operator.get("name").getAsString();
  }

  /** Whether Java has a way to write every argument: it has no complex numbers outside tensors. */
  boolean isWritable() {
    return !content.get("args").toString().contains("{\"complex\"")
        && !content.get("kwargs").toString().contains("{\"complex\"");
  }

  /** Whether the first argument is a tensor. */
  boolean beginsWithTensor() {
    JsonElement first = content.getAsJsonArray("args").get(0);
    return first.isJsonObject() && first.getAsJsonObject().has("tensor");
  }

  @Override
  public String toString() {
    String variant = content.get("variant").getAsString();
    return id
        + "("
        + content.get("sample").getAsString()
        + ")"
        + (variant.equals("plain") ? "" : "-" + variant)
        + "-"
        + dtype();
  }
}
