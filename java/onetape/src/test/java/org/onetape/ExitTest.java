package org.onetape;

import static org.junit.Assert.assertEquals;

import org.junit.Test;
import org.onetape.fuzz.Ending;

/** A process may end whatever its threads, tensors, cleaners and shutdown hooks are doing. */
public class ExitTest {
  @Test
  public void processEndsWithThreadsInTheEngine() throws Exception {
    for (int seed = 0; seed < 10; seed++) {
      ChildJvm child =
          ChildJvm.runWith(Ending.class, new String[] {"-Xmx128m"}, "" + seed, "1", "-");
      assertEquals("seed " + seed + "\n" + child.output, 0, child.status);
    }
  }
}
