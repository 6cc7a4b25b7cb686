package org.onetape.nn;

import org.onetape.BoolPointer;
import org.onetape.DoubleOptional;
import org.onetape.DoublePointer;
import org.onetape.LongOptional;
import org.onetape.MemoryScope;
import org.onetape.NoGradGuard;
import org.onetape.Scalar;
import org.onetape.Tensor;
import org.onetape.Value;
import org.onetape.global.torch;

/** What the options of tables of vectors share; O is the class of the options themselves. */
public abstract class EmbeddingOptionsBase<O extends EmbeddingOptionsBase<O>> extends Value {
  private final LongOptional paddingIdx = new LongOptional();
  private final DoubleOptional maxNorm = new DoubleOptional();
  private final DoublePointer normType = new DoublePointer(new double[] {2});
  private final BoolPointer scaleGradByFreq = new BoolPointer(false);
  private final BoolPointer sparse = new BoolPointer(false);

  abstract O self();

  /** The index whose vector is zero at first and gets no gradient, if any. */
  public LongOptional padding_idx() {
    return paddingIdx;
  }

  /** Sets the index whose vector is zero at first and gets no gradient; returns this. */
  public O padding_idx(LongOptional index) {
    paddingIdx.put(index);
    return self();
  }

  /** To what longer vectors are shortened when they are looked up, if at all. */
  public DoubleOptional max_norm() {
    return maxNorm;
  }

  /** Sets to what longer vectors are shortened when they are looked up; returns this. */
  public O max_norm(DoubleOptional norm) {
    maxNorm.put(norm);
    return self();
  }

  /** The norm that {@link #max_norm()} means. */
  public DoublePointer norm_type() {
    return normType;
  }

  /** Sets the norm that {@link #max_norm()} means; returns this. */
  public O norm_type(double exponent) {
    normType.put(exponent);
    return self();
  }

  /** Whether gradients are divided by how often an index occurs. */
  public BoolPointer scale_grad_by_freq() {
    return scaleGradByFreq;
  }

  /** Sets whether gradients are divided by how often an index occurs; returns this. */
  public O scale_grad_by_freq(boolean wanted) {
    scaleGradByFreq.put(wanted);
    return self();
  }

  /** Whether gradients are sparse: without effect, since all are dense. */
  public BoolPointer sparse() {
    return sparse;
  }

  /** Sets whether gradients are sparse: without effect, since all are dense; returns this. */
  public O sparse(boolean wanted) {
    sparse.put(wanted);
    return self();
  }

  /** Takes over what other options say. */
  final O like(EmbeddingOptionsBase<?> other) {
    padding_idx(other.paddingIdx).max_norm(other.maxNorm).norm_type(other.normType.get());
    return scale_grad_by_freq(other.scaleGradByFreq.get()).sparse(other.sparse.get());
  }

  /** Shortens the vectors of the given indices, in place, if that is wanted. */
  final void shorten(Tensor weight, Tensor indices) {
    if (!maxNorm.has_value()) {
      return;
    }
    double most = maxNorm.get();
    try (MemoryScope scope = new MemoryScope();
        NoGradGuard guard = new NoGradGuard()) {
      Tensor used = indices.reshape(-1);
      Tensor vectors = weight.index_select(0, used);
      long[] rows = {1};
      Tensor norms = torch.linalg_vector_norm(vectors, new Scalar(normType.get()), rows, true);
      Tensor factors = norms.add(new Scalar(1e-7)).reciprocal().mul(new Scalar(most));
      Tensor scale = torch.where(norms.gt(new Scalar(most)), factors, torch.ones_like(norms));
      weight.index_copy_(0, used, vectors.mul(scale));
    }
  }

  /** What a module shows of these options. */
  final String describeNorms() {
    String text = "";
    if (maxNorm.has_value()) {
      text += ", max_norm=" + PythonText.of(maxNorm.get());
    }
    if (normType.get() != 2) {
      text += ", norm_type=" + PythonText.of(normType.get());
    }
    return scaleGradByFreq.get() ? text + ", scale_grad_by_freq=True" : text;
  }
}
