package org.onetape.nn;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.onetape.Tensor;
import org.onetape.internal.Access;

/**
 * The fields of one module that make their values parts of it: those that hold modules, leaf
 * tensors that require a gradient (parameters), and tensors marked with {@link Buffer}.
 *
 * <p>A subclass assigns its fields after the constructor of {@link Module} has run, and may do so
 * later, too; so they are looked at whenever the parts are asked for.
 */
final class ModuleFields {
  private static final ClassValue<List<Field>> FIELDS =
      new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
          return find(type);
        }
      };

  private final ModuleParts module;
  private final List<Field> fields;
  private final Object[] seen;

  ModuleFields(ModuleParts module) {
    this.module = module;
    fields = FIELDS.get(module.getClass());
    seen = new Object[fields.size()];
  }

  private static List<Field> find(Class<?> type) {
    if (type == Module.class) {
      return List.of();
    }
    List<Field> found = new ArrayList<>(FIELDS.get(type.getSuperclass()));
    for (Field field : type.getDeclaredFields()) {
      boolean canBePart =
          Module.class.isAssignableFrom(field.getType())
              || Tensor.class.isAssignableFrom(field.getType());
      if (canBePart
          && !field.isSynthetic()
          && !Modifier.isStatic(field.getModifiers())
          && makeAccessible(field)) {
        found.add(field);
      }
    }
    return Collections.unmodifiableList(found);
  }

  private static boolean makeAccessible(Field field) {
    try {
      field.setAccessible(true);
      return true;
    } catch (InaccessibleObjectException e) {
      return false; // a Java module that is not opened; its classes can still register their parts
    }
  }

  /** Registers what was assigned to fields since the last call. */
  void register(
      Map<String, Module> children, Map<String, Tensor> parameters, Map<String, Tensor> buffers) {
    for (int i = 0; i < seen.length; i++) {
      Object value = get(fields.get(i));
      if (value == seen[i]) {
        continue;
      }
      String name = fields.get(i).getName();
      if (seen[i] != null) {
        children.remove(name, seen[i]);
        parameters.remove(name, seen[i]);
        buffers.remove(name, seen[i]);
      }
      seen[i] = value;
      if (value instanceof Module) {
        if (!children.containsValue(value)) {
          children.put(name, (Module) value);
        }
      } else if (value != null) {
        registerTensor(i, name, (Tensor) value, parameters, buffers);
      }
    }
  }

  private void registerTensor(
      int i,
      String name,
      Tensor tensor,
      Map<String, Tensor> parameters,
      Map<String, Tensor> buffers) {
    boolean isBuffer = fields.get(i).isAnnotationPresent(Buffer.class);
    if (!tensor.defined() || parameters.containsValue(tensor) || buffers.containsValue(tensor)) {
      return;
    }
    if (isBuffer || (tensor.is_leaf() && tensor.requires_grad())) {
      Tensor owned = Access.unscoped(tensor);
      (isBuffer ? buffers : parameters).put(name, owned);
      assign(i, owned);
    }
  }

  /** Puts another part in the field of a name, if there is one. */
  void replace(String name, Object part) {
    for (int i = 0; i < seen.length; i++) {
      if (fields.get(i).getName().equals(name)) {
        assign(i, part);
      }
    }
  }

  private void assign(int i, Object part) {
    Field field = fields.get(i);
    if (!field.getType().isInstance(part)) {
      return;
    }
    try {
      field.set(module, part);
      seen[i] = part;
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("cannot set " + field, e);
    }
  }

  private Object get(Field field) {
    try {
      return field.get(module);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("cannot read " + field, e);
    }
  }
}
