#pragma once

// Special functions of one double, for kernels that apply them an element at a time.

#include <cstdint>

namespace onetape {

/// The logarithmic derivative of the gamma function.
double digamma(double x);
/// Hurwitz's zeta function, the sum of (x + k)^-s over k >= 0, for an integer s >= 2; infinite at x = 0, −1,
/// …
double hurwitz_zeta(int64_t s, double x);
/// The n-th derivative of digamma, n >= 0.
double polygamma(int64_t n, double x);
/// The x with erf(x) = y.
double erfinv(double y);
/// log |Γ(x)|
double log_gamma(double x);

}  // namespace onetape
