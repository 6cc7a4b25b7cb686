package org.onetape;

import org.onetape.global.torch.ScalarType;

/** The element type of a tensor, as {@link Tensor#dtype()} gives it. */
public final class TypeMeta extends Value {
  private ScalarType type;

  /** No type yet. */
  public TypeMeta() {
    this(ScalarType.Undefined);
  }

  private TypeMeta(ScalarType type) {
    this.type = type;
  }

  /** The given element type. */
  public static TypeMeta fromScalarType(ScalarType type) {
    return new TypeMeta(type.intern());
  }

  /** The element type as an enum constant. */
  public ScalarType toScalarType() {
    return type;
  }

  /** Whether this is the given element type. */
  public boolean isScalarType(ScalarType other) {
    return type == other.intern();
  }

  /** Whether this is an element type at all. */
  public boolean isScalarType() {
    return type != ScalarType.Undefined;
  }

  /** Makes this another element type; returns this. */
  public TypeMeta put(ScalarType other) {
    type = other.intern();
    return this;
  }

  /** Makes this the same element type as the other; returns this. */
  public TypeMeta put(TypeMeta other) {
    return put(other.type);
  }

  /** The bytes an element takes. */
  public long itemsize() {
    return type.itemsize();
  }

  /** The name of the element type. */
  public BytePointer name() {
    return new BytePointer(toString());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TypeMeta && ((TypeMeta) other).type == type;
  }

  /** Whether both are the same element type. */
  public boolean equals(TypeMeta other) {
    return equals((Object) other);
  }

  /** Whether they are different element types. */
  public boolean notEquals(TypeMeta other) {
    return !equals(other);
  }

  @Override
  public int hashCode() {
    return type.hashCode();
  }

  /** The name of the element type, such as {@code Float}. */
  @Override
  public String toString() {
    return type.name();
  }
}
