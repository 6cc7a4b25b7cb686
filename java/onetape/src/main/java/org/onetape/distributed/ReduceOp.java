package org.onetape.distributed;

/** How tensors of several processes become one. */
public enum ReduceOp {
  /** The sum; of booleans, whether any is true. */
  SUM,
  /** The mean; of floating-point and complex tensors only. */
  AVG,
  /** The product; not of complex tensors. */
  PRODUCT,
  /** The smallest; not of complex tensors. */
  MIN,
  /** The largest; not of complex tensors. */
  MAX,
  /** Bitwise and; of integers and booleans only. */
  BAND,
  /** Bitwise or; of integers and booleans only. */
  BOR,
  /** Bitwise exclusive or; of integers and booleans only. */
  BXOR
}
