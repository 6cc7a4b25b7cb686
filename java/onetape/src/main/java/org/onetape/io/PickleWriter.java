package org.onetape.io;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import org.onetape.Device;
import org.onetape.LongArrayRef;
import org.onetape.Scalar;
import org.onetape.StringTensorDict;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.TypeException;
import org.onetape.global.torch.ScalarType;
import org.onetape.internal.Engine;

/** Writes objects as pickles that PyTorch loads, with the bytes that {@code torch.save} gives. */
final class PickleWriter {
  private static final int BATCH = 1000;
  private static final int DEPTH = 500;

  private final PickleOutput out = new PickleOutput();
  private final Map<Object, Integer> memo = new IdentityHashMap<>();
  private final Map<String, Integer> globals = new HashMap<>();
  private final List<Tensor> storages = new ArrayList<>();
  private final Map<Place, Storage> keys = new HashMap<>();
  private int count;
  private int depth;

  /** Where a storage is in memory. */
  private record Place(long address, long size, int owner) {}

  private record Storage(String key, String kind) {}

  /** A tensor of every storage, in the order of their keys. */
  List<Tensor> storages() {
    return storages;
  }

  /**
   * The pickle of an object.
   *
   * @throws TypeException if there is something that files cannot hold
   */
  byte[] write(Object value) {
    out.write(0x80);
    out.write(2);
    save(value);
    out.write('.');
    return out.toByteArray();
  }

  // ---- parts ----

  private void save(Object value) {
    Integer at = memo.get(value);
    if (value != null && at != null) {
      get(at);
      return;
    }
    if (++depth > DEPTH) {
      throw new TorchException("maximum recursion depth exceeded while pickling an object");
    }
    if (!saveScalar(value) && !saveContainer(value)) {
      throw new TypeException(
          "save: cannot save an object of type "
              + value.getClass().getName()
              + ": files hold tensors, numbers, strings, lists, tuples, sets and maps of these; of"
              + " a module or an optimizer, save its state_dict()");
    }
    depth--;
  }

  private boolean saveScalar(Object value) {
    if (value == null || isUndefined(value)) {
      out.write('N');
    } else if (value instanceof Boolean) {
      out.write((Boolean) value ? 0x88 : 0x89);
    } else if (value instanceof Float || value instanceof Double) {
      out.number(((Number) value).doubleValue());
    } else if (value instanceof BigInteger) {
      out.integer((BigInteger) value);
    } else if (value instanceof Number && isInteger((Number) value)) {
      out.integer(((Number) value).longValue());
    } else if (value instanceof Scalar) {
      scalar((Scalar) value);
    } else if (value instanceof String) {
      text((String) value);
    } else if (value instanceof byte[]) {
      bytes((byte[]) value);
    } else if (value instanceof ScalarType && Names.dtype((ScalarType) value) != null) {
      global("torch", Names.dtype((ScalarType) value));
    } else if (value instanceof Device) {
      device((Device) value);
    } else if (value instanceof LongArrayRef) {
      call("torch", "Size", tupleOf(((LongArrayRef) value).toArray()));
      put(value);
    } else {
      return false;
    }
    return true;
  }

  /** Whether it is the undefined tensor; a closed one is not. */
  private static boolean isUndefined(Object value) {
    return value instanceof Tensor && ((Tensor) value).isNull() && value.toString().equals("None");
  }

  private static boolean isInteger(Number value) {
    return value instanceof Long
        || value instanceof Integer
        || value instanceof Short
        || value instanceof Byte;
  }

  private boolean saveContainer(Object value) {
    if (value instanceof Tensor) {
      tensor((Tensor) value);
    } else if (value instanceof Tuple) {
      tuple((Tuple) value);
    } else if (value instanceof Set) {
      call("__builtin__", "set", new ArrayList<>((Set<?>) value));
      put(value);
    } else if (value instanceof Collection) {
      list(value, (Collection<?>) value);
    } else if (value instanceof Object[]) {
      list(value, Arrays.asList((Object[]) value));
    } else if (value instanceof long[]) {
      list(value, tupleOf((long[]) value));
    } else if (value instanceof int[] || value instanceof double[] || value instanceof float[]) {
      list(value, elements(value));
    } else if (value instanceof StringTensorDict) {
      OrderedDict dict = new OrderedDict();
      ((StringTensorDict) value)
          .iterator()
          .forEachRemaining(i -> dict.put(i.key().getString(), i.value()));
      ordered(value, dict);
    } else if (value instanceof OrderedDict) {
      ordered(value, (OrderedDict) value);
    } else if (value instanceof Map) {
      out.write('}');
      put(value);
      pairs((Map<?, ?>) value);
    } else {
      return false;
    }
    return true;
  }

  private static Tuple tupleOf(long[] numbers) {
    Object[] items = new Object[numbers.length];
    for (int i = 0; i < items.length; i++) {
      items[i] = numbers[i];
    }
    return Tuple.of(items);
  }

