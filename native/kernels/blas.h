#pragma once

// The few routines of OpenBLAS that the engine uses, by element type.

#include <complex>
#include <cstdint>
#include <semaphore>

#include <cblas.h>

#include "core/dtype.h"

namespace onetape {

/// Held during a call. OpenBLAS stays on the calling thread, as the engine shares out the work itself, and
/// keeps its work space in a fixed number of buffers, so only so many threads may be inside.
class BlasCall {
 public:
  BlasCall() {
    static const bool once = (scipy_openblas_set_num_threads(1), true);
    (void)once;
    free_.acquire();
  }
  ~BlasCall() { free_.release(); }
  BlasCall(const BlasCall&) = delete;
  BlasCall& operator=(const BlasCall&) = delete;

 private:
  static inline std::counting_semaphore<64> free_{64};
};

struct BlasMatrix {
  const void* data;
  bool transposed;
  int ld;
};

template <typename T>
struct Blas;

// clang-format off
#define ONETAPE_BLAS_REAL(T, p)                                                                                        \
  template <>                                                                                                          \
  struct Blas<T> {                                                                                                     \
    static void gemm(int m, int n, int k, T alpha, const BlasMatrix& a, const BlasMatrix& b, T beta, T* c, int ldc) {  \
      scipy_cblas_##p##gemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,                                   \
                            b.transposed ? CblasTrans : CblasNoTrans, m, n, k, alpha, static_cast<const T*>(a.data),   \
                            a.ld, static_cast<const T*>(b.data), b.ld, beta, c, ldc);                                  \
    }                                                                                                                  \
    static void gemv(int m, int n, T alpha, const BlasMatrix& a, const T* x, int incx, T beta, T* y, int incy) {       \
      scipy_cblas_##p##gemv(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans, a.transposed ? n : m,             \
                            a.transposed ? m : n, alpha, static_cast<const T*>(a.data), a.ld, x, incx, beta, y, incy); \
    }                                                                                                                  \
    static T dot(int n, const T* x, int incx, const T* y, int incy) { return scipy_cblas_##p##dot(n, x, incx, y, incy); } \
  };

#define ONETAPE_BLAS_COMPLEX(T, p)                                                                                     \
  template <>                                                                                                          \
  struct Blas<T> {                                                                                                     \
    static void gemm(int m, int n, int k, T alpha, const BlasMatrix& a, const BlasMatrix& b, T beta, T* c, int ldc) {  \
      scipy_cblas_##p##gemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,                                   \
                            b.transposed ? CblasTrans : CblasNoTrans, m, n, k, &alpha, a.data, a.ld, b.data, b.ld,     \
                            &beta, c, ldc);                                                                            \
    }                                                                                                                  \
    static void gemv(int m, int n, T alpha, const BlasMatrix& a, const T* x, int incx, T beta, T* y, int incy) {       \
      scipy_cblas_##p##gemv(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans, a.transposed ? n : m,             \
                            a.transposed ? m : n, &alpha, a.data, a.ld, x, incx, &beta, y, incy);                      \
    }                                                                                                                  \
    static T dot(int n, const T* x, int incx, const T* y, int incy) {                                                  \
      T result;                                                                                                        \
      scipy_cblas_##p##dotu_sub(n, x, incx, y, incy, &result);                                                         \
      return result;                                                                                                   \
    }                                                                                                                  \
  };
// clang-format on

ONETAPE_BLAS_REAL(float, s)
ONETAPE_BLAS_REAL(double, d)
ONETAPE_BLAS_COMPLEX(complex64, c)
ONETAPE_BLAS_COMPLEX(complex128, z)

#undef ONETAPE_BLAS_REAL
#undef ONETAPE_BLAS_COMPLEX

}  // namespace onetape
