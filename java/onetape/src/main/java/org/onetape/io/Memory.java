package org.onetape.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;
import org.onetape.internal.Access;
import org.onetape.internal.Engine;

/** The memory behind tensors, as bytes. */
final class Memory {
  private static final long WINDOW = 1 << 30;

  private Memory() {}

  /** What is done with a part of memory. */
  interface Use {
    void with(ByteBuffer part) throws IOException;
  }

  /** Calls a function with the bytes of a storage, one part after the other. */
  static void each(Tensor tensor, long offset, long count, Use use) throws IOException {
    for (long at = 0; at < count; at += WINDOW) {
      long size = Math.min(WINDOW, count - at);
      // The view keeps the memory while the buffer is in use.
      try (MemoryScope scope = new MemoryScope();
          Tensor view = bytes(tensor, offset + at, size)) {
        ByteBuffer part = Engine.memory(view);
        part.limit((int) size);
        use.with(part);
      }
    }
  }

  private static Tensor bytes(Tensor tensor, long offset, long size) {
    return placed(tensor, ScalarType.Byte, new long[] {size}, new long[] {1}, offset);
  }

  /** A tensor of the storage of another. */
  static Tensor placed(Tensor memory, ScalarType type, long[] sizes, long[] strides, long offset) {
    return Access.tensor(Engine.placed(memory, type.value, sizes, strides, offset));
  }

  /** New memory that is all of its storage. */
  static Tensor allocate(long count) {
    return torch.empty(new long[] {count}, new org.onetape.TensorOptions(ScalarType.Byte));
  }

  /** The strides of a tensor whose last dimension, or whose first, goes fastest. */
  static long[] strides(long[] sizes, boolean firstFastest) {
    long[] strides = new long[sizes.length];
    long step = 1;
    for (int i = 0; i < sizes.length; i++) {
      int d = firstFastest ? i : sizes.length - 1 - i;
      strides[d] = step;
      step *= Math.max(1, sizes[d]);
    }
    return strides;
  }

  /** Turns the bytes of every number of a storage around, in place. */
  static void swap(Tensor memory, int width) throws IOException {
    if (width == 1) {
      return;
    }
    each(
        memory,
        0,
        Engine.storageBytes(memory) / width * width,
        part -> {
          for (int at = 0; at < part.limit(); at += width) {
            for (int i = 0, j = width - 1; i < j; i++, j--) {
              byte first = part.get(at + i);
              part.put(at + i, part.get(at + j));
              part.put(at + j, first);
            }
          }
        });
  }
}
