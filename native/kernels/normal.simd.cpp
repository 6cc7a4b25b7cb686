#include <algorithm>
#include <bit>

#include "kernels/pointwise_loops.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace {

// Box-Muller in float, eight pairs at a time. Logarithm, sine and cosine are the single-precision ones of
// Moshier's Cephes library, evaluated with fused multiply-add in the order that PyTorch's AVX2 code has, so
// that the bits agree.

constexpr int kPairs = 8;

inline float log_cephes(float x) {
  x = std::max(x, std::numeric_limits<float>::min());
  const auto bits = std::bit_cast<int32_t>(x);
  float e = static_cast<float>((bits >> 23) - 0x7f) + 1.0f;
  x = std::bit_cast<float>((bits & 0x007fffff) | 0x3f000000);  // the mantissa in [0.5, 1)
  const bool small = x < 0.707106781186547524f;
  const float doubled = small ? x : 0.0f;
  e -= small ? 1.0f : 0.0f;
  x = (x - 1.0f) + doubled;
  const float z = x * x;
  float y = 7.0376836292e-2f;
  y = std::fma(y, x, -1.1514610310e-1f);
  y = std::fma(y, x, 1.1676998740e-1f);
  y = std::fma(y, x, -1.2420140846e-1f);
  y = std::fma(y, x, 1.4249322787e-1f);
  y = std::fma(y, x, -1.6668057665e-1f);
  y = std::fma(y, x, 2.0000714765e-1f);
  y = std::fma(y, x, -2.4999993993e-1f);
  y = std::fma(y, x, 3.3333331174e-1f);
  y = std::fma(y * x, z, e * -2.12194440e-4f);
  y = std::fma(-z, 0.5f, y);
  return std::fma(e, 0.693359375f, x + y);
}

struct SinCos {
  float sin, cos;
};

/// For x ≥ 0.
inline SinCos sincos_cephes(float x) {
  const int32_t octant = (static_cast<int32_t>(x * 1.27323954473516f) + 1) & ~1;
  const auto y = static_cast<float>(octant);
  x = std::fma(y, -0.78515625f, x);
  x = std::fma(y, -2.4187564849853515625e-4f, x);
  x = std::fma(y, -3.77489497744594108e-8f, x);
  const float z = x * x;
  float c = 2.443315711809948e-5f;
  c = std::fma(c, z, -1.388731625493765e-3f);
  c = std::fma(c, z, 4.166664568298827e-2f);
  c = std::fma(c * z, z, z * -0.5f) + 1.0f;
  float s = -1.9515295891e-4f;
  s = std::fma(s, z, 8.3321608736e-3f);
  s = std::fma(s, z, -1.6666654611e-1f);
  s = std::fma(s * z, x, x);
  const bool exchanged = (octant & 2) != 0;
  const float sine = exchanged ? c : s;
  const float cosine = exchanged ? s : c;
  return {(octant & 4) != 0 ? -sine : sine, ((octant - 2) & 4) != 0 ? cosine : -cosine};
}

/// Turns n groups of 16 uniform numbers into normal ones; params: mean, std.
void normal_float(char* const* data, const int64_t*, int64_t n, const Scalar* params) {
  const auto mean = params[0].to<float>();
  const auto std = params[1].to<float>();
  auto* at = reinterpret_cast<float*>(data[0]);
  for (int64_t group = 0; group < n; ++group, at += 2 * kPairs) {
    float radius[kPairs];
    SinCos angle[kPairs];
    for (int i = 0; i < kPairs; ++i) {
      radius[i] = std::sqrt(-2.0f * log_cephes(1.0f - at[i]));
      angle[i] = sincos_cephes(6.283185307179586f * at[i + kPairs]);
    }
    for (int i = 0; i < kPairs; ++i) {
      at[i] = std::fma(radius[i] * angle[i].cos, std, mean);
      at[i + kPairs] = std::fma(radius[i] * angle[i].sin, std, mean);
    }
  }
}

/// The same in double, where PyTorch has no vector code.
void normal_double(char* const* data, const int64_t*, int64_t n, const Scalar* params) {
  const auto mean = params[0].to<double>();
  const auto std = params[1].to<double>();
  auto* at = reinterpret_cast<double*>(data[0]);
  for (int64_t group = 0; group < n; ++group, at += 2 * kPairs) {
    for (int i = 0; i < kPairs; ++i) {
      const double radius = std::sqrt(-2.0 * std::log(1.0 - at[i]));
      const double angle = 6.283185307179586 * at[i + kPairs];
      at[i] = std::fma(radius * std::cos(angle), std, mean);
      at[i + kPairs] = std::fma(radius * std::sin(angle), std, mean);
    }
  }
}

[[maybe_unused]] const bool registered =
    register_loop(kLevel, "normal_pairs", DType::F32, &normal_float) &&
    (!kLowest || register_loop(kLevel, "normal_pairs", DType::F64, &normal_double));

}  // namespace
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
