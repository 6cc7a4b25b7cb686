package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.onetape.global.torch.tensor;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.Test;
import org.onetape.internal.Handover;

public class HandoverTest {
  @Test
  public void tensorsArriveAsTheyWere() throws Exception {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor a = tensor(1.0);
      Handover.put(a, null, new Tensor());
      AtomicInteger elsewhere = new AtomicInteger(-1);
      Thread other = new Thread(() -> elsewhere.set(Handover.take().length));
      other.start();
      other.join();
      assertEquals(0, elsewhere.get());
      Tensor[] taken = Handover.take();
      assertEquals(3, taken.length);
      assertEquals(a, taken[0]);
      assertFalse(taken[1].defined());
      assertFalse(taken[2].defined());
      assertEquals(0, Handover.take().length);
    }
  }
}
