package org.onetape.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.onetape.Device;
import org.onetape.LongArrayRef;
import org.onetape.NoGradGuard;
import org.onetape.Tensor;
import org.onetape.TorchException;
import org.onetape.global.torch.ScalarType;

/** What pickles of tensors may name: values, and functions whose arguments are checked. */
final class Rebuild {
  private Rebuild() {}

  /** Something that is called by its name. */
  record Global(String path) {}

  /** The memory behind a storage, and the type of its elements. */
  record Storage(Tensor memory, ScalarType type, long bytes) {
    /** All elements, as a tensor that outlives the scope. */
    Tensor tensor() {
      long[] sizes = {bytes / type.itemsize()};
      return Memory.placed(memory, type, sizes, new long[] {1}, 0).keep();
    }
  }

  private static final String UTILS = "torch._utils._rebuild_";
  private static final Set<String> TENSORS =
      Set.of(
          UTILS + "tensor",
          UTILS + "tensor_v2",
          UTILS + "parameter",
          UTILS + "parameter_with_state");
  private static final Set<String> CALLS =
      Set.of(
          "torch._tensor._rebuild_from_type_v2",
          "torch.Size",
          "torch.device",
          "collections.OrderedDict",
          "collections.Counter",
          "builtins.set",
          "builtins.bytearray",
          "builtins.complex",
          "_codecs.encode");
  private static final Set<String> CLASSES =
      Set.of("torch.storage.UntypedStorage", "torch.Tensor", "torch.nn.parameter.Parameter");

  /** Whether there is something of that name. */
  static boolean isKnown(String path) {
    return TENSORS.contains(path)
        || CALLS.contains(path)
        || CLASSES.contains(path)
        || (path.startsWith("torch.") && Names.ofStorage(path.substring(6)) != null);
  }

  /** What a name stands for by itself: the dtypes; null if it is none. */
  static Object value(String path) {
    return path.startsWith("torch.") ? Names.ofDtype(path.substring(6)) : null;
  }

  private static void need(boolean condition, String what) {
    if (!condition) {
      throw new UnpicklingException(what);
    }
  }

  /**
   * The result of one of the functions.
   *
   * @throws UnpicklingException if the arguments are not its arguments
   */
  static Object call(String path, Tuple arguments) {
    switch (path) {
      case UTILS + "tensor":
      case UTILS + "tensor_v2":
        return tensor(path, arguments);
      case UTILS + "parameter":
      case UTILS + "parameter_with_state":
        return parameter(path, arguments);
      case "torch._tensor._rebuild_from_type_v2":
        return ofType(arguments);
      case "torch.Size":
        return new LongArrayRef(sizes(arguments.isEmpty() ? Tuple.of() : one(path, arguments)));
      case "torch.device":
        return device(arguments);
      case "collections.OrderedDict":
        return ordered(arguments);
      case "collections.Counter":
        need(arguments.size() == 1 && arguments.get(0) instanceof Map, path + " of no dict");
        return new LinkedHashMap<>((Map<?, ?>) arguments.get(0));
      case "builtins.set":
        return set(arguments);
      case "builtins.bytearray":
        return byteArray(arguments);
      case "builtins.complex":
        return complex(arguments);
      case "_codecs.encode":
        return encoded(arguments);
      default:
        throw new UnpicklingException("a class of storages or tensors is called");
    }
  }

  private static Object one(String path, Tuple arguments) {
    need(arguments.size() == 1, path + " of " + arguments.size() + " arguments");
    return arguments.get(0);
  }

  private static long[] sizes(Object value) {
    need(value instanceof List, "the sizes of a tensor are no numbers");
    List<?> items = (List<?>) value;
    need(items.stream().allMatch(n -> n instanceof Long), "the sizes of a tensor are no numbers");
    return items.stream().mapToLong(n -> (Long) n).toArray();
  }

  // ---- tensors ----

  private static Tensor tensor(String path, Tuple arguments) {
    need(arguments.size() >= 4, path + ": missing arguments");
    need(arguments.size() <= 7, "a tensor of too many arguments");
    Object given = arguments.get(0);
    need(given instanceof Storage, "a tensor of a storage of type " + PickleValues.kind(given));
    Storage storage = (Storage) given;
    need(arguments.get(1) instanceof Long, "the sizes of a tensor are no numbers");
    long offset = (Long) arguments.get(1);
    long[] sizes = sizes(arguments.get(2));
    long[] strides = sizes(arguments.get(3));
    need(
        sizes.length == strides.length && sizes.length <= 64,
        "mismatch in length of strides and shape");
    checkPlace(storage, offset, sizes, strides);
    Tensor made = Memory.placed(storage.memory(), storage.type(), sizes, strides, offset);
    if (arguments.size() == 7 && arguments.get(6) != null) {
      made = marked(made, arguments.get(6));
    }
    if (arguments.size() > 4 && Boolean.TRUE.equals(arguments.get(4))) {
      need(isNumber(made), "a tensor of integers that requires a gradient");
      made.requires_grad_(true);
    }
    return made.keep();
  }

  private static boolean isNumber(Tensor tensor) {
    return tensor.is_floating_point() || tensor.is_complex();
  }

