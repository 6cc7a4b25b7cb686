package org.onetape;

import org.onetape.global.torch;
import org.onetape.global.torch.Layout;
import org.onetape.global.torch.MemoryFormat;
import org.onetape.global.torch.ScalarType;

/**
 * How a new tensor is made: its element type, device, layout, and whether it takes part in
 * differentiation. What is not said takes the default.
 *
 * <p>Options never change: each method returns new ones. An object that is null, or an optional
 * without a value, leaves things unsaid.
 */
public final class TensorOptions extends Value {
  private final ScalarType dtype;
  private final Layout layout;
  private final Device device;
  private final Boolean requiresGrad;
  private final Boolean pinnedMemory;
  private final MemoryFormat memoryFormat;

  /** Nothing said. */
  public TensorOptions() {
    this(null, null, null, null, null, null);
  }

  /** The given element type. */
  public TensorOptions(ScalarType dtype) {
    this(dtype.intern(), null, null, null, null, null);
  }

  /** The given element type. */
  public TensorOptions(TypeMeta dtype) {
    this(dtype.toScalarType());
  }

  /** The given device. */
  public TensorOptions(Device device) {
    this(null, null, device, null, null, null);
  }

  /** The given layout. */
  public TensorOptions(Layout layout) {
    this(null, layout, null, null, null, null);
  }

  /** The given order of dimensions in memory. */
  public TensorOptions(MemoryFormat memoryFormat) {
    this(null, null, null, null, null, memoryFormat);
  }

  /** The same options as others. */
  public TensorOptions(TensorOptions other) {
    this(
        other.dtype,
        other.layout,
        other.device,
        other.requiresGrad,
        other.pinnedMemory,
        other.memoryFormat);
  }

  private TensorOptions(
      ScalarType dtype,
      Layout layout,
      Device device,
      Boolean requiresGrad,
      Boolean pinnedMemory,
      MemoryFormat memoryFormat) {
    this.dtype = dtype;
    this.layout = layout;
    this.device = device;
    this.requiresGrad = requiresGrad;
    this.pinnedMemory = pinnedMemory;
    this.memoryFormat = memoryFormat;
  }

  /** With another element type. */
  public TensorOptions dtype(ScalarType newType) {
    ScalarType type = newType == null ? null : newType.intern();
    return new TensorOptions(type, layout, device, requiresGrad, pinnedMemory, memoryFormat);
  }

  /** With another element type. */
  public TensorOptions dtype(ScalarTypeOptional newType) {
    return dtype(OptionalValue.valueOf(newType));
  }

  /** With another element type. */
  public TensorOptions dtype(TypeMeta newType) {
    return dtype(newType.toScalarType());
  }

  /** With another device. */
  public TensorOptions device(Device newDevice) {
    return new TensorOptions(dtype, layout, newDevice, requiresGrad, pinnedMemory, memoryFormat);
  }

  /** With another device. */
  public TensorOptions device(DeviceOptional newDevice) {
    return device(OptionalValue.valueOf(newDevice));
  }

  /** With another layout. */
  public TensorOptions layout(Layout newLayout) {
    return new TensorOptions(dtype, newLayout, device, requiresGrad, pinnedMemory, memoryFormat);
  }

  /** With another layout. */
  public TensorOptions layout(LayoutOptional newLayout) {
    return layout(OptionalValue.valueOf(newLayout));
  }

  /** Saying whether the tensor takes part in differentiation. */
  public TensorOptions requires_grad(boolean required) {
    return new TensorOptions(dtype, layout, device, required, pinnedMemory, memoryFormat);
  }

  /** Saying whether the tensor takes part in differentiation. */
  public TensorOptions requires_grad(BoolOptional required) {
    Boolean value = OptionalValue.valueOf(required);
    return new TensorOptions(dtype, layout, device, value, pinnedMemory, memoryFormat);
  }

  /** Saying whether the memory may not be moved; without effect on the CPU. */
  public TensorOptions pinned_memory(BoolOptional pinned) {
    Boolean value = OptionalValue.valueOf(pinned);
    return new TensorOptions(dtype, layout, device, requiresGrad, value, memoryFormat);
  }

  /** With another order of dimensions in memory. */
  public TensorOptions memory_format(MemoryFormat newFormat) {
    return new TensorOptions(dtype, layout, device, requiresGrad, pinnedMemory, newFormat);
  }

  /** With another order of dimensions in memory. */
  public TensorOptions memory_format(MemoryFormatOptional newFormat) {
    return memory_format(OptionalValue.valueOf(newFormat));
  }

  /** The element type; the default one where nothing was said. */
  public TypeMeta dtype() {
    return TypeMeta.fromScalarType(dtype == null ? torch.get_default_dtype() : dtype);
  }

  /** The device; the CPU where nothing was said. */
  public Device device() {
    return device == null ? new Device(torch.DeviceType.CPU) : device;
  }

  /** The layout; strided where nothing was said. */
  public Layout layout() {
    return layout == null ? Layout.Strided : layout;
  }

  /** Whether the tensor takes part in differentiation; false where nothing was said. */
  public boolean requires_grad() {
    return requiresGrad != null && requiresGrad;
  }

  /** Whether the memory may not be moved; false where nothing was said. */
  public boolean pinned_memory() {
    return pinnedMemory != null && pinnedMemory;
  }

  /** The element type, if said. */
  public ScalarTypeOptional dtype_opt() {
    return new ScalarTypeOptional(dtype);
  }

  /** The device, if said. */
  public DeviceOptional device_opt() {
    return new DeviceOptional(device);
  }

  /** The layout, if said. */
  public LayoutOptional layout_opt() {
    return new LayoutOptional(layout);
  }

  /** The order of dimensions in memory, if said. */
  public MemoryFormatOptional memory_format_opt() {
    return new MemoryFormatOptional(memoryFormat);
  }

  /** Whether an element type was said. */
  public boolean has_dtype() {
    return dtype != null;
  }

  /** Whether a device was said. */
  public boolean has_device() {
    return device != null;
  }

  /** Whether a layout was said. */
  public boolean has_layout() {
    return layout != null;
  }

  /** Whether it was said if the tensor takes part in differentiation. */
  public boolean has_requires_grad() {
    return requiresGrad != null;
  }

  /** Whether an order of dimensions in memory was said. */
  public boolean has_memory_format() {
    return memoryFormat != null;
  }

  /** These options, where the other's say nothing else. */
  public TensorOptions merge_in(TensorOptions other) {
    return new TensorOptions(
        other.dtype == null ? dtype : other.dtype,
        other.layout == null ? layout : other.layout,
        other.device == null ? device : other.device,
        other.requiresGrad == null ? requiresGrad : other.requiresGrad,
        other.pinnedMemory == null ? pinnedMemory : other.pinnedMemory,
        other.memoryFormat == null ? memoryFormat : other.memoryFormat);
  }

  @Override
  public String toString() {
    return "TensorOptions(dtype="
        + dtype()
        + ", device="
        + device()
        + ", layout="
        + layout()
        + ", requires_grad="
        + requires_grad()
        + ")";
  }
}
