package org.onetape;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;
import org.onetape.global.torch;
import org.onetape.global.torch.DeviceType;
import org.onetape.global.torch.ScalarType;

public class StorageTest extends ScopedTest {
  @Test
  public void viewsHaveOne() {
    Tensor whole = torch.arange(new Scalar(12), new TensorOptions(ScalarType.Double)).view(3, 4);
    Tensor part = whole.narrow(0, 1, 2).t();
    Storage storage = part.storage();
    assertTrue(storage.is_alias_of(whole.storage()) && storage.is_alias_of(storage));
    assertFalse(storage.is_alias_of(whole.clone().storage()));
    assertElements(storage.elements(), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    assertEquals(whole.data_ptr().address(), storage.data_ptr().address());
    assertEquals(12, storage.size());
    assertEquals(96, storage.nbytes());
    assertEquals(ScalarType.Double, storage.scalar_type());
    assertEquals(DeviceType.CPU, storage.device_type());
    assertEquals("Storage of 12 Double", storage.toString());
    storage.elements().fill_(7);
    assertElements(part.sum(), 56);
  }

  @Test
  public void smallAndEmptyTensors() {
    Storage one = x.narrow(0, 2, 1).storage();
    assertElements(one.elements(), 1, 2, 3);
    assertFalse(one.elements().requires_grad());
    assertTrue(one.is_alias_of(x.storage()));
    Storage none = torch.empty(0).storage();
    assertEquals(0, none.size());
    assertTrue(none.is_alias_of(none));
    assertFalse(none.is_alias_of(torch.empty(0).storage()));
  }

  @Test
  public void itKeepsTheMemoryAndEndsWithItsScope() {
    Storage storage;
    Storage inner;
    Tensor base = torch.ones(1000);
    storage = base.storage();
    base.close();
    assertEquals(1000, storage.elements().sum().item_double(), 0);
    try (MemoryScope small = new MemoryScope()) {
      inner = torch.ones(3).storage();
    }
    assertThrows(IllegalStateException.class, inner::nbytes);
    assertThrows(IllegalStateException.class, base::storage);
    assertThrows(TorchException.class, new Tensor()::storage);
    assertThrows(NullPointerException.class, () -> storage.is_alias_of(null));
  }
}
