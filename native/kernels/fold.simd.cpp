// Reductions in which each element is taken in by one function: products, logic, counts and norms.

#include "kernels/reduce_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

// ---- prod ----
template <typename T>
struct ProdOf {
  using Acc = std::conditional_t<std::is_integral_v<T>, int64_t, compute_t<T>>;
  explicit ProdOf(const Scalar*) {}
  static Acc nothing() { return Acc(1); }
  static Acc step(Acc acc, compute_t<T> x) { return acc * static_cast<Acc>(x); }
  static Acc merge(Acc a, Acc b) { return a * b; }
};
template <typename T>
struct RoundedProd : ProdOf<T> {
  using ProdOf<T>::ProdOf;
  static void finish(float acc, char* const* out, int64_t at) { put<T>(out[0], at, acc); }
};
template <typename T>
using ProdBase =
    std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, RoundedProd<T>, ProdOf<T>>;
template <typename T>
struct Prod : ProdBase<T> {
  using ProdBase<T>::ProdBase;
};
const Fold<Prod, All> prod("prod_cpu");

// ---- any, all, count_nonzero ----

/// A truth value as wide as the element, so that a vector holds as many of one as of the other.
template <typename T>
using flag_t =
    std::conditional_t<sizeof(compute_t<T>) == 1, uint8_t,
                       std::conditional_t<sizeof(compute_t<T>) == 2, uint16_t,
                                          std::conditional_t<sizeof(compute_t<T>) == 4, uint32_t, uint64_t>>>;

template <typename T>
struct Any {
  using Acc = flag_t<T>;
  explicit Any(const Scalar*) {}
  static Acc nothing() { return 0; }
  static Acc step(Acc acc, compute_t<T> x) { return acc | static_cast<Acc>(x != compute_t<T>(0)); }
  static Acc merge(Acc a, Acc b) { return a | b; }
  static void finish(Acc acc, char* const* out, int64_t at) { put<bool>(out[0], at, acc != 0); }
};
const Fold<Any, All> any("or_cpu");

template <typename T>
struct AllOf {
  using Acc = flag_t<T>;
  explicit AllOf(const Scalar*) {}
  static Acc nothing() { return 1; }
  static Acc step(Acc acc, compute_t<T> x) { return acc & static_cast<Acc>(x != compute_t<T>(0)); }
  static Acc merge(Acc a, Acc b) { return a & b; }
  static void finish(Acc acc, char* const* out, int64_t at) { put<bool>(out[0], at, acc != 0); }
};
const Fold<AllOf, All> all("and_cpu");

template <typename T>
struct CountNonzero {
  using Acc = int64_t;
  explicit CountNonzero(const Scalar*) {}
  static Acc nothing() { return 0; }
  static Acc step(Acc acc, compute_t<T> x) { return acc + (x != compute_t<T>(0)); }
  static Acc merge(Acc a, Acc b) { return a + b; }
};
const Fold<CountNonzero, All> count_nonzero("count_nonzero_cpu");

// ---- norms: float is summed in double, so that the result is as good as exact ----
template <typename T>
using magnitude_t =
    std::conditional_t<std::is_same_v<T, complex64>, float,
                       std::conditional_t<std::is_same_v<T, complex128>, double, compute_t<T>>>;
template <typename T>
using result_t = std::conditional_t<is_complex_type<T>, magnitude_t<T>, T>;

template <typename T>
struct NormBase {
  using Acc = double;
  explicit NormBase(const Scalar*) {}
  static Acc nothing() { return 0; }
  static Acc merge(Acc a, Acc b) { return a + b; }
  static void finish(Acc acc, char* const* out, int64_t at) { put<result_t<T>>(out[0], at, acc); }
};

template <typename T>
struct Norm0 : NormBase<T> {
  using NormBase<T>::NormBase;
  static double step(double acc, compute_t<T> x) { return acc + (x != compute_t<T>(0) ? 1.0 : 0.0); }
};
const Fold<Norm0, FloatsAndComplex> norm0("norm0_cpu");

template <typename T>
struct Norm1 : NormBase<T> {
  using NormBase<T>::NormBase;
  static double step(double acc, compute_t<T> x) { return acc + static_cast<double>(std::abs(x)); }
};
const Fold<Norm1, FloatsAndComplex> norm1("norm1_cpu");

template <typename T>
struct Norm2 : NormBase<T> {
  using NormBase<T>::NormBase;
  static double step(double acc, compute_t<T> x) {
    if constexpr (is_complex_type<T>) {
      const double re = x.real();
      const double im = x.imag();
      return acc + (re * re + im * im);
    } else {
      const double wide = x;
      return acc + wide * wide;
    }
  }
  static void finish(double acc, char* const* out, int64_t at) {
    put<result_t<T>>(out[0], at, std::sqrt(acc));
  }
};
const Fold<Norm2, FloatsAndComplex> norm2("norm2_cpu");

/// params: p
template <typename T>
struct NormP : NormBase<T> {
  explicit NormP(const Scalar* params) : NormBase<T>(params), p(params[0].to<double>()) {}
  double step(double acc, compute_t<T> x) const {
    return acc + std::pow(static_cast<double>(std::abs(x)), p);
  }
  void finish(double acc, char* const* out, int64_t at) const {
    put<result_t<T>>(out[0], at, std::pow(acc, 1 / p));
  }
  double p;
};
const Fold<NormP, FloatsAndComplex> norm_p("norm_cpu");

/// Largest magnitude; NaN if there is one.
template <typename T>
struct NormInf {
  using Acc = magnitude_t<T>;
  explicit NormInf(const Scalar*) {}
  static Acc nothing() { return 0; }
  static Acc merge(Acc a, Acc b) { return a < b || b != b ? b : a; }
  static Acc step(Acc acc, compute_t<T> x) { return merge(acc, std::abs(x)); }
  static void finish(Acc acc, char* const* out, int64_t at) { put<result_t<T>>(out[0], at, acc); }
};
const Fold<NormInf, FloatsAndComplex> norm_inf("norm_inf_cpu");

/// Smallest magnitude; NaN if there is one.
template <typename T>
struct NormMinusInf {
  using Acc = magnitude_t<T>;
  explicit NormMinusInf(const Scalar*) {}
  static Acc nothing() { return std::numeric_limits<Acc>::infinity(); }
  static Acc merge(Acc a, Acc b) { return a > b || b != b ? b : a; }
  static Acc step(Acc acc, compute_t<T> x) { return merge(acc, std::abs(x)); }
  static void finish(Acc acc, char* const* out, int64_t at) { put<result_t<T>>(out[0], at, acc); }
};
const Fold<NormMinusInf, FloatsAndComplex> norm_minus_inf("norm_minus_inf_cpu");

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
