package org.onetape;

import org.onetape.global.torch.ScalarType;
import org.onetape.internal.Engine;
import org.onetape.internal.NativeRef;
import org.onetape.internal.RefList;

/** A random number generator, for programs that want one apart from the default one. */
public final class Generator implements AutoCloseable {
  /** The native handle, read by native code. */
  private final long cell;

  private final NativeRef ref;

  /** A generator with a fixed seed of its own. */
  public Generator() {
    cell = Engine.newGenerator();
    ref = RefList.unscoped().own(this, cell);
  }

  NativeRef ref() {
    return ref;
  }

  /** A generator with the given seed. */
  public Generator(long seed) {
    this();
    set_current_seed(seed);
  }

  /** Starts anew: the same seed gives the same numbers. */
  public void set_current_seed(long seed) {
    Engine.setGeneratorSeed(this, seed);
  }

  /** Starts anew: the same seed gives the same numbers; returns this. */
  public Generator manual_seed(long seed) {
    set_current_seed(seed);
    return this;
  }

  /** The seed from which the numbers come. */
  public long current_seed() {
    return Engine.generatorSeed(this);
  }

  /** Starts anew with a seed that cannot be foretold, and returns it. */
  public long seed() {
    return Engine.reseed(this);
  }

  /** The state, as a tensor of bytes that files can hold. */
  public Tensor get_state() {
    return state(this);
  }

  /**
   * Sets a state that {@link #get_state()} gave, here or in Python or in PyTorch.
   *
   * @throws TypeException if it is no tensor of bytes
   * @throws TorchException if no generator can be in that state
   */
  public void set_state(Tensor state) {
    setState(this, state);
  }

  /** The state of a generator, or of the default one. */
  static Tensor state(Generator generator) {
    return Tensor.create(Engine.randomState(generator), false);
  }

  static void setState(Generator generator, Tensor state) {
    if (state.scalar_type() != ScalarType.Byte || !state.is_contiguous()) {
      throw new TypeException("RNG state must be a torch.ByteTensor");
    }
    if (state.numel() > 1 << 20) {
      throw new TorchException("RNG state is wrong size");
    }
    byte[] bytes = new byte[(int) state.numel()];
    TensorMemory.of(state).get(bytes);
    Engine.setRandomState(generator, bytes);
  }

  /** Lets go of the generator. */
  @Override
  public void close() {
    ref.close();
  }
}
