package org.onetape.fuzz;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.global.torch;

/** Values of any type, at the edges of what it can hold; earlier results come back. */
final class NastyValues {
  private static final long[] NUMBERS = {
    0, 1, -1, 2, 3, -2, 7, 64, 1L << 31, -(1L << 31) - 1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 40
  };
  private static final double[] REALS = {
    0, -0.0, 0.5, -1.5, 1e308, Double.MIN_VALUE, Double.NaN, Double.POSITIVE_INFINITY, 3
  };
  private static final String[] WORDS = {
    "", "mean", "sum", "none", "ij,jk->ik", "...", "cpu", "cuda:7", "tanh", "\0", "\ud800", "🙂"
  };
  private static final torch.ScalarType[] DTYPES = torch.ScalarType.values();

  private final Random random;
  private final List<Object> pool = new ArrayList<>();

  NastyValues(Random random) {
    this.random = random;
  }

  void remember(Object value) {
    if (value != null) {
      pool.add(value);
    }
  }

  Object[] arguments(Executable call) {
    Class<?>[] types = call.getParameterTypes();
    Object[] args = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      args[i] = of(types[i], 0);
    }
    return args;
  }

  /** A value of a type, null among them. */
  Object of(Class<?> type, int depth) {
    if (type.isPrimitive() || Number.class.isAssignableFrom(type) || type == Boolean.class) {
      return number(type);
    }
    if (random.nextInt(20) == 0) {
      return null;
    }
    if (!pool.isEmpty() && random.nextInt(4) == 0) {
      Object known = pool.get(random.nextInt(pool.size()));
      if (type.isInstance(known)) {
        return known;
      }
    }
    if (type.isArray()) {
      Object array =
          Array.newInstance(type.getComponentType(), new int[] {0, 1, 2, 3}[random.nextInt(4)]);
      for (int i = 0; i < Array.getLength(array); i++) {
        Array.set(array, i, of(type.getComponentType(), depth + 1));
      }
      return array;
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[random.nextInt(type.getEnumConstants().length)];
    }
    if (type.isAssignableFrom(Tensor.class) && type != Object.class) {
      return tensor();
    }
    if (type == String.class || type == CharSequence.class) {
      return WORDS[random.nextInt(WORDS.length)];
    }
    if (type == Object.class) {
      Class<?>[] some = {
        Tensor.class, Long.class, String.class, double[].class, float[][].class, Scalar.class
      };
      return of(some[random.nextInt(some.length)], depth + 1);
    }
    return made(type, depth);
  }

  private Object made(Class<?> type, int depth) {
    if (Buffer.class.isAssignableFrom(type)) {
      return buffer(type);
    }
    if (type == Class.class) {
      return Tensor.class;
    }
    if (Map.class.isAssignableFrom(type)) {
      return Map.of();
    }
    if (Iterable.class == type || Collection.class.isAssignableFrom(type)) {
      return Arrays.asList(tensor(), random.nextBoolean() ? null : tensor());
    }
    if (type.isInterface()) {
      return function(type);
    }
    if (depth > 3 || Modifier.isAbstract(type.getModifiers())) {
      return null;
    }
    Constructor<?>[] constructors = type.getConstructors();
    Arrays.sort(constructors, (a, b) -> a.toString().compareTo(b.toString()));
    for (int attempt = 0; attempt < 4 && constructors.length > 0; attempt++) {
      Constructor<?> constructor = constructors[random.nextInt(constructors.length)];
      Object[] args = new Object[constructor.getParameterCount()];
      for (int i = 0; i < args.length; i++) {
        args[i] = of(constructor.getParameterTypes()[i], depth + 1);
      }
      try {
        return constructor.newInstance(args);
      } catch (ReflectiveOperationException | IllegalArgumentException e) {
        continue; // refused: try others
      }
    }
    return null;
  }

  /** A function that returns nothing, something, or throws. */
  private Object function(Class<?> type) {
    int manner = random.nextInt(4);
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, args) -> {
          if (method.getDeclaringClass() == Object.class) {
            switch (method.getName()) {
              case "hashCode":
                return 1;
              case "equals":
                return proxy == args[0];
              default:
                return "a function of the fuzzing program";
            }
          }
          Class<?> result = method.getReturnType();
          switch (manner) {
            case 0:
              throw new IllegalStateException("on purpose");
            case 1:
              if (args != null && args.length > 0 && args[0] instanceof Tensor) {
                ((Tensor) args[0]).close();
              }
              return result.isPrimitive() && result != void.class ? number(result) : null;
            default:
              return result == void.class ? null : of(result, 3);
          }
        });
  }

  private Object number(Class<?> type) {
    long whole = NUMBERS[random.nextInt(random.nextInt(3) == 0 ? NUMBERS.length : 8)];
    double real = REALS[random.nextInt(REALS.length)];
    if (type == long.class || type == Long.class) {
      return whole;
    } else if (type == int.class || type == Integer.class) {
      return (int) whole;
    } else if (type == short.class || type == Short.class) {
      return (short) whole;
    } else if (type == byte.class || type == Byte.class) {
      return (byte) whole;
    } else if (type == float.class || type == Float.class) {
      return (float) real;
    } else if (type == boolean.class || type == Boolean.class) {
      return random.nextBoolean();
    } else if (type == char.class) {
      return 'c';
    } else if (type == void.class) {
      return null;
    }
    return real;
  }

  private Buffer buffer(Class<?> type) {
    ByteBuffer bytes =
        (random.nextBoolean() ? ByteBuffer.allocate(48) : ByteBuffer.allocateDirect(48));
    bytes.order(random.nextBoolean() ? ByteOrder.nativeOrder() : ByteOrder.BIG_ENDIAN);
    if (type == FloatBuffer.class) {
      return bytes.asFloatBuffer();
    } else if (type == DoubleBuffer.class) {
      return bytes.asDoubleBuffer();
    } else if (type == IntBuffer.class) {
      return bytes.asIntBuffer();
    } else if (type == LongBuffer.class) {
      return bytes.asLongBuffer();
    }
    return type.isInstance(bytes) ? bytes : null;
  }

  /** A tensor: of any dtype, a view, one with a history, an undefined or a closed one. */
  private Tensor tensor() {
    int kind = random.nextInt(16);
    if (kind == 0) {
      return new Tensor();
    }
    long[] shape = new long[random.nextInt(4)];
    for (int i = 0; i < shape.length; i++) {
      shape[i] = random.nextInt(4);
    }
    torch.ScalarType dtype =
        random.nextBoolean() ? torch.ScalarType.Float : DTYPES[random.nextInt(DTYPES.length)];
    Tensor tensor;
    try {
      tensor = torch.ones(shape, new TensorOptions(dtype));
    } catch (RuntimeException e) {
      tensor = torch.rand(new long[] {2, 3}); // a dtype that has no tensors
    }
    if (kind == 1) {
      tensor.close();
    } else if (kind < 5 && tensor.is_floating_point()) {
      tensor.set_requires_grad(true);
      return kind == 2 ? tensor : tensor.mul(new Scalar(2));
    } else if (kind == 5 && tensor.dim() > 1) {
      return tensor.transpose(0, 1);
    } else if (kind == 6 && tensor.dim() > 0) {
      return tensor.slice(0, null, null, 2);
    }
    return tensor;
  }
}
