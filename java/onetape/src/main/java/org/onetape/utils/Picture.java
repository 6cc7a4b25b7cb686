package org.onetape.utils;

import java.awt.Transparency;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.DataBufferByte;
import java.awt.image.Raster;
import java.awt.image.WritableRaster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.global.torch.ScalarType;

/** A picture as a message. */
final class Picture {
  private Picture() {}

  /** Bytes of (channels, height, width), or numbers from 0 to 1. */
  static Message of(Tensor image) {
    if (image.dim() != 3 || image.size(0) < 1 || image.size(0) > 4 || image.numel() == 0) {
      throw new IllegalArgumentException(
          "a picture has the sizes (channels, height, width) with 1 to 4 channels, not "
              + Arrays.toString(image.shape()));
    }
    int channels = (int) image.size(0);
    int height = (int) image.size(1);
    int width = (int) image.size(2);
    return new Message()
        .integer(1, height)
        .integer(2, width)
        .integer(3, channels)
        .data(4, png(bytes(image), height, width, channels));
  }

  private static byte[] bytes(Tensor image) {
    ScalarType type = image.scalar_type();
    boolean real = type == ScalarType.Float || type == ScalarType.Double;
    try (Tensor plain = image.detach();
        Tensor turned = plain.permute(1, 2, 0);
        Tensor floats = turned.to(ScalarType.Float);
        Tensor scaled = floats.mul(new Scalar(real ? 255 : 1));
        Tensor bounded = scaled.clamp(0.0, 255.0)) {
      int[] numbers = bounded.toIntArray();
      byte[] bytes = new byte[numbers.length];
      IntStream.range(0, bytes.length).forEach(i -> bytes[i] = (byte) numbers[i]);
      return bytes;
    }
  }

  private static byte[] png(byte[] bytes, int height, int width, int channels) {
    boolean grey = channels < 3;
    boolean alpha = channels % 2 == 0;
    ComponentColorModel colours =
        new ComponentColorModel(
            ColorSpace.getInstance(grey ? ColorSpace.CS_GRAY : ColorSpace.CS_sRGB),
            alpha,
            false,
            alpha ? Transparency.TRANSLUCENT : Transparency.OPAQUE,
            DataBuffer.TYPE_BYTE);
    int[] places = IntStream.range(0, channels).toArray();
    WritableRaster raster =
        Raster.createInterleavedRaster(
            new DataBufferByte(bytes, bytes.length),
            width,
            height,
            width * channels,
            channels,
            places,
            null);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      if (!ImageIO.write(new BufferedImage(colours, raster, false, null), "png", out)) {
        throw new IllegalStateException("this Java cannot write PNG");
      }
    } catch (IOException e) {
      throw new IllegalStateException("writing to memory failed", e);
    }
    return out.toByteArray();
  }
}
