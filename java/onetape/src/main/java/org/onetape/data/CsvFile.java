package org.onetape.data;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.onetape.Tensor;
import org.onetape.internal.ArrayTensors;

/** Numbers in a text, a line for each row. Cells may stand in double quotes. */
final class CsvFile {
  private final Path file;
  private final char delimiter;
  private final Double missing;
  private float[] numbers = new float[256];
  private int count;
  private int columns = -1;
  private int rows;

  private CsvFile(Path file, char delimiter, Double missing) {
    this.file = file;
    this.delimiter = delimiter;
    this.missing = missing;
  }

  static Tensor read(Path file, char delimiter, int skip, Double missing) throws IOException {
    CsvFile csv = new CsvFile(file, delimiter, missing);
    try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      int number = 0;
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (++number > skip && !line.isBlank()) {
          csv.add(line, number);
        }
      }
    } catch (CharacterCodingException e) {
      throw new IOException("readCsv: " + file + ": not a text in UTF-8", e);
    }
    long[] sizes = {csv.rows, Math.max(0, csv.columns)};
    return ArrayTensors.tensor(Arrays.copyOf(csv.numbers, csv.count), sizes, null);
  }

  private void add(String line, int number) throws IOException {
    List<String> cells = cells(line);
    if (columns >= 0 && cells.size() != columns) {
      throw new IOException(
          at(number) + ": " + cells.size() + " columns, but there were " + columns + " before");
    }
    columns = cells.size();
    rows++;
    for (int i = 0; i < columns; i++) {
      if (count == numbers.length) {
        numbers = Arrays.copyOf(numbers, Math.multiplyExact(2, count));
      }
      numbers[count++] = (float) number(cells.get(i).strip(), number, i + 1);
    }
  }

  private double number(String cell, int line, int column) throws IOException {
    if (cell.isEmpty() && missing != null) {
      return missing;
    }
    try {
      switch (cell.toLowerCase(Locale.ROOT)) {
        case "nan":
          return Double.NaN;
        case "inf":
        case "infinity":
        case "+inf":
          return Double.POSITIVE_INFINITY;
        case "-inf":
        case "-infinity":
          return Double.NEGATIVE_INFINITY;
        default:
          if (!cell.isEmpty() && Character.isLetter(cell.charAt(cell.length() - 1))) {
            break; // Java's 1f and 1d are no numbers elsewhere
          }
          return Double.parseDouble(cell);
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw new IOException(at(line) + ", column " + column + ": '" + cell + "' is not a number");
  }

  private String at(int line) {
    return "readCsv: " + file + ", line " + line;
  }

  private List<String> cells(String line) {
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"' && quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        cell.append(c);
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == delimiter && !quoted) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    cells.add(cell.toString());
    return cells;
  }
}
