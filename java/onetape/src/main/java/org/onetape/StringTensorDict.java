package org.onetape;

import java.util.Iterator;
import java.util.Map;

/** Tensors under names, such as the parameters of a module; the order is that of insertion. */
public final class StringTensorDict extends ObjectDict<Tensor>
    implements Iterable<StringTensorDictItem> {
  /** No tensors. */
  public StringTensorDict() {}

  /**
   * The tensors of a map, such as the state of a module from a file.
   *
   * @throws IllegalArgumentException if something in it is no tensor under a name
   */
  public static StringTensorDict of(Map<?, ?> tensors) {
    StringTensorDict made = new StringTensorDict();
    tensors.forEach(
        (name, tensor) -> {
          if (!(name instanceof String) || !(tensor instanceof Tensor)) {
            throw new IllegalArgumentException("under '" + name + "' there is no tensor");
          }
          made.insert((String) name, (Tensor) tensor);
        });
    return made;
  }

  private StringTensorDictItemVector listed; // the list that begin() and end() speak of

  /** The i-th name with its tensor. */
  public StringTensorDictItem get(long i) {
    String name = nameAt(i);
    return new StringTensorDictItem(name, get(name));
  }

  /** The tensors. */
  public TensorVector values() {
    return new TensorVector(entries().values());
  }

  /** The names with their tensors. */
  public StringTensorDictItemVector items() {
    StringTensorDictItemVector items = new StringTensorDictItemVector();
    for (Map.Entry<String, Tensor> entry : entries().entrySet()) {
      items.push_back(new StringTensorDictItem(entry.getKey(), entry.getValue()));
    }
    return items;
  }

  /** The place of the first tensor. */
  public StringTensorDictItemVector.Iterator begin() {
    listed = items();
    return listed.begin();
  }

  /** The place after the last tensor. */
  public StringTensorDictItemVector.Iterator end() {
    if (listed == null || listed.size() != size()) {
      listed = items();
    }
    return listed.end();
  }

  @Override
  public Iterator<StringTensorDictItem> iterator() {
    return items().iterator();
  }
}