  private static Collection<?> elements(Object array) {
    List<Object> items = new ArrayList<>();
    for (int i = 0; i < java.lang.reflect.Array.getLength(array); i++) {
      items.add(java.lang.reflect.Array.get(array, i));
    }
    return items;
  }

  // ---- what was written before ----

  private void put(Object value) {
    memo.put(value, count);
    out.place('q', 'r', count++);
  }

  private void putNew() {
    out.place('q', 'r', count++);
  }

  private void get(int at) {
    out.place('h', 'j', at);
  }

  private void global(String module, String name) {
    String path = module + "\n" + name + "\n";
    Integer at = globals.get(path);
    if (at != null) {
      get(at);
      return;
    }
    out.write('c');
    out.write(path.getBytes(StandardCharsets.UTF_8));
    globals.put(path, count);
    putNew();
  }

  private void call(String module, String name, Object... arguments) {
    global(module, name);
    tuple(Tuple.of(arguments));
    out.write('R');
  }

  // ---- numbers and texts ----

  private void scalar(Scalar value) {
    if (value.isBoolean()) {
      out.write(value.toBool() ? 0x88 : 0x89);
    } else if (value.isFloatingPoint()) {
      out.number(value.toDouble());
    } else {
      out.integer(value.toLong());
    }
  }

  private void text(String value) {
    byte[] data = Texts.encode(value);
    out.write('X');
    out.little(4, data.length);
    out.write(data);
    put(value);
  }

  private void bytes(byte[] value) {
    call("_codecs", "encode", new String(value, StandardCharsets.ISO_8859_1), "latin1");
    put(value);
  }

  private void device(Device value) {
    String name = value.toString();
    int colon = name.indexOf(':');
    if (colon < 0) {
      call("torch", "device", name);
    } else {
      long index = Long.parseLong(name.substring(colon + 1));
      call("torch", "device", name.substring(0, colon), index);
    }
    put(value);
  }

  // ---- containers ----

  private void tuple(Tuple value) {
    int size = value.size();
    if (size == 0) {
      out.write(')');
      return;
    }
    if (size > 3) {
      out.write('(');
    }
    value.forEach(this::save);
    Integer at = memo.get(value);
    if (at != null) { // it holds itself, by way of a list or a map
      for (int i = 0; i < (size > 3 ? 1 : size); i++) {
        out.write(size > 3 ? '1' : '0');
      }
      get(at);
      return;
    }
    out.write(size > 3 ? 't' : 0x84 + size);
    put(value);
  }

  private void list(Object owner, Collection<?> items) {
    out.write(']');
    put(owner);
    List<?> all = new ArrayList<>(items);
    batches(all.size(), 'a', 'e', i -> save(all.get(i)));
  }

  private void pairs(Map<?, ?> map) {
    List<Map.Entry<?, ?>> all = new ArrayList<>(map.entrySet());
    batches(
        all.size(),
        's',
        'u',
        i -> {
          save(all.get(i).getKey());
          save(all.get(i).getValue());
        });
  }

  private void batches(int size, char one, char many, IntConsumer item) {
    for (int start = 0; start < size; start += BATCH) {
      int end = Math.min(size, start + BATCH);
      if (end - start > 1) {
        out.write('(');
      }
      for (int i = start; i < end; i++) {
        item.accept(i);
      }
      out.write(end - start > 1 ? many : one);
    }
  }

  private void ordered(Object owner, OrderedDict dict) {
    call("collections", "OrderedDict");
    put(owner);
    pairs(dict);
    if (!dict.attributes().isEmpty()) {
      save(dict.attributes());
      out.write('b');
    }
  }

  // ---- tensors ----

  private void tensor(Tensor value) {
    global("torch._utils", "_rebuild_tensor_v2");
    out.write('(');
    storage(value);
    save(value.storage_offset());
    tuple(tupleOf(value.shape()));
    tuple(tupleOf(value.strides().toArray()));
    save(value.requires_grad());
    ordered(new OrderedDict(), new OrderedDict());
    out.write('t');
    putNew();
    out.write('R');
    put(value);
  }

  private void storage(Tensor value) {
    String kind = Names.storage(value.scalar_type());
    long size = Engine.storageBytes(value);
    long address = Engine.storageAddress(value);
    int owner = address == 0 ? storages.size() : 0;
    Place place = new Place(address, size, owner);
    Storage known = keys.get(place);
    if (known == null) {
      known = new Storage(Integer.toString(storages.size()), kind);
      keys.put(place, known);
      storages.add(value);
    } else if (!known.kind.equals(kind)) {
      throw new TorchException(
          "Cannot save multiple tensors or storages that view the same data as different types");
    }
    out.write('(');
    save("storage");
    global("torch", kind);
    save(known.key);
    save("cpu");
    save(size / value.element_size());
    out.write('t');
    putNew();
    out.write('Q');
  }
}
