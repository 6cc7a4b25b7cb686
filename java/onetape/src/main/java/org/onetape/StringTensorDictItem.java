package org.onetape;

/** A name with its tensor. */
public final class StringTensorDictItem extends ObjectDict.Item<Tensor> {
  StringTensorDictItem(String key, Tensor value) {
    super(key, value);
  }
}
