package org.onetape.internal;

import java.nio.ByteBuffer;
import org.onetape.Generator;
import org.onetape.Node;

/**
 * The native entry points that do not come from the operator tables.
 *
 * <p>Tensors are passed as objects, so that they stay reachable during the call; new ones come back
 * as handles, where 0 stands for the undefined tensor. Element types are the codes of {@code
 * ScalarType}, devices those of {@link Args#device}, numbers come as bits and kind.
 */
public final class Engine {
  private Engine() {}

  static {
    NativeLoader.load();
    Collector.start();
  }

  /** Loads the library, unless that was done. */
  static void load() {}

  /**
   * What a use of something closed is answered with; also called from native code.
   *
   * @param owner the tensor, node or generator; null if that is not known
   */
  public static IllegalStateException closed(Object owner) {
    NativeRef ref = owner == null ? null : Access.ref(owner);
    StringBuilder text = new StringBuilder("the ");
    text.append(
        owner instanceof Node ? "node" : owner instanceof Generator ? "generator" : "tensor");
    text.append(" was closed");
    if (ref != null && ref.closer() != null) {
      text.append(" at ").append(ref.closer());
    }
    text.append(", by close() or together with its MemoryScope");
    if (ref != null && ref.origin != null) {
      text.append("; it was made at ").append(ref.origin);
    }
    text.append("; to use a tensor after its scope, call keep() on it before the scope is closed");
    if (!Leaks.TRACE) {
      text.append("; -Donetape.leaks=trace tells where it was closed");
    }
    return new IllegalStateException(text.toString());
  }

  // Handles.
  static native void close(long handle);

  /** Closes a few, quicker than from an array; 0 stands for none. */
  static native void close(long first, long second, long third, long fourth);

  static native void closeAll(long[] handles, int count);

  public static native long alias(Object tensor);

  static native String describe(long handle);

  static native void setPressureBound(long bytes);

  public static native long nativeBytes();

  public static native long liveTensors();

  /** Bytes of elements in use, and the most of them; first lets the peak start again if wanted. */
  public static native long[] memory(boolean resetPeak);

  // Making tensors.
  public static native long fromArray(
      Object array, int type, long[] sizes, int dtype, int device, boolean requiresGrad);

  public static native long fromMemory(
      ByteBuffer memory,
      long[] sizes,
      long[] strides,
      int memoryType,
      int dtype,
      int device,
      boolean requiresGrad,
      boolean share);

  public static native long fromNumber(
      long bits, int kind, int dtype, int device, boolean requiresGrad);

  // Storages.

  /** The bytes of a file of a known size, mapped into memory. */
  public static native long mapFile(String path, long bytes);

  /** Some bytes of a tensor's storage as a storage of their own. */
  public static native long storagePart(Object tensor, long offset, long bytes);

  /** A tensor of the storage of another, without history. */
  public static native long placed(
      Object tensor, int dtype, long[] sizes, long[] strides, long offset);

  public static native long storageBytes(Object tensor);

  public static native long storageAddress(Object tensor);

  // Asking a tensor.
  public static native int dtype(Object tensor);

  public static native int deviceType(Object tensor);

  public static native long dim(Object tensor);

  public static native long numel(Object tensor);

  public static native long[] sizes(Object tensor);

  public static native long[] strides(Object tensor);

  public static native long size(Object tensor, long dim);

  public static native long stride(Object tensor, long dim);

  public static native long storageOffset(Object tensor);

  public static native boolean isContiguous(Object tensor);

  public static native boolean requiresGrad(Object tensor);

  public static native boolean isLeaf(Object tensor);

  public static native boolean isView(Object tensor);

  public static native boolean retainsGrad(Object tensor);

  public static native long version(Object tensor);

  public static native long identity(Object tensor);

  public static native long itemBits(Object tensor);

  public static native int itemKind(Object tensor);

  public static native double itemDouble(Object tensor);

  public static native long itemLong(Object tensor);

  public static native String format(Object tensor, boolean withType);

  public static native ByteBuffer memory(Object tensor);

  public static native void toArray(Object tensor, Object array, int type);

  public static native long address(Object buffer);

  public static native long to(Object tensor, int dtype, int device, boolean copy);

  // Autograd.
  public static native void backward(
      Object tensor, Object gradient, boolean retainGraph, boolean createGraph, Object[] inputs);

  public static native void backwardAll(
      Object[] tensors,
      Object[] gradients,
      boolean retainGraph,
      boolean createGraph,
      Object[] inputs);

  public static native long[] gradients(
      Object[] outputs,
      Object[] inputs,
      Object[] gradients,
      boolean retainGraph,
      boolean createGraph,
      boolean allowUnused);

  public static native long grad(Object tensor);

  public static native void setGrad(Object tensor, Object gradient);

  public static native void setRequiresGrad(Object tensor, boolean required);

  public static native void retainGrad(Object tensor);

  public static native long detach(Object tensor);

  public static native void detachInPlace(Object tensor);

  public static native long data(Object tensor);

  public static native void setData(Object tensor, Object data);

  public static native long base(Object tensor);

  public static native boolean gradEnabled();

  public static native void setGradEnabled(boolean enabled);

  // Forward mode.
  public static native int enterDualLevel();

