#pragma once

// The elementary functions of complex numbers under the names of vector_math.h: the standard library's, one
// at a time.

#include <complex>

#include "kernels/vector_math.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace vm {

template <typename R>
using Complex = std::complex<R>;

template <typename R>
Complex<R> exp(Complex<R> z) {
  return std::exp(z);
}
template <typename R>
Complex<R> exp2(Complex<R> z) {
  return std::exp(z * kLn2<R>);
}
template <typename R>
Complex<R> log(Complex<R> z) {
  return std::log(z);
}
template <typename R>
Complex<R> log2(Complex<R> z) {
  return std::log(z) / kLn2<R>;
}
template <typename R>
Complex<R> log10(Complex<R> z) {
  return std::log10(z);
}
template <typename R>
Complex<R> sin(Complex<R> z) {
  return std::sin(z);
}
template <typename R>
Complex<R> cos(Complex<R> z) {
  return std::cos(z);
}
template <typename R>
Complex<R> tan(Complex<R> z) {
  return std::tan(z);
}
template <typename R>
Complex<R> asin(Complex<R> z) {
  return std::asin(z);
}
template <typename R>
Complex<R> acos(Complex<R> z) {
  return std::acos(z);
}
template <typename R>
Complex<R> atan(Complex<R> z) {
  return std::atan(z);
}
template <typename R>
Complex<R> sinh(Complex<R> z) {
  return std::sinh(z);
}
template <typename R>
Complex<R> cosh(Complex<R> z) {
  return std::cosh(z);
}
template <typename R>
Complex<R> tanh(Complex<R> z) {
  return std::tanh(z);
}
template <typename R>
Complex<R> asinh(Complex<R> z) {
  return std::asinh(z);
}
template <typename R>
Complex<R> acosh(Complex<R> z) {
  return std::acosh(z);
}
template <typename R>
Complex<R> atanh(Complex<R> z) {
  return std::atanh(z);
}
template <typename R>
Complex<R> sigmoid(Complex<R> z) {
  return R(1) / (R(1) + std::exp(-z));
}

/// e^z − 1 without cancellation near 0.
template <typename R>
Complex<R> expm1(Complex<R> z) {
  const R half = std::sin(z.imag() / 2);
  const R grown = std::expm1(z.real());
  return {grown - 2 * half * half * (grown + 1), (grown + 1) * std::sin(z.imag())};
}

/// log(1 + z) without cancellation near 0.
template <typename R>
Complex<R> log1p(Complex<R> z) {
  const R x = z.real();
  const R y = z.imag();
  return {std::log1p(x * (x + 2) + y * y) / 2, std::atan2(y, x + 1)};
}

}  // namespace vm
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
