#include "kernels/gemm.h"

#include <climits>
#include <cstring>
#include <memory>

#include "core/parallel.h"
#include "kernels/blas.h"
#include "kernels/product.h"

namespace onetape {
namespace {

constexpr double kWorth = 1 << 19;  // multiplications worth a thread

template <typename T>
T* at(const MatrixView& m, int64_t i = 0, int64_t j = 0) {
  return reinterpret_cast<T*>(m.data) + i * m.row_stride + j * m.column_stride;
}

MatrixView rows_of(const MatrixView& m, int64_t begin, int64_t end, size_t item) {
  return {m.data + begin * m.row_stride * static_cast<int64_t>(item), end - begin, m.columns, m.row_stride,
          m.column_stride};
}

MatrixView columns_of(const MatrixView& m, int64_t begin, int64_t end, size_t item) {
  return rows_of(m.transposed(), begin, end, item).transposed();
}

/// A row-major copy in another element type.
template <typename To, typename From>
std::unique_ptr<To[]> copy_dense(const MatrixView& m) {
  auto copy = std::make_unique_for_overwrite<To[]>(static_cast<size_t>(m.rows * m.columns));
  for (int64_t i = 0; i < m.rows; ++i) {
    for (int64_t j = 0; j < m.columns; ++j) copy[i * m.columns + j] = static_cast<To>(*at<From>(m, i, j));
  }
  return copy;
}

// ---- float, double, complex: OpenBLAS ----

/// A matrix as BLAS takes it; a copy where its strides do not fit.
template <typename T>
class BlasOperand {
 public:
  explicit BlasOperand(const MatrixView& m) {
    const auto fits = [](int64_t inner, int64_t outer, int64_t length, int64_t count) {
      return (inner == 1 || length == 1) && (count == 1 || (outer >= length && outer <= INT_MAX));
    };
    if (fits(m.column_stride, m.row_stride, m.columns, m.rows)) {
      matrix_ = {m.data, false, static_cast<int>(m.rows == 1 ? m.columns : m.row_stride)};
    } else if (fits(m.row_stride, m.column_stride, m.rows, m.columns)) {
      matrix_ = {m.data, true, static_cast<int>(m.columns == 1 ? m.rows : m.column_stride)};
    } else {
      copy_ = copy_dense<T, T>(m);
      matrix_ = {copy_.get(), false, static_cast<int>(m.columns)};
    }
    matrix_.ld = std::max(matrix_.ld, 1);
  }
  const BlasMatrix& get() const { return matrix_; }