  public static native void exitDualLevel(int level);

  public static native int dualLevel();

  public static native long makeDual(Object primal, Object tangent);

  public static native long[] unpackDual(Object dual);

  public static native long[] tangents(Object[] tensors);

  public static native void giveTangent(Object tensor, Object tangent, boolean inPlace);

  public static native boolean forwardEnabled();

  public static native void setForwardEnabled(boolean enabled);

  // Graph.
  public static native long gradFn(Object tensor);

  public static native String nodeName(Object node);

  public static native long nodeIdentity(Object node);

  public static native int nodeInputs(Object node);

  public static native long[] nodeEdges(Object node, int[] inputs);

  public static native String graphText(
      Object[] tensors, String[] names, Object[] named, String form, String title);

  /** The page of a graph server. */
  public static native String graphLivePage(String title);

  /** Nodes note where they come from until the recording is stopped. */
  public static native void startRecording();

  public static native void stopRecording();

  /** The tensors that a node keeps for backward. */
  public static native long[] nodeSaved(Object node);

  public static native long addHook(Object tensor, Object hook);

  public static native long addAccumulateHook(Object tensor, Object hook);

  public static native long addNodeHook(Object node, Object hook);

  public static native long addNodePreHook(Object node, Object hook);

  public static native void removeHook(long handle);

  /** The Java objects that the graph behind a tensor needs; null if it needs none. */
  public static native Object graphKeeper(Object tensor);

  // What is saved for backward.
  public static native void pushSavedHooks(Object hooks);

  public static native void popSavedHooks();

  public static native String disableSavedHooks(String message);

  public static native void restoreSavedHooks(String message);

  public static native void runCheckpoint(
      Object again, Object[] inputs, boolean preserveRandomState, boolean earlyStop);

  public static native boolean runIsSelective();

  // Modes.
  public static native boolean inferenceMode();

  public static native void setInferenceMode(boolean enabled);

  public static native boolean isInference(Object tensor);

  public static native boolean anomaly();

  public static native boolean anomalyCheckNan();

  public static native void setAnomaly(boolean enabled, boolean checkNan);

  // Functions.

  /** The number that stands for the name of a node. */
  public static native int functionName(String name);

  /** In what {@link #enterForward()} returns: the grad mode was on. */
  public static final int GRAD_MODE = 1;

  /** In what {@link #enterForward()} returns: there may be tangents. */
  public static final int FORWARD_MODE = 2;

  /** Switches the grad mode off; tells in which modes the thread was. */
  public static native int enterForward();

  /**
   * Records a function of one tensor, which it keeps for backward; the grad mode is set.
   *
   * @return the handle of the result; 0 if it is the output as it is, 1 if that now has a history
   */
  public static native long applySimple(
      Object call, int name, Object input, Object output, boolean gradMode);

  public static native long[] applyFunction(
      Object call,
      int name,
      Object[] inputs,
      Object[] outputs,
      Object[] saved,
      int[] marks,
      boolean materialize);

  // Indexing.
  public static native long index(Object tensor, int[] kinds, long[] numbers, Object[] tensors);

  public static native void indexPut(
      Object tensor,
      int[] kinds,
      long[] numbers,
      Object[] tensors,
      Object value,
      long bits,
      int kind);

  // Optimizers.
  public static native long newOptimizer(String name, Object[] params);

  public static native void beginOptimizer(long optimizer, double[] options);

  public static native void stepOptimizer(long optimizer, double[] options);

  public static native void clearGrads(long optimizer, boolean setToNone);

  public static native long[] optimizerState(long optimizer, int param);

  public static native void setOptimizerState(long optimizer, int param, Object[] states);

  public static native long totalNorm(Object[] tensors, double order);

  public static native void clipNorm(Object[] params, double maxNorm, Object totalNorm);

  public static native void clipValue(Object[] params, double bound);

  public static native double cosine(double x);

  public static native double power(double x, double exponent);

  public static native double logarithm(double x);

  // Tapes.
  public static native void beginTape(Object[] inputs);

  public static native long finishTape(Object[] outputs, boolean clears);

  /** Gives up what this thread records, if it does. */
  public static native void abandonTape();

  public static native long[] runTape(long tape, Object[] inputs);

  /** The same for a tape of one input and one result. */
  public static native long runTape(long tape, Object input);

  /** The same for a training step, with the numbers of each group of the optimizer. */
  public static native long stepTape(long tape, Object[] inputs, double[][] numbers);

  public static native String tapeMismatch(long tape, Object[] inputs);

  public static native long[] tapeCaptured(long tape);

  public static native long reorderedTape(long tape);

  public static native String tapeText(long tape);

  public static native void saveTape(long tape, String path);

  public static native long loadTape(String path);

  // Random numbers.
  public static native long newGenerator();

  public static native void setGeneratorSeed(Object generator, long seed);

  public static native long generatorSeed(Object generator);

  public static native long reseed(Object generator);

  /** The state of a generator, of the default one if it is null. */
  public static native byte[] randomState(Object generator);

  public static native void setRandomState(Object generator, byte[] state);

  // Settings.
  public static native void seed(long seed);

  public static native int defaultType();

  public static native void setDefaultType(int dtype);

  public static native int threads();

  public static native void setThreads(int count);
}
