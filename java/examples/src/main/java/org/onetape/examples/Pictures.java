package org.onetape.examples;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import javax.imageio.ImageIO;
import org.jfree.chart.ChartFactory;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.StandardChartTheme;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.renderer.xy.StandardXYBarPainter;
import org.jfree.data.statistics.HistogramDataset;
import org.jfree.data.statistics.HistogramType;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;
import org.onetape.Tensor;

/** Pictures of trainings: learning curves, images side by side, texts. */
final class Pictures {
  /** Width and height of a part of a picture. */
  private static final int SIZE = 340;

  private static final int TITLE = 24;

  /** Width of a page of text. */
  private static final int LETTERS = 440;

  /** The drawn losses are averaged over one of so many shares of the steps. */
  private static final int SHARES = 50;

  private Pictures() {}

  /** Saves the learning curves of a run and, beside them, other pictures. */
  static void save(Run run, String title, BufferedImage... panels) throws IOException {
    int panelsWidth = Arrays.stream(panels).mapToInt(BufferedImage::getWidth).sum();
    BufferedImage all = blank(SIZE + panelsWidth, SIZE + TITLE);
    Graphics2D drawing = drawing(all);
    drawing.setFont(font(Font.SANS_SERIF, 14));
    int width = drawing.getFontMetrics().stringWidth(title);
    drawing.drawString(title, (all.getWidth() - width) / 2, TITLE - 8);
    drawing.drawImage(curves(run), 0, TITLE, null);
    int left = SIZE;
    for (BufferedImage panel : panels) {
      drawing.drawImage(panel, left, TITLE + (SIZE - panel.getHeight()) / 2, null);
      left += panel.getWidth();
    }
    drawing.dispose();
    ImageIO.write(all, "png", run.finish().toFile());
  }

  private static BufferedImage curves(Run run) {
    XYSeriesCollection lines = new XYSeriesCollection();
    run.losses.forEach(
        (name, losses) -> {
          XYSeries line = new XYSeries(name);
          for (int i = 0; i < losses.size(); i++) {
            List<Double> last = losses.subList(Math.max(0, i - losses.size() / SHARES), i + 1);
            line.add(i, last.stream().mapToDouble(Double::doubleValue).average().orElseThrow());
          }
          lines.addSeries(line);
        });
    JFreeChart chart = ChartFactory.createXYLineChart(null, "step", "loss", lines);
    ((NumberAxis) chart.getXYPlot().getRangeAxis()).setAutoRangeIncludesZero(false);
    return drawn(chart);
  }

  private static BufferedImage drawn(JFreeChart chart) {
    StandardChartTheme theme = new StandardChartTheme("small");
    theme.setExtraLargeFont(font(Font.SANS_SERIF, 13));
    theme.setLargeFont(font(Font.SANS_SERIF, 11));
    theme.setRegularFont(font(Font.SANS_SERIF, 10));
    theme.setPlotBackgroundPaint(Color.WHITE);
    theme.setDomainGridlinePaint(Color.LIGHT_GRAY);
    theme.setRangeGridlinePaint(Color.LIGHT_GRAY);
    theme.setXYBarPainter(new StandardXYBarPainter());
    theme.apply(chart);
    return chart.createBufferedImage(SIZE, SIZE);
  }

  /** Points with these coordinates. */
  static BufferedImage points(String title, String xName, String yName, Tensor x, Tensor y) {
    XYSeries points = new XYSeries("", false);
    double[] xs = x.toDoubleArray();
    double[] ys = y.toDoubleArray();
    for (int i = 0; i < xs.length; i++) {
      points.add(xs[i], ys[i]);
    }
    JFreeChart chart =
        ChartFactory.createScatterPlot(title, xName, yName, new XYSeriesCollection(points));
    chart.removeLegend();
    return drawn(chart);
  }

  /** How often values from 0 to 1 occur, by kinds with these names. */
  static BufferedImage shares(
      String title, String xName, String yName, String[] kinds, double[][] values) {
    HistogramDataset shares = new HistogramDataset();
    shares.setType(HistogramType.FREQUENCY);
    for (int i = 0; i < kinds.length; i++) {
      shares.addSeries(kinds[i], values[i], 20, 0, 1);
    }
    return drawn(ChartFactory.createHistogram(title, xName, yName, shares));
  }

  /**
   * Images of a digit's size in rows, with captions below them if there are any; those that are not
   * one letter are red.
   */
  static BufferedImage tiles(Tensor images, int columns, List<String> captions) {
    int count = (int) images.size(0);
    int room = captions.isEmpty() ? 2 : 5;
    int rows = (count + columns - 1) / columns;
    int pixel = SIZE / (columns * (Data.SIDE + room));
    int step = (Data.SIDE + room) * pixel;
    BufferedImage sheet = blank(columns * step, rows * step);
    Graphics2D drawing = drawing(sheet);
    drawing.setFont(font(Font.SANS_SERIF, 9));
    float[] values = images.reshape(-1).clamp(0.0, 1.0).toFloatArray();
    for (int i = 0; i < values.length; i++) {
      int image = i / (Data.SIDE * Data.SIDE);
      int left = image % columns * step + i % Data.SIDE * pixel;
      int top = image / columns * step + i / Data.SIDE % Data.SIDE * pixel;
      float white = 1 - values[i];
      drawing.setColor(new Color(white, white, white));
      drawing.fillRect(left, top, pixel, pixel);
    }
    for (int i = 0; i < captions.size(); i++) {
      drawing.setColor(captions.get(i).length() == 1 ? Color.BLACK : Color.RED);
      int width = drawing.getFontMetrics().stringWidth(captions.get(i));
      int left = i % columns * step + (Data.SIDE * pixel - width) / 2;
      drawing.drawString(
          captions.get(i), Math.max(left, 0), i / columns * step + (Data.SIDE + 3) * pixel);
    }
    drawing.dispose();
    return sheet;
  }

  /** Lines of text as they stand. */
  static BufferedImage page(List<String> lines) {
    BufferedImage page = blank(LETTERS, SIZE);
    Graphics2D drawing = drawing(page);
    drawing.setFont(font(Font.MONOSPACED, 9));
    for (int i = 0; i < lines.size(); i++) {
      drawing.drawString(lines.get(i), 4, 14 + 10 * i);
    }
    drawing.dispose();
    return page;
  }

  private static Font font(String family, int size) {
    return new Font(family, Font.PLAIN, size);
  }

  private static BufferedImage blank(int width, int height) {
    BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    int[] white = new int[width * height];
    Arrays.fill(white, 0xFFFFFF);
    image.setRGB(0, 0, width, height, white, 0, width);
    return image;
  }

  private static Graphics2D drawing(BufferedImage image) {
    Graphics2D drawing = image.createGraphics();
    drawing.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    drawing.setColor(Color.BLACK);
    return drawing;
  }
}
