package org.onetape.distributed;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.onetape.MemoryScope;
import org.onetape.Tensor;
import org.onetape.internal.Groups;

/**
 * Collective operations for any serializable objects, among Java processes. What comes is
 * deserialized, so all members must be trusted.
 */
public final class ObjectCollectives {
  private ObjectCollectives() {}

  private static byte[] packed(Object value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    } catch (IOException e) {
      throw new DistributedException("the object cannot be serialized", e);
    }
    return bytes.toByteArray();
  }

  @SuppressWarnings("unchecked")
  private static <T> T unpacked(byte[] bytes) {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return (T) in.readObject();
    } catch (IOException | ClassNotFoundException e) {
      throw new DistributedException("the object cannot be deserialized", e);
    }
  }

  private static long[] sizes(byte[] own, ProcessGroup group) {
    Tensor sizes = Tensor.create(new long[group.size()]);
    group.allGatherIntoTensor(sizes, Tensor.create(new long[] {own.length}));
    long[] all = new long[group.size()];
    sizes.<LongBuffer>createBuffer().get(all);
    return all;
  }

  /** The objects of all processes, by rank. */
  public static <T extends Serializable> List<T> allGather(T value, ProcessGroup group) {
    try (MemoryScope scope = new MemoryScope()) {
      byte[] own = packed(value);
      long[] sizes = sizes(own, group);
      int most = (int) Arrays.stream(sizes).max().orElse(0);
      Tensor everything = Tensor.create(new byte[most * sizes.length]);
      group.allGatherIntoTensor(everything, Tensor.create(Arrays.copyOf(own, most)));
      byte[] bytes = Groups.bytes(everything);
      List<T> values = new ArrayList<>();
      for (int rank = 0; rank < sizes.length; rank++) {
        values.add(
            unpacked(Arrays.copyOfRange(bytes, rank * most, rank * most + (int) sizes[rank])));
      }
      return values;
    }
  }

  /** The objects of all processes, by rank, at one of them; null elsewhere. */
  public static <T extends Serializable> List<T> gather(
      T value, int destination, ProcessGroup group) {
    List<T> all = allGather(value, group);
    return group.rank() == destination ? all : null;
  }

  /** The object of one process; what others give does not matter. */
  public static <T extends Serializable> T broadcast(T value, int source, ProcessGroup group) {
    try (MemoryScope scope = new MemoryScope()) {
      byte[] own = group.rank() == source ? packed(value) : new byte[0];
      Tensor size = Tensor.create(new long[] {own.length});
      group.broadcast(size, source);
      int count = (int) size.item_long();
      Tensor bytes = Tensor.create(group.rank() == source ? own : new byte[count]);
      group.broadcast(bytes, source);
      return unpacked(Groups.bytes(bytes));
    }
  }

  /** The object with this rank's number of a list at one process; the list is null elsewhere. */
  public static <T extends Serializable> T scatter(List<T> values, int source, ProcessGroup group) {
    if (group.rank() == source && values.size() != group.size()) {
      throw new IllegalArgumentException(
          "scatter: the source needs a list of " + group.size() + " objects");
    }
    ArrayList<T> all = broadcast(values == null ? null : new ArrayList<>(values), source, group);
    return all.get(group.rank());
  }
}
