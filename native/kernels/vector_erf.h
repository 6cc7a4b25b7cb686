#pragma once

// The error function and what is made of it (see vector_math.h).

#include "kernels/vector_math.h"

namespace onetape {
namespace ONETAPE_LEVEL {
namespace vm {

inline float erf(float x) {
  const float a = clamp(std::abs(x), 0.0f, 4.0f);  // the result is 1 from there on
  const float z = a * a;
  // erf(a) / a − 1 for a up to 0.9, by powers of a².
  const float near = a + a * polynomial(z, 0x1.06eba6p-3f, -0x1.8127p-2f, 0x1.ce1ec2p-4f, -0x1.b6cbacp-6f,
                                        0x1.48be5ap-8f, -0x1.406868p-11f);
  // −log(1 − erf a) for a between 0.85 and 4.1.
  const float exponent = polynomial(a, -0x1.44045ap-13f, 0x1.212162p+0f, 0x1.4460eep-1f, 0x1.ba926ep-4f,
                                    -0x1.99122cp-6f, 0x1.0d839ep-8f, -0x1.baaffap-12f, 0x1.4fd836p-16f);
  return std::copysign(a < 0.9f ? near : 1 - exp(-exponent), x);
}
inline double erf(double x) { return std::erf(x); }

}  // namespace vm
}  // namespace ONETAPE_LEVEL
}  // namespace onetape
