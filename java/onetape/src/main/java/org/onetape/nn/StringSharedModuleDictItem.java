package org.onetape.nn;

import org.onetape.ObjectDict;

/** A name with its module. */
public final class StringSharedModuleDictItem extends ObjectDict.Item<Module> {
  StringSharedModuleDictItem(String key, Module value) {
    super(key, value);
  }
}
