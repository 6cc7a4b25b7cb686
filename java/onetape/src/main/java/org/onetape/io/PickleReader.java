package org.onetape.io;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads pickles of tensors and plain objects, and runs nothing that a file brings.
 *
 * <p>The pickle machine has a stack, no recursion, and what a pickle may call is one of the
 * functions of {@link Rebuild}, found by its name and never by reflection.
 */
final class PickleReader {
  /** Gives the storage that a key stands for. */
  interface Storages {
    Rebuild.Storage get(String kind, String key, String place, long count)
        throws IOException, ArchiveException;
  }

  private static final Set<String> BLOCKED = Set.of("sys", "os", "posix", "nt");

  private final ByteBuffer data;
  private final Storages storages;
  private final boolean modules;
  private final Map<Long, Object> memo = new HashMap<>();
  private final Deque<List<Object>> marks = new ArrayDeque<>();
  private final PickleValues values = new PickleValues();
  private List<Object> stack = new ArrayList<>();

  /** Modules: whether modules of PyTorch's C++ archives are read, as dicts. */
  PickleReader(byte[] data, Storages storages, boolean modules) {
    this.modules = modules;
    this.data = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    this.storages = storages;
  }

  /**
   * The object.
   *
   * @throws UnpicklingException if the pickle is damaged, or holds what is not allowed
   */
  Object read() throws IOException, ArchiveException {
    while (true) {
      need(1);
      int code = data.get() & 0xFF;
      if (code == '.') {
        return values.settled(pop());
      }
      if (!value(code) && !memory(code) && !change(code)) {
        throw new UnpicklingException("Unsupported operand " + code);
      }
    }
  }

  // ---- bytes ----

  private void need(long count) {
    if (count > data.remaining()) {
      throw new UnpicklingException("pickle data was truncated");
    }
  }

  private int small() {
    need(1);
    return data.get() & 0xFF;
  }

  private long number() {
    need(4);
    return data.getInt() & 0xFFFFFFFFL;
  }

  private String line() {
    int start = data.position();
    int end = start;
    while (end < data.limit() && data.get(end) != '\n') {
      end++;
    }
    need(end - start + 1L);
    data.position(end + 1);
    return new String(data.array(), start, end - start, StandardCharsets.UTF_8);
  }

  // ---- stack ----

  private UnpicklingException empty(String what) {
    return new UnpicklingException(marks.isEmpty() ? what : "unexpected MARK found");
  }

  private Object pop() {
    if (stack.isEmpty()) {
      throw empty("pop from an empty stack");
    }
    return stack.remove(stack.size() - 1);
  }

  private Object top() {
    if (stack.isEmpty()) {
      throw empty("nothing on the stack");
    }
    return stack.get(stack.size() - 1);
  }

  private void push(Object value) {
    stack.add(value);
  }

  private List<Object> fromMark() {
    if (marks.isEmpty()) {
      throw new UnpicklingException("could not find MARK");
    }
    List<Object> items = stack;
    stack = marks.pop();
    return items;
  }

  // ---- opcodes ----