 private:
  BlasMatrix matrix_;
  std::unique_ptr<T[]> copy_;
};

/// c = alpha · a · x + beta · c with vectors x and c.
template <typename T>
void gemv_one(const MatrixView& a, const MatrixView& x, const MatrixView& c, T alpha, T beta) {
  const BlasOperand<T> left(a);
  const bool usable = x.row_stride > 0 && x.row_stride <= INT_MAX;
  std::unique_ptr<T[]> copy;
  if (!usable) copy = copy_dense<T, T>(x);
  const T* vector = usable ? at<T>(x) : copy.get();
  const BlasCall inside;
  Blas<T>::gemv(static_cast<int>(a.rows), static_cast<int>(a.columns), alpha, left.get(), vector,
                static_cast<int>(usable ? x.row_stride : 1), beta, at<T>(c),
                static_cast<int>(std::max<int64_t>(c.row_stride, 1)));
}

template <typename T>
void gemm_one(const MatrixView& a, const MatrixView& b, const MatrixView& c, T alpha, T beta) {
  if (c.columns == 1 && c.row_stride <= INT_MAX) return gemv_one<T>(a, b, c, alpha, beta);
  if (c.rows == 1 && c.column_stride <= INT_MAX)
    return gemv_one<T>(b.transposed(), a.transposed(), c.transposed(), alpha, beta);
  const BlasOperand<T> left(a);
  const BlasOperand<T> right(b);
  const BlasCall inside;
  Blas<T>::gemm(static_cast<int>(c.rows), static_cast<int>(c.columns), static_cast<int>(a.columns), alpha,
                left.get(), right.get(), beta, at<T>(c),
                static_cast<int>(std::max<int64_t>(c.row_stride, 1)));
}

// ---- other types: loops ----

template <typename T>
void gemm_loops(const MatrixView& a, const MatrixView& b, const MatrixView& c, T alpha, T beta) {
  std::unique_ptr<T[]> copy;
  const T* right = at<T>(b);
  int64_t step = b.row_stride;
  if (b.column_stride != 1) {
    copy = copy_dense<T, T>(b);
    right = copy.get();
    step = b.columns;
  }
  std::unique_ptr<T[]> row = std::make_unique<T[]>(static_cast<size_t>(c.columns));
  for (int64_t i = 0; i < c.rows; ++i) {
    std::fill_n(row.get(), c.columns, T(0));
    for (int64_t p = 0; p < a.columns; ++p) {
      const T factor = *at<T>(a, i, p);
      const T* from = right + p * step;
      for (int64_t j = 0; j < c.columns; ++j) row[j] = static_cast<T>(row[j] + factor * from[j]);
    }
    for (int64_t j = 0; j < c.columns; ++j) {
      T* to = at<T>(c, i, j);
      *to = static_cast<T>(alpha * row[j] + (beta == T(0) ? T(0) : static_cast<T>(beta * *to)));
    }
  }
}

Factor factor(const MatrixView& m) { return {at<float>(m), m.row_stride, m.column_stride}; }

/// One thread's part; `own`: by the engine's own product of float matrices.
template <typename T>
void gemm_part(const MatrixView& a, const MatrixView& b, const MatrixView& c, T alpha, T beta, bool own) {
  if constexpr (std::is_integral_v<T>) {
    gemm_loops<T>(a, b, c, alpha, beta);
  } else if (c.column_stride != 1 && c.columns != 1) {
    gemm_part<T>(b.transposed(), a.transposed(), c.transposed(), alpha, beta, own);
  } else {
    if constexpr (std::is_same_v<T, float>) {
      if (own) {
        return multiply(factor(a), factor(b), c.rows, c.columns, a.columns, at<float>(c), c.row_stride, alpha,
                        beta);
      }
    }
    gemm_one<T>(a, b, c, alpha, beta);
  }
}

template <typename T>
void scale(const MatrixView& c, T beta) {
  for (int64_t i = 0; i < c.rows; ++i) {
    for (int64_t j = 0; j < c.columns; ++j)
      *at<T>(c, i, j) = beta == T(0) ? T(0) : static_cast<T>(beta * *at<T>(c, i, j));
  }
}

bool multiplies_itself(const MatrixView& a, const MatrixView& c) {
  return own_product_pays(c.rows, c.columns, a.columns) && has_own_product();
}

/// Shares out the longer side of c: calls part(a, b, c, first column of that c).
template <typename T, typename F>
void share(const MatrixView& a, const MatrixView& b, const MatrixView& c, const F& part) {
  constexpr int64_t kUnit = 16;  // rows or columns: whole tiles of the kernels
  const bool by_rows = c.rows >= c.columns;
  const int64_t length = by_rows ? c.rows : c.columns;
  const int64_t units = (length + kUnit - 1) / kUnit;
  const double work =
      static_cast<double>(c.rows) * static_cast<double>(c.columns) * static_cast<double>(a.columns);
  const int64_t grain =
      std::max<int64_t>(1, static_cast<int64_t>(kWorth / (work / static_cast<double>(units))));
  parallel_for(units, grain, [&](int64_t from, int64_t to) {
    const int64_t begin = from * kUnit;
    const int64_t end = std::min(to * kUnit, length);
    if (by_rows) {
      part(rows_of(a, begin, end, sizeof(T)), b, rows_of(c, begin, end, sizeof(T)), 0);
    } else {
      part(a, columns_of(b, begin, end, sizeof(T)), columns_of(c, begin, end, sizeof(T)), begin);
    }
  });
}

template <typename T>
void gemm_shared(const MatrixView& a, const MatrixView& b, const MatrixView& c, T alpha, T beta) {
  if (a.columns == 0 || alpha == T(0)) return scale<T>(c, beta);
  // Decided for the whole product, so that its elements do not depend on the number of threads.
  const bool own = multiplies_itself(a, c);
  share<T>(a, b, c, [&](const MatrixView& left, const MatrixView& right, const MatrixView& to, int64_t) {
    gemm_part<T>(left, right, to, alpha, beta, own);
  });
}

/// 16-bit floats by way of float.
template <typename T>
void gemm_through_float(const MatrixView& a, const MatrixView& b, const MatrixView& c, float alpha,
                        float beta) {
  const auto wide = [](float* data, const MatrixView& m) {
    return MatrixView{reinterpret_cast<char*>(data), m.rows, m.columns, m.columns, 1};
  };
  const auto left = copy_dense<float, T>(a);
  const auto right = copy_dense<float, T>(b);
  const auto result = beta == 0
                          ? std::make_unique_for_overwrite<float[]>(static_cast<size_t>(c.rows * c.columns))
                          : copy_dense<float, T>(c);
  gemm_shared<float>(wide(left.get(), a), wide(right.get(), b), wide(result.get(), c), alpha, beta);
  for (int64_t i = 0; i < c.rows; ++i) {
    for (int64_t j = 0; j < c.columns; ++j) *at<T>(c, i, j) = T(result[i * c.columns + j]);
  }
}

bool fits_blas(const MatrixView& m) { return m.rows <= INT_MAX && m.columns <= INT_MAX; }

}  // namespace

void gemm(const char* op, DType dtype, const MatrixView& a, const MatrixView& b, const MatrixView& c,
          const Scalar& alpha, const Scalar& beta) {
  if (dtype == DType::Bool) fail(ErrorKind::NotImplemented, "\"", op, "\" not implemented for 'Bool'");
  check(fits_blas(a) && fits_blas(b), "matrix product: a size above 2147483647 is not supported, got ",
        a.rows, "x", a.columns, " and ", b.rows, "x", b.columns);
  if (c.rows == 0 || c.columns == 0) return;
  visit_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      gemm_through_float<T>(a, b, c, alpha.to<float>(), beta.to<float>());
    } else if constexpr (!std::is_same_v<T, bool>) {
      gemm_shared<T>(a, b, c, alpha.to<T>(), beta.to<T>());
    }
  });
}

