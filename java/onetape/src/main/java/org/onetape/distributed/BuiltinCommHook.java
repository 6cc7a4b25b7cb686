package org.onetape.distributed;

/** Ways to reduce gradients that run without Java. */
public enum BuiltinCommHook {
  /** The mean, as without a hook. */
  ALL_REDUCE,
  /** The mean, of gradients that travel as float16. */
  FLOAT16,
  /** The mean, of gradients that travel as bfloat16. */
  BFLOAT16
}