  /** Opcodes that push a value. */
  private boolean value(int code) throws IOException, ArchiveException {
    switch (code) {
      case 'N' -> push(null);
      case 0x88 -> push(true);
      case 0x89 -> push(false);
      case ')' -> push(Tuple.of());
      case ']' -> push(new ArrayList<>());
      case '}' -> push(new LinkedHashMap<>());
      case 'K' -> push((long) small());
      case 'M' -> {
        need(2);
        push((long) (data.getShort() & 0xFFFF));
      }
      case 'J' -> push((long) (int) number());
      case 'G' -> {
        need(8);
        push(Double.longBitsToDouble(Long.reverseBytes(data.getLong())));
      }
      case 'X' -> push(text());
      case 0x8A -> push(integer());
      case 't' -> push(Tuple.copyOf(fromMark()));
      case 0x85, 0x86, 0x87 -> push(tuple(code - 0x84));
      case 'c' -> push(find());
      case 'Q' -> push(storage());
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Opcodes of the memo, the marks and the stack. */
  private boolean memory(int code) {
    switch (code) {
      case 0x80 -> protocol();
      case '(' -> {
        marks.push(stack);
        stack = new ArrayList<>();
      }
      case '0' -> pop();
      case '1' -> fromMark();
      case 'h' -> push(recalled(small()));
      case 'j' -> push(recalled(number()));
      case 'q' -> memo.put((long) small(), top());
      case 'r' -> memo.put(number(), top());
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Opcodes that change what is there. */
  private boolean change(int code) {
    switch (code) {
      case 'R', 0x81 -> call();
      case 'b' -> build();
      case 'a' -> {
        Object item = pop();
        list().add(values.settled(item));
      }
      case 'e' -> {
        List<Object> items = fromMark();
        items.replaceAll(values::settled);
        list().addAll(items);
      }
      case 's' -> {
        Object value = pop();
        Object key = pop();
        pairs(Tuple.of(key, value));
      }
      case 'u' -> pairs(fromMark());
      default -> {
        return false;
      }
    }
    return true;
  }

  private void protocol() {
    int number = small();
    if (number != 2) {
      throw new UnpicklingException(
          "pickle protocol "
              + number
              + " is not supported: the file must be saved with protocol 2");
    }
  }

  private String text() {
    long size = number();
    need(size);
    String text = Texts.decode(data.array(), data.position(), (int) size);
    if (text == null) {
      throw new UnpicklingException("a text is no text in UTF-8");
    }
    data.position(data.position() + (int) size);
    return text;
  }

  private Object integer() {
    int size = small();
    need(size);
    byte[] big = new byte[size];
    for (int i = size - 1; i >= 0; i--) {
      big[i] = data.get();
    }
    BigInteger value = size == 0 ? BigInteger.ZERO : new BigInteger(big);
    return value.bitLength() < 64 ? (Object) value.longValue() : value;
  }

  private Tuple tuple(int size) {
    Object[] items = new Object[size];
    for (int i = size - 1; i >= 0; i--) {
      items[i] = pop();
    }
    return Tuple.of(items);
  }

  private Object recalled(long at) {
    if (!memo.containsKey(at)) {
      throw new UnpicklingException("Memo value not found at index " + at);
    }
    return memo.get(at);
  }

  private Object find() {
    String module = line();
    String name = line();
    String path = (module.equals("__builtin__") ? "builtins" : module) + "." + name;
    Object value = Rebuild.value(path);
    if (value != null) {
      return value;
    }
    if (modules && path.startsWith("__torch__.")) {
      return new Rebuild.Global("collections.OrderedDict");
    }
    if (Rebuild.isKnown(path)) {
      return new Rebuild.Global(path);
    }
    if (BLOCKED.contains(module.split("\\.", 2)[0])) {
      throw new UnpicklingException(
          "Trying to load unsupported GLOBAL " + path + " whose module " + module + " is blocked.");
    }
    throw new UnpicklingException(
        "Unsupported global: GLOBAL " + path + " was not an allowed global by default.");
  }

  private void call() {
    Object arguments = pop();
    Object function = pop();
    if (!(function instanceof Rebuild.Global)) {
      throw new UnpicklingException(
          "Trying to call reduce for unrecognized function " + PickleValues.kind(function));
    }
    String path = ((Rebuild.Global) function).path();
    if (!(arguments instanceof Tuple)) {
      throw new UnpicklingException("the arguments of " + path + " are no tuple");
    }
    push(called(path, (Tuple) arguments));
  }

  private static Object called(String path, Tuple arguments) {
    try {
      return Rebuild.call(path, arguments);
    } catch (IllegalArgumentException error) {
      throw new UnpicklingException(path + ": " + error.getMessage());
    }
  }

  private void build() {
    Object state = pop();
    Object value = top();
    if (!(value instanceof OrderedDict)) {
      throw new UnpicklingException(
          "Can only build Tensor, Parameter, OrderedDict or types allowlisted via"
              + " `add_safe_globals`, but got "
              + PickleValues.kind(value));
    }
    if (!(state instanceof Map)
        || !((Map<?, ?>) state).keySet().stream().allMatch(key -> key instanceof String)) {
      throw new UnpicklingException(
          "the attributes of an OrderedDict are not what attributes can be");
    }
    OrderedDict dict = (OrderedDict) value;
    (modules ? dict : dict.attributes()).putAll((Map<?, ?>) state);
  }

  @SuppressWarnings("unchecked") // every list on the stack but tuples is one of ours
  private List<Object> list() {
    Object target = top();
    if (!(target instanceof ArrayList)) {
      throw new UnpicklingException(
          "Can only append to lists, but got " + PickleValues.kind(target));
    }
    return (List<Object>) target;
  }

  @SuppressWarnings("unchecked") // every map on the stack is one of ours
  private void pairs(List<Object> items) {
    Object target = top();
    if (!(target instanceof Map)) {
      throw new UnpicklingException(
          "Can only set items of dicts, but got " + PickleValues.kind(target));
    }
    if (items.size() % 2 != 0) {
      throw new UnpicklingException("a key without a value");
    }
    for (int i = 0; i < items.size(); i += 2) {
      PickleValues.checkKey(items.get(i));
      ((Map<Object, Object>) target).put(items.get(i), values.settled(items.get(i + 1)));
    }
  }

  private Object storage() throws IOException, ArchiveException {
    Object key = pop();
    if (!(key instanceof Tuple)
        || ((Tuple) key).isEmpty()
        || !"storage".equals(((Tuple) key).get(0))) {
      throw new UnpicklingException(
          "Only persistent_load of storage is allowed, but got " + PickleValues.kind(key));
    }
    Tuple parts = (Tuple) key;
    if (parts.size() != 5) {
      throw new UnpicklingException(
          "the key of a storage has " + parts.size() + " parts instead of 5");
    }
    boolean right =
        parts.get(1) instanceof Rebuild.Global
            && parts.get(2) instanceof String
            && parts.get(3) instanceof String
            && parts.get(4) instanceof Long
            && (Long) parts.get(4) >= 0;
    if (!right) {
      throw new UnpicklingException("the key of a storage is not one");
    }
    return storages.get(
        ((Rebuild.Global) parts.get(1)).path(),
        (String) parts.get(2),
        (String) parts.get(3),
        (Long) parts.get(4));
  }
}