void gemm_plus_row(const char* op, DType dtype, const MatrixView& a, const MatrixView& b, const MatrixView& c,
                   const Scalar& alpha, const Scalar& beta, const char* row) {
  if (dtype == DType::F32 && a.columns > 0 && alpha.to<float>() != 0 && multiplies_itself(a, c)) {
    share<float>(
        a, b, c, [&](const MatrixView& left, const MatrixView& right, const MatrixView& to, int64_t j) {
          multiply(factor(left), factor(right), to.rows, to.columns, a.columns, at<float>(to), to.row_stride,
                   alpha.to<float>(), beta.to<float>(), reinterpret_cast<const float*>(row) + j);
        });
    return;
  }
  const size_t bytes = static_cast<size_t>(c.columns) * item_size(dtype);
  for (int64_t i = 0; i < c.rows; ++i) std::memcpy(c.data + static_cast<size_t>(i) * bytes, row, bytes);
  gemm(op, dtype, a, b, c, alpha, beta);
}

void gemm_batch(const char* op, DType dtype, int64_t batch, const Batch& a, const Batch& b, const Batch& c,
                const Scalar& alpha, const Scalar& beta) {
  if (dtype == DType::Bool) fail(ErrorKind::NotImplemented, "\"", op, "\" not implemented for 'Bool'");
  const int64_t item = static_cast<int64_t>(item_size(dtype));
  const auto one = [item](const Batch& all, int64_t i) {
    MatrixView m = all.first;
    m.data += i * all.step * item;
    return m;
  };
  const double work = static_cast<double>(c.first.rows) * static_cast<double>(c.first.columns) *
                      static_cast<double>(a.first.columns);
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kWorth / std::max(work, 1.0)));
  // Enough matrices keep every thread busy with whole ones; few large ones are each shared out.
  if (batch < num_threads()) {
    for (int64_t i = 0; i < batch; ++i) gemm(op, dtype, one(a, i), one(b, i), one(c, i), alpha, beta);
    return;
  }
  parallel_for(batch, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) gemm(op, dtype, one(a, i), one(b, i), one(c, i), alpha, beta);
  });
}

void dot(DType dtype, int64_t n, const char* x, int64_t x_stride, const char* y, int64_t y_stride,
         char* out) {
  if (dtype == DType::Bool) fail(ErrorKind::NotImplemented, "\"dot\" not implemented for 'Bool'");
  visit_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* a = reinterpret_cast<const T*>(x);
    const T* b = reinterpret_cast<const T*>(y);
    constexpr bool blas =
        std::is_floating_point_v<T> || std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;
    if constexpr (blas) {
      if (x_stride > 0 && y_stride > 0 && std::max({x_stride, y_stride, n}) <= INT_MAX) {
        const BlasCall inside;
        *reinterpret_cast<T*>(out) =
            Blas<T>::dot(static_cast<int>(n), a, static_cast<int>(x_stride), b, static_cast<int>(y_stride));
        return;
      }
    }
    using Acc = std::conditional_t<std::is_integral_v<T>, int64_t, compute_t<T>>;
    Acc sum(0);
    for (int64_t i = 0; i < n; ++i)
      sum += static_cast<Acc>(a[i * x_stride]) * static_cast<Acc>(b[i * y_stride]);
    *reinterpret_cast<T*>(out) = static_cast<T>(sum);
  });
}

}  // namespace onetape
