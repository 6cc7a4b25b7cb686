package org.onetape;

import org.onetape.internal.Engine;
import org.onetape.internal.Leaks;
import org.onetape.internal.MemoryBean;

/**
 * How much native memory the tensors of this program hold.
 *
 * <p>The same numbers are attributes of the JMX bean {@code org.onetape:type=NativeMemory}, which
 * appears a second after the first tensor. With {@code -Donetape.leaks=trace} every tensor that the
 * garbage collector had to free is reported with the line that made it.
 */
public final class NativeMemory {
  private NativeMemory() {}

  /** The number of tensors that Java objects hold open. */
  public static long liveTensors() {
    return Engine.liveTensors();
  }

  /** The bytes that those tensors hold. */
  public static long nativeBytes() {
    return Engine.nativeBytes();
  }

  /** The bytes of all elements in native memory, also of those that only the graph keeps. */
  public static long allocatedBytes() {
    return Engine.memory(false)[0];
  }

  /** The most that {@link #allocatedBytes} has been since the start or {@link #resetPeak}. */
  public static long peakBytes() {
    return Engine.memory(false)[1];
  }

  /** Lets the peak start again from what is in use now. */
  public static void resetPeak() {
    Engine.memory(true);
  }

  /** How many tensors that belonged to no scope the garbage collector has freed so far. */
  public static long collectedTensors() {
    return Leaks.collected();
  }

  /** Has the JMX bean appear now; doing so again has no effect. */
  public static void registerBean() {
    MemoryBean.register();
  }
}
