package org.onetape;

import java.nio.file.Path;
import org.onetape.global.torch;
import org.onetape.io.LoadOptions;
import org.onetape.io.Serialization;

/** Switches and settings in Java's spelling. */
public final class Torch {
  private Torch() {}

  /** Operators are not recorded in this thread until the result is closed. */
  public static NoGradGuard noGrad() {
    return new NoGradGuard();
  }

  /** Operators are recorded in this thread until the result is closed. */
  public static EnableGradGuard enableGrad() {
    return new EnableGradGuard();
  }

  /** This thread is in inference mode until the result is closed. */
  public static InferenceMode inferenceMode() {
    return new InferenceMode();
  }

  /**
   * Until the result is closed, an exception from a backward pass tells the forward call of the
   * operator it comes from, and a gradient that holds a nan is one.
   */
  public static DetectAnomalyGuard detectAnomaly() {
    return new DetectAnomalyGuard();
  }

  /** Whether there is a CUDA device that can be used: not in this build. */
  public static boolean cudaIsAvailable() {
    return torch.cuda_is_available();
  }

  /** The number of CUDA devices that can be used: none in this build. */
  public static long cudaDeviceCount() {
    return torch.cuda_device_count();
  }

  /** Starts the default random number generator anew: the same seed gives the same numbers. */
  public static void manualSeed(long seed) {
    torch.manual_seed(seed);
  }

  /** The state of the default generator, as a tensor of bytes that files can hold. */
  public static Tensor getRngState() {
    return Generator.state(null);
  }

  /**
   * Sets the state of the default generator to one that {@link #getRngState()} gave, here or in
   * Python or in PyTorch.
   *
   * @throws TorchException if no generator can be in that state
   */
  public static void setRngState(Tensor state) {
    Generator.setState(null, state);
  }

  /**
   * Saves tensors, and maps, lists, numbers, strings, … of them, in PyTorch's format; see {@link
   * Serialization}.
   */
  public static void save(Object object, Path file) {
    Serialization.save(object, file);
  }

  /** What was saved in PyTorch's format, here or in PyTorch; see {@link Serialization}. */
  public static Object load(Path file) {
    return Serialization.load(file);
  }

  /** What was saved in PyTorch's format, here or in PyTorch; see {@link Serialization}. */
  public static Object load(Path file, LoadOptions options) {
    return Serialization.load(file, options);
  }

  /** How many threads one operator may use. */
  public static int getNumThreads() {
    return torch.get_num_threads();
  }

  /** Sets how many threads one operator may use. */
  public static void setNumThreads(int count) {
    torch.set_num_threads(count);
  }
}
