package org.onetape.internal;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.onetape.Tensor;

/**
 * The native entry points of process groups. Groups, operations on their way and stores are
 * numbers; 0 stands for none. Times are milliseconds.
 */
public final class Groups {
  private static final Cleaner CLEANER = Cleaner.create();

  /** Kinds of what {@link #release} lets go of. */
  public static final int GROUP = 0;

  public static final int WORK = 1;
  public static final int STORE = 2;

  /** Kinds of operations, as in native code. */
  public static final int ALL_REDUCE = 0;

  public static final int ALL_REDUCE_COALESCED = 1;
  public static final int BROADCAST = 2;
  public static final int REDUCE = 3;
  public static final int ALL_GATHER = 4;
  public static final int ALL_GATHER_INTO = 5;
  public static final int GATHER = 6;
  public static final int SCATTER = 7;
  public static final int REDUCE_SCATTER = 8;
  public static final int REDUCE_SCATTER_INTO = 9;
  public static final int ALL_TO_ALL = 10;
  public static final int ALL_TO_ALL_SINGLE = 11;
  public static final int BARRIER = 12;
  public static final int SEND = 13;
  public static final int RECEIVE = 14;
  public static final int BROADCAST_COALESCED = 15;

  static {
    Engine.load();
    Runtime.getRuntime().addShutdownHook(new Thread(Groups::abandon, "onetape-groups-end"));
  }

  private Groups() {}

  /** Lets go of a number once its owner is forgotten, or earlier when that is cleaned. */
  public static Cleaner.Cleanable owned(Object owner, long handle, int kind) {
    return CLEANER.register(owner, () -> release(handle, kind));
  }

  public static native boolean hasGloo();

  public static native long begin(
      String url, long store, long rank, long worldSize, String name, long timeout);

  public static native long world();

  public static native long newGroup(long[] ranks, long timeout, boolean local);

  public static native void destroy(long group);

  static native void abandon();

  public static native int rank(long group);

  public static native String name(long group);

  public static native long[] ranks(long group);

  public static native long identity(long group);

  public static native long timeout(long group);

  public static native void setTimeout(long group, long timeout);

  public static native void monitoredBarrier(long group, long timeout, boolean all);

  /** Begins an operation. */
  public static native long start(
      long group,
      int call,
      Object[] out,
      Object[] in,
      int number,
      int op,
      long[] outSplits,
      long[] inSplits,
      int tag);

  /** Is it done by then? */
  public static native boolean await(long work, long milliseconds);

  /** Throws what it failed with. */
  public static native void rethrow(long work);

  public static native int source(long work);

  public static native String operation(long work);

  /** Runs something when it is done. */
  public static native void then(long work, Runnable runnable);

  static native void release(long handle, int kind);

  public static native long tcpStore(
      String host, int port, boolean server, long worldSize, long timeout, String token);

  public static native long fileStore(String path, long worldSize);

  public static native long hashStore();

  public static native long prefixStore(String prefix, long store);

  public static native int storePort(long store);

  public static native void storeSet(long store, String key, byte[] value);

  public static native byte[] storeGet(long store, String key);

  public static native long storeAdd(long store, String key, long amount);

  public static native void storeAppend(long store, String key, byte[] value);

  public static native byte[] storeCompareSet(
      long store, String key, byte[] expected, byte[] desired);

  public static native boolean storeDelete(long store, String key);

  public static native boolean storeCheck(long store, String[] keys);

  public static native long storeCount(long store);

  public static native void storeWait(long store, String[] keys, long timeout);

  public static native void storeSetTimeout(long store, long timeout);

  public static native long newReducer(
      long group,
      Object[] parameters,
      long bucketBytes,
      long firstBucketBytes,
      boolean findUnused,
      boolean bucketViews);

  public static native void verifyParameters(long group, Object[] parameters);

  public static native void prepareReducer(long reducer, Object[] outputs);

  public static native void skipReducer(long reducer);

  public static native void shadowReducer(long reducer);

  public static native void setDivisor(long reducer, int divisor);

  public static native void setBuiltinHook(long reducer, int hook);

  public static native void setHook(long reducer, Object hook);

  static native void releaseReducer(long reducer);

  /** Lets go of a reducer once its owner is forgotten, or earlier when that is cleaned. */
  public static Cleaner.Cleanable ownedReducer(Object owner, long reducer) {
    return CLEANER.register(owner, () -> releaseReducer(reducer));
  }

  /** What reduces a bucket; {@code DistributedDataParallel} knows its public form. */
  public interface Hook {
    /** Begins to reduce a bucket; a future of the mean. */
    CompletableFuture<Tensor> begin(
        int index, boolean last, Tensor buffer, Tensor[] gradients, Tensor[] parameters);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the engine hands it to endHook
  static Object beginHook(
      Object hook, int index, boolean last, long buffer, long[] gradients, long[] parameters) {
    return ((Hook) hook)
        .begin(
            index,
            last,
            Access.tensor(buffer),
            Access.tensors(gradients),
            Access.tensors(parameters));
  }

  static long endHook(Object future) {
    try {
      return Engine.alias(((CompletableFuture<?>) future).get());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException) {
        throw (RuntimeException) e.getCause();
      }
      throw new IllegalStateException("the hook failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a hook", e);
    }
  }

  /** The elements of a tensor of bytes. */
  public static byte[] bytes(Tensor tensor) {
    byte[] bytes = new byte[(int) tensor.numel()];
    tensor.<ByteBuffer>createBuffer().get(bytes);
    return bytes;
  }
}