  private static void checkPlace(Storage storage, long offset, long[] sizes, long[] strides) {
    if (Arrays.stream(strides).anyMatch(n -> n < 0)) {
      throw new TorchException(
          "as_strided: Negative strides are not supported at the moment, got strides: "
              + Arrays.toString(strides));
    }
    if (offset < 0) {
      throw new TorchException("Tensor: invalid storage offset " + offset);
    }
    if (Arrays.stream(sizes).anyMatch(n -> n < 0)) {
      throw new TorchException(
          "Trying to create tensor with negative dimension "
              + Arrays.stream(sizes).min().getAsLong()
              + ": "
              + Arrays.toString(sizes));
    }
    if (Arrays.stream(sizes).anyMatch(n -> n == 0)) {
      return;
    }
    BigInteger reach = BigInteger.valueOf(offset).add(BigInteger.ONE);
    for (int d = 0; d < sizes.length; d++) {
      reach = reach.add(BigInteger.valueOf(sizes[d] - 1).multiply(BigInteger.valueOf(strides[d])));
    }
    int item = storage.type().itemsize();
    BigInteger required = reach.multiply(BigInteger.valueOf(item));
    if (required.compareTo(BigInteger.valueOf(storage.bytes())) > 0) {
      throw new TorchException(
          String.format(
              "setStorage: sizes %s, strides %s, storage offset %d, and itemsize %d requiring a"
                  + " storage size of %d are out of bounds for storage of size %d",
              Arrays.toString(sizes),
              Arrays.toString(strides),
              offset,
              item,
              required,
              storage.bytes()));
    }
  }

  /** PyTorch keeps conjugation and negation as marks; here the elements are what they make. */
  private static Tensor marked(Tensor made, Object marks) {
    need(
        marks instanceof Map && Set.of("conj", "neg").containsAll(((Map<?, ?>) marks).keySet()),
        "a tensor with marks " + marks);
    Map<?, ?> given = (Map<?, ?>) marks;
    try (NoGradGuard guard = new NoGradGuard()) {
      Tensor conjugated = Boolean.TRUE.equals(given.get("conj")) ? made.conj() : made;
      return Boolean.TRUE.equals(given.get("neg")) ? conjugated.neg() : conjugated;
    }
  }

  private static Tensor parameter(String path, Tuple arguments) {
    need(arguments.size() >= 2 && arguments.size() <= 4, path + ": wrong number of arguments");
    Object data = arguments.get(0);
    Object required = arguments.get(1);
    need(data instanceof Tensor && required instanceof Boolean, "a parameter of no tensor");
    Tensor made = (Tensor) data;
    need(isNumber(made) || !(Boolean) required, "a parameter of integers that requires a gradient");
    return made.requires_grad_((Boolean) required);
  }

  private static Object ofType(Tuple arguments) {
    need(arguments.size() == 4, "a tensor made of " + arguments.size() + " arguments");
    Object function = arguments.get(0);
    need(
        function instanceof Global && TENSORS.contains(((Global) function).path()),
        "a tensor made by something else");
    Object type = arguments.get(1);
    need(
        type instanceof Global && CLASSES.contains(((Global) type).path()),
        "a tensor of another class");
    need(arguments.get(2) instanceof Tuple, "the arguments of a tensor are no tuple");
    need(arguments.get(3) instanceof Map, "the attributes of a tensor are not what they can be");
    return call(((Global) function).path(), (Tuple) arguments.get(2));
  }

  // ---- plain objects ----

  private static byte[] encoded(Tuple arguments) {
    boolean right =
        arguments.size() == 2
            && arguments.get(0) instanceof String
            && Set.of("latin1", "latin-1").contains(String.valueOf(arguments.get(1)))
            && ((String) arguments.get(0)).chars().allMatch(c -> c < 256);
    need(right, "bytes that are no text in latin1");
    return ((String) arguments.get(0)).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] byteArray(Tuple arguments) {
    if (arguments.isEmpty()) {
      return new byte[0];
    }
    if (arguments.size() == 2) {
      return encoded(arguments);
    }
    Object data = one("builtins.bytearray", arguments);
    need(data instanceof byte[], "a bytearray of no bytes");
    return ((byte[]) data).clone();
  }

  /** A complex number is a tensor without dimensions, since Java has none. */
  private static Tensor complex(Tuple arguments) {
    boolean right =
        arguments.size() <= 2
            && arguments.stream().allMatch(part -> part instanceof Long || part instanceof Double);
    need(right, "a complex number of no numbers");
    ByteBuffer parts = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
    arguments.forEach(part -> parts.putDouble(((Number) part).doubleValue()));
    try (Tensor memory = Tensor.create(new byte[16], false)) {
      Memory.each(memory, 0, 16, part -> part.put(parts.clear()));
      return Memory.placed(memory, ScalarType.ComplexDouble, new long[0], new long[0], 0).keep();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static Object set(Tuple arguments) {
    if (arguments.isEmpty()) {
      return new LinkedHashSet<>();
    }
    Object items = one("builtins.set", arguments);
    need(items instanceof List, "builtins.set of an object of type " + PickleValues.kind(items));
    ((Collection<?>) items).forEach(PickleValues::checkKey);
    return new LinkedHashSet<>((Collection<?>) items);
  }

  private static OrderedDict ordered(Tuple arguments) {
    OrderedDict made = new OrderedDict();
    if (!arguments.isEmpty()) {
      Object pairs = one("collections.OrderedDict", arguments);
      need(pairs instanceof List, "an OrderedDict of no pairs");
      for (Object pair : new ArrayList<>((List<?>) pairs)) {
        need(pair instanceof List && ((List<?>) pair).size() == 2, "an OrderedDict of no pairs");
        PickleValues.checkKey(((List<?>) pair).get(0));
        made.put(((List<?>) pair).get(0), ((List<?>) pair).get(1));
      }
    }
    return made;
  }

  private static Device device(Tuple arguments) {
    boolean right =
        (arguments.size() == 1 || (arguments.size() == 2 && arguments.get(1) instanceof Long))
            && arguments.get(0) instanceof String;
    need(right, "a device of no name");
    return new Device(
        arguments.size() == 1
            ? (String) arguments.get(0)
            : arguments.get(0) + ":" + arguments.get(1));
  }
}
