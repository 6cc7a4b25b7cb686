package org.onetape.internal;

import org.onetape.Scalar;
import org.onetape.T_TensorTensorTensorTensor_T;
import org.onetape.T_TensorTensorTensor_T;
import org.onetape.T_TensorTensor_T;

/** Turns what natives return into Java objects. */
public final class Results {
  private Results() {}

  public static T_TensorTensor_T tuple2(long[] handles) {
    return new T_TensorTensor_T(Access.tensor(handles[0]), Access.tensor(handles[1]));
  }

  public static T_TensorTensorTensor_T tuple3(long[] handles) {
    return new T_TensorTensorTensor_T(
        Access.tensor(handles[0]), Access.tensor(handles[1]), Access.tensor(handles[2]));
  }

  public static T_TensorTensorTensorTensor_T tuple4(long[] handles) {
    return new T_TensorTensorTensorTensor_T(
        Access.tensor(handles[0]),
        Access.tensor(handles[1]),
        Access.tensor(handles[2]),
        Access.tensor(handles[3]));
  }

  public static Scalar scalar(long[] bitsAndKind) {
    return Args.scalar(bitsAndKind[0], (int) bitsAndKind[1]);
  }
}
