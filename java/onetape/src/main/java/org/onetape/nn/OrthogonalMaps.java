package org.onetape.nn;

import java.util.ArrayList;
import java.util.List;
import org.onetape.Tensor;
import org.onetape.TensorOptions;
import org.onetape.TensorVector;
import org.onetape.global.torch;
import org.onetape.global.torch.ScalarType;

/**
 * Matrices with orthonormal columns, made of products of matrices alone, step by step as Python's.
 */
final class OrthogonalMaps {
  /**
   * Of the exponential's series, for a matrix of norm 1/2: what is left out is less than the last
   * digit of a double.
   */
  private static final int TERMS = 18;

  private OrthogonalMaps() {}

  private static Tensor identity(long rows, long columns, Tensor like) {
    return torch.eye(rows, columns, new TensorOptions().dtype(like.scalar_type()));
  }

  private static Tensor joined(long dim, Tensor... parts) {
    return torch.cat(new TensorVector(parts), dim);
  }

  /**
   * The exponential: that of a small part of the matrix, by its series, squared again and again.
   */
  static Tensor matrixExp(Tensor matrix) {
    double norm = matrix.numel() == 0 ? 0 : matrix.detach().abs().sum(-2).max().item_double();
    boolean large = Double.isFinite(norm) && norm > 0;
    int halvings = large ? Math.max(0, Math.getExponent(norm) + 2) : 0;
    Tensor small = matrix.mul(Math.pow(0.5, halvings));
    Tensor unit = identity(matrix.size(-1), matrix.size(-1), matrix);
    Tensor result = unit.add(small.div(TERMS));
    for (int term = TERMS - 1; term > 0; term--) {
      result = unit.add(small.div(term).matmul(result));
    }
    for (int i = 0; i < halvings; i++) {
      result = result.matmul(result);
    }
    return result;
  }

  /** The inverse by quarters, of a matrix whose leading parts all have one. */
  static Tensor inverse(Tensor matrix) {
    long size = matrix.size(-1);
    if (size <= 1) {
      return matrix.reciprocal();
    }
    long half = size / 2;
    long rest = size - half;
    Tensor above = matrix.narrow(-2, 0, half);
    Tensor below = matrix.narrow(-2, half, rest);
    Tensor first = inverse(above.narrow(-1, 0, half));
    Tensor left = below.narrow(-1, 0, half).matmul(first);
    Tensor b = above.narrow(-1, half, rest);
    Tensor right = first.matmul(b);
    Tensor c = below.narrow(-1, 0, half);
    Tensor last = inverse(below.narrow(-1, half, rest).sub(c.matmul(right)));
    Tensor lower = last.matmul(left);
    Tensor upper = right.matmul(last);
    Tensor top = joined(-1, first.add(upper.matmul(left)), upper.neg());
    return joined(-2, top, joined(-1, lower.neg(), last));
  }

  /** (I + A/2)(I − A/2)⁻¹, of a skew-symmetric or skew-hermitian matrix. */
  static Tensor cayley(Tensor matrix) {
    Tensor unit = identity(matrix.size(-1), matrix.size(-1), matrix);
    return inverse(unit.sub(matrix.div(2))).matmul(unit.add(matrix.div(2)));
  }

  /**
   * The first columns of the product of I − tau·v·vᵀ, where v are the columns below the diagonal,
   * with 1 on it.
   */
  static Tensor householderProduct(Tensor reflectors, Tensor tau) {
    long rows = reflectors.size(-2);
    long columns = reflectors.size(-1);
    Tensor unit = identity(rows, columns, reflectors);
    Tensor v = reflectors.tril(-1).add(unit);
    Tensor gram = v.mT().matmul(v);
    Tensor weights = inverse(gram.triu(1).add(torch.diag_embed(tau.reciprocal())));
    return unit.sub(v.matmul(weights.matmul(v.narrow(-2, 0, columns).mT())));
  }

  private static double epsilon(ScalarType type) {
    switch (type) {
      case Half:
        return 0x1p-10;
      case BFloat16:
        return 0x1p-7;
      case Float:
      case ComplexFloat:
        return Math.ulp(1f);
      default:
        return Math.ulp(1d);
    }
  }

  /** Whether the columns are orthonormal, but for rounding. */
  static boolean isOrthogonal(Tensor matrix) {
    Tensor product = matrix.mH().matmul(matrix);
    double close = 10.0 * matrix.size(-2) * epsilon(matrix.scalar_type());
    Tensor unit = identity(matrix.size(-1), matrix.size(-1), matrix);
    return torch.allclose(product, unit, 1e-5, close, false);
  }

  /**
   * Gram and Schmidt's columns, each cleaned of the earlier ones twice so that rounding leaves
   * nothing.
   */
  static Tensor orthonormalColumns(Tensor matrix) {
    List<Tensor> columns = new ArrayList<>();
    for (long j = 0; j < matrix.size(-1); j++) {
      Tensor column = matrix.narrow(-1, j, 1);
      if (!columns.isEmpty()) {
        Tensor before = joined(-1, columns.toArray(new Tensor[0]));
        for (int pass = 0; pass < 2; pass++) {
          column = column.sub(before.matmul(before.mH().matmul(column)));
        }
      }
      columns.add(column.div(column.norm(2L, new long[] {-2}, true)));
    }
    return joined(-1, columns.toArray(new Tensor[0]));
  }

  /** What {@link #householderProduct} makes a matrix of, and on the diagonal the columns' signs. */
  static Tensor reflectorsOf(Tensor matrix) {
    Tensor left = matrix.clone();
    long size = matrix.size(-1);
    for (long j = 0; j < size; j++) {
      long rows = left.size(-2) - j;
      Tensor column = left.select(-1, j).narrow(-1, j, rows);
      Tensor head = column.narrow(-1, 0, 1);
      Tensor rest = column.narrow(-1, 1, rows - 1);
      Tensor length = rest.mul(rest).sum(new long[] {-1}, true);
      Tensor there = length.gt(0L);
      Tensor zero = torch.zeros_like(head);
      Tensor one = torch.ones_like(head);
      Tensor norm = head.mul(head).add(length).sqrt();
      Tensor beta = torch.where(there, torch.where(head.ge(0L), norm.neg(), norm), head);
      Tensor tau = torch.where(there, beta.sub(head).div(beta), zero);
      Tensor below = torch.where(there, rest.div(torch.where(there, head.sub(beta), one)), zero);
      Tensor v = joined(-1, one, below).unsqueeze(-1);
      Tensor part = left.narrow(-2, j, rows).narrow(-1, j, size - j);
      part.sub_(tau.unsqueeze(-1).mul(v.matmul(v.mT().matmul(part))));
      Tensor sign = torch.where(tau.eq(0L), beta.sign().neg(), beta.sign());
      column.copy_(joined(-1, sign, below));
    }
    return left;
  }
}
