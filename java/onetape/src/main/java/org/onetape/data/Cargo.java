package org.onetape.data;

import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * How results with tensors pass from a worker to the consumer.
 *
 * @param <R> the results
 */
final class Cargo<R> {
  static final Cargo<Batch> BATCH = new Cargo<>(Batch::unscoped, Batch::adopt, Batch::close);
  static final Cargo<Example> EXAMPLE =
      new Cargo<>(Example::unscoped, Example::adopt, Example::close);
  static final Cargo<TensorExample> TENSOR_EXAMPLE =
      new Cargo<>(TensorExample::unscoped, TensorExample::adopt, TensorExample::close);
  static final Cargo<ExampleVector> EXAMPLES =
      new Cargo<>(ExampleVector::unscoped, ExampleVector::adopt, ExampleVector::close);
  static final Cargo<TensorExampleVector> TENSOR_EXAMPLES =
      new Cargo<>(
          TensorExampleVector::unscoped, TensorExampleVector::adopt, TensorExampleVector::close);

  private final UnaryOperator<R> unscoped;
  private final Consumer<R> adopt;
  private final Consumer<R> close;

  private Cargo(UnaryOperator<R> unscoped, Consumer<R> adopt, Consumer<R> close) {
    this.unscoped = unscoped;
    this.adopt = adopt;
    this.close = close;
  }

  /** The same tensors without a scope. */
  R unscoped(R result) {
    return unscoped.apply(result);
  }

  /** Makes the tensors belong to the caller's scope; returns the result. */
  R adopted(R result) {
    adopt.accept(result);
    return result;
  }

  void close(R result) {
    close.accept(result);
  }
}
