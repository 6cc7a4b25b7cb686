package org.onetape;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.Test;
import org.onetape.global.torch;
import org.onetape.global.torch.DeviceType;
import org.onetape.global.torch.Layout;
import org.onetape.global.torch.MemoryFormat;
import org.onetape.global.torch.ScalarType;

public class ValuesTest {
  @Test
  public void optionalsHoldAValueOrNone() {
    LongOptional none = new LongOptional();
    assertFalse(none.has_value());
    assertThrows(NoSuchElementException.class, none::get);
    LongOptional some = new LongOptional(3);
    assertTrue(some.has_value());
    assertEquals(3, some.get());
    none.put(some);
    assertEquals(some, none);
    none.reset();
    assertFalse(none.has_value());
    assertEquals("null", none.toString());
    assertEquals(0.5, new DoubleOptional().put(0.5).get(), 0);
    assertTrue(new BoolOptional(true).get());
    assertArrayEquals(new long[] {1, 2}, new LongArrayRefOptional(1, 2).get().toArray());
  }

  @Test
  public void devicesAreNamedAndParsed() {
    assertEquals("cpu", new Device("cpu").toString());
    Device cuda = new Device("cuda:1");
    assertEquals(DeviceType.CUDA, cuda.type());
    assertEquals(1, cuda.index());
    assertEquals(new Device(DeviceType.CUDA, (byte) 1), cuda);
    assertNotEquals(new Device("cuda"), cuda);
    assertEquals("cuda:1", cuda.str().getString());
    TorchException unknown = assertThrows(TorchException.class, () -> new Device("gpu"));
    assertTrue(unknown.getMessage().startsWith("Expected one of cpu, cuda, "));
    assertTrue(unknown.getMessage().endsWith("device type at start of device string: gpu"));
    assertEquals("Invalid device string: '3'", deviceError("3"));
    assertEquals("privateuseone:2", new Device("privateuseone:2").toString());
    assertEquals(DeviceType.XPU, new Device("xpu").type());
    for (String name : new String[] {"metal", "compile_time_max_device_types"}) {
      assertTrue(deviceError(name + ":1").endsWith("at start of device string: " + name));
    }
    assertThrows(NullPointerException.class, () -> new Device((String) null));
    assertThrows(NullPointerException.class, () -> new Device((DeviceType) null));
    assertThrows(TorchException.class, () -> new Device("cuda:"));
    assertThrows(TorchException.class, () -> new Device("cuda:-1"));
    assertThrows(TorchException.class, () -> new Device("cuda:1:2"));
  }

  private static String deviceError(String name) {
    return assertThrows(TorchException.class, () -> new Device(name)).getMessage();
  }

  @Test
  public void optionsNeverChange() {
    TensorOptions plain = new TensorOptions();
    TensorOptions full =
        plain
            .layout(new LayoutOptional(Layout.Strided))
            .dtype(new ScalarTypeOptional(ScalarType.Long))
            .device(new DeviceOptional(new Device(DeviceType.CPU)))
            .memory_format(new MemoryFormatOptional(MemoryFormat.Contiguous))
            .requires_grad(new BoolOptional(true));
    assertFalse(plain.has_dtype());
    assertEquals(ScalarType.Float, plain.dtype().toScalarType());
    assertEquals(ScalarType.Long, full.dtype().toScalarType());
    assertTrue(full.dtype().isScalarType(ScalarType.Long));
    assertTrue(full.requires_grad());
    assertEquals(new Device("cpu"), full.device());
    assertFalse(full.dtype(new ScalarTypeOptional()).has_dtype());
    assertEquals(ScalarType.Half, new TensorOptions(ScalarType.Half).dtype().toScalarType());
  }

  @Test
  public void vectorsGrow() {
    LongVector vector = new LongVector(5);
    assertArrayEquals(new long[] {5}, vector.get());
    vector.push_back(6).push_back(7);
    vector.put(0, 4);
    assertArrayEquals(new long[] {4, 6, 7}, vector.get());
    assertEquals(7, vector.pop_back());
    assertEquals(2, vector.size());
    assertThrows(IndexOutOfBoundsException.class, () -> vector.get(2));
    vector.resize(4);
    assertEquals("[4, 6, 0, 0]", vector.toString());
    assertArrayEquals(new long[] {1, 2}, new LongVector(1, 2).get());
    assertTrue(new BoolVector().empty());
    StringVector words = new StringVector("a", "b");
    assertEquals("b", words.get(1).getString());
    assertEquals("[a, b]", words.toString());
  }

