package org.onetape;

/** What the JMX bean {@code org.onetape:type=NativeMemory} shows; see {@link NativeMemory}. */
public interface NativeMemoryMXBean {
  /** The number of tensors that Java objects hold open. */
  long getLiveTensors();

  /** The bytes that those tensors hold. */
  long getNativeBytes();

  /** How many tensors that belonged to no scope the garbage collector has freed so far. */
  long getCollectedTensors();
}
