package org.onetape.io;

import static org.onetape.global.torch.arange;
import static org.onetape.global.torch.ones;

import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.onetape.LongArrayRef;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.TensorVector;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

/** The objects of tests/golden/checkpoints/objects.py that Java has, too. */
final class GoldenObjects {
  private GoldenObjects() {}

  static Path file(String name) {
    return Path.of(System.getProperty("onetape.golden"), "checkpoints", name);
  }

  static final List<ScalarType> TYPES =
      List.of(
          ScalarType.Bool,
          ScalarType.Byte,
          ScalarType.Char,
          ScalarType.Short,
          ScalarType.Int,
          ScalarType.Long,
          ScalarType.Half,
          ScalarType.BFloat16,
          ScalarType.Float,
          ScalarType.Double,
          ScalarType.ComplexFloat,
          ScalarType.ComplexDouble);

  /** A tensor whose elements are all different where the type has that many. */
  static Tensor numbers(ScalarType type) {
    Tensor made = arange(new Scalar(6)).reshape(2, 3);
    if (type == ScalarType.Bool) {
      return made.to(type);
    }
    if (type == ScalarType.ComplexFloat || type == ScalarType.ComplexDouble) {
      boolean single = type == ScalarType.ComplexFloat;
      Tensor real = made.to(single ? ScalarType.Float : ScalarType.Double);
      Tensor pairs =
          torch.stack(new TensorVector(real, real.mul(new Scalar(-2)).add(new Scalar(0))), -1);
      return Memory.placed(pairs, type, new long[] {2, 3}, new long[] {3, 1}, 0);
    }
    return made.mul(new Scalar(3)).sub(new Scalar(7)).to(type);
  }

  /** Every type, under its name in Python. */
  static Map<Object, Object> dtypes() {
    Map<Object, Object> made = new LinkedHashMap<>();
    for (ScalarType type : TYPES) {
      made.put(Names.dtype(type), numbers(type));
    }
    return made;
  }

  private static BigInteger power(int exponent) {
    return BigInteger.ONE.shiftLeft(exponent);
  }

  private static List<Object> list(Object... items) {
    return new ArrayList<>(Arrays.asList(items));
  }

  /** What both languages must write in the same bytes. */
  static Map<Object, Object> common() {
    Tensor x = arange(new Scalar(12.0)).to(ScalarType.Float).reshape(3, 4);
    List<Object> cycle = list("again");
    cycle.add(cycle);
    Map<Object, Object> made = new LinkedHashMap<>();
    made.put("x", x);
    made.put("transposed", x.t());
    made.put("rows", x.narrow(0, 1, 2));
    made.put("expanded", x.get(0).expand(5, 4));
    made.put("scalar", Tensor.scalar(3.5));
    made.put("empty", torch.empty(0, 3));
    made.put("leaf", ones(3).requires_grad_());
    made.put(
        "numbers",
        list(
            0,
            255L,
            (short) 256,
            65535,
            65536,
            (byte) -1,
            1L << 31,
            -(1L << 31),
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            power(200),
            power(200).negate()));
    made.put("floats", list(0.0, -1.5f, Double.POSITIVE_INFINITY));
    made.put("texts", list("", "äöü", "\uD83D\uDE00", "\uD800"));
    made.put("bytes", new byte[] {0, -1});
    made.put("nothing", null);
    made.put("flags", Tuple.of(true, false));
    made.put(
        "tuples",
        list(Tuple.of(), Tuple.of(1), Tuple.of(1, 2), Tuple.of(1, 2, 3), Tuple.of(1, 2, 3, 4)));
    made.put("set", new LinkedHashSet<>(List.of(7)));
    OrderedDict ordered = new OrderedDict();
    ordered.put("b", 1);
    ordered.put("a", 2);
    made.put("ordered", ordered);
    made.put("cycle", cycle);
    made.put("size", new LongArrayRef(2, 3));
    made.put("dtype", ScalarType.Half);
    made.put(5, Map.of(1.5, "float"));
    made.put("many", LongStream.range(0, 2500).toArray());
    return made;
  }
}