  @Test
  public void listsOfIntegersAreCopies() {
    long[] values = {1, 2, 3};
    LongArrayRef list = new LongArrayRef(values);
    values[0] = 9;
    assertEquals(1, list.get(0));
    assertArrayEquals(new long[] {1, 2, 3}, list.vec().get());
    assertEquals(new LongArrayRef(2, 3), list.slice(1));
    assertThrows(IndexOutOfBoundsException.class, () -> list.get(3));
    assertEquals("[1, 2, 3]", list.toString());
  }

  @Test
  public void vectorsOfTensorsHoldTheirOwn() {
    try (MemoryScope scope = new MemoryScope()) {
      Tensor a = torch.tensor(1.0);
      Tensor b = torch.tensor(2.0);
      TensorVector vector = new TensorVector(a, b);
      a.close();
      vector.get(1).close();
      assertEquals(1.0, vector.get(0).item_double(), 0);
      assertEquals(2.0, vector.get(1).item_double(), 0);
      assertEquals(b, vector.get(1));
      List<Double> seen = new ArrayList<>();
      for (TensorVector.Iterator it = vector.begin();
          !it.equals(vector.end());
          it = it.increment()) {
        seen.add(it.get().item_double());
      }
      for (Tensor tensor : vector) {
        seen.add(tensor.item_double());
      }
      assertEquals(List.of(1.0, 2.0, 1.0, 2.0), seen);
      vector.resize(3);
      assertFalse(vector.get(2).defined());
    }
  }

  @Test
  public void vectorOutsideKeepsWhatScopesInsideMade() {
    try (TensorVector vector = new TensorVector()) {
      try (MemoryScope scope = new MemoryScope()) {
        vector.push_back(torch.tensor(5.0));
      }
      assertEquals(5.0, vector.get(0).item_double(), 0);
    }
  }

  @Test
  public void dictionariesKeepTheOrder() {
    try (MemoryScope scope = new MemoryScope()) {
      StringTensorDict dict = new StringTensorDict();
      dict.insert("w", torch.tensor(1.0));
      dict.insert("b", torch.tensor(2.0));
      assertEquals("w", dict.get(0).key().getString());
      assertEquals(2.0, dict.get("b").item_double(), 0);
      assertTrue(dict.contains("b"));
      assertEquals("[w, b]", dict.keys().toString());
      List<String> seen = new ArrayList<>();
      for (StringTensorDictItemVector.Iterator it = dict.begin();
          !it.equals(dict.end());
          it.increment()) {
        seen.add(it.get().key().getString() + it.get().value());
      }
      assertEquals(List.of("w1.0", "b2.0"), seen);
      assertThrows(IllegalArgumentException.class, () -> dict.insert("w", torch.tensor(0.0)));
      assertThrows(IllegalArgumentException.class, () -> dict.get("x"));
    }
  }

  @Test
  public void indicesSayWhatTheyAre() {
    assertTrue(new TensorIndex().is_none());
    assertTrue(new TensorIndex("...").is_ellipsis());
    assertTrue(new TensorIndex(3).is_integer());
    assertTrue(new TensorIndex(true).is_boolean());
    assertTrue(new TensorIndex(new Slice()).is_slice());
    assertThrows(IllegalArgumentException.class, () -> new TensorIndex("x"));
    assertEquals("1:3:1", new Slice(1, 3).toString());
    Slice open = new Slice(new SymIntOptional(), new SymIntOptional(new SymInt(2)), null);
    assertEquals(0, open.start());
    assertEquals(2, open.stop());
  }

  @Test
  public void nothingOfTheseTakesNativeMemory() {
    long before = NativeMemory.nativeBytes();
    for (int i = 0; i < 1_000_000; i++) {
      new TensorOptions().dtype(new ScalarTypeOptional(ScalarType.Float)).requires_grad(true);
      new Device(DeviceType.CPU);
      new Scalar(i);
    }
    assertTrue(NativeMemory.nativeBytes() <= before);
  }
}
