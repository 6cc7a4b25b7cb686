package org.onetape.internal;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.onetape.NativeMemoryMXBean;

/** The JMX bean of the tensors' memory. */
public final class MemoryBean implements NativeMemoryMXBean {
  private static final String NAME = "org.onetape:type=NativeMemory";

  private MemoryBean() {}

  /** Registers the bean, unless that was done. */
  public static synchronized void register() {
    try {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      ObjectName name = new ObjectName(NAME);
      if (!server.isRegistered(name)) {
        server.registerMBean(new MemoryBean(), name);
      }
    } catch (JMException e) {
      throw new IllegalStateException("could not register " + NAME, e);
    }
  }

  @Override
  public long getLiveTensors() {
    return Engine.liveTensors();
  }

  @Override
  public long getNativeBytes() {
    return Engine.nativeBytes();
  }

  @Override
  public long getCollectedTensors() {
    return Leaks.collected();
  }
}
