#pragma once

#include <bit>
#include <cstdint>

namespace onetape {

/// IEEE 754 binary16, kept as bits; arithmetic happens in float.
struct Half {
  uint16_t bits = 0;

  Half() = default;
  Half(float value)
      : bits(from_float(value)) {}  // NOLINT(google-explicit-constructor): converts as a built-in would
  operator float() const { return to_float(bits); }  // NOLINT(google-explicit-constructor)

  static uint16_t from_float(float value) {
    const uint32_t f = std::bit_cast<uint32_t>(value);
    const uint16_t sign = static_cast<uint16_t>((f >> 16) & 0x8000u);
    const uint32_t magnitude = f & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) return sign | (magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u);
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // rounds to infinity
    if (magnitude < 0x38800000u) {  // subnormal: let the float adder round at the right place
      const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      return sign | static_cast<uint16_t>(std::bit_cast<uint32_t>(shifted) - 0x3f000000u);
    }
    const uint32_t odd = (magnitude >> 13) & 1u;
    return sign | static_cast<uint16_t>((magnitude + 0xc8000fffu + odd) >> 13);
  }

  static float to_float(uint16_t h) {
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
    const uint32_t magnitude = h & 0x7fffu;
    if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
    if (magnitude < 0x0400u) {
      const float value = static_cast<float>(magnitude) * 5.9604644775390625e-08f;  // 2^-24
      return sign ? -value : value;
    }
    return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
  }
};

/// The upper half of a float; rounding is to nearest, ties to even.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  BFloat16(float value) : bits(from_float(value)) {}  // NOLINT(google-explicit-constructor)
  operator float() const {                            // NOLINT(google-explicit-constructor)
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }

  static uint16_t from_float(float value) {
    const uint32_t f = std::bit_cast<uint32_t>(value);
    if ((f & 0x7fffffffu) > 0x7f800000u) return 0x7fc0u;
    return static_cast<uint16_t>((f + 0x7fffu + ((f >> 16) & 1u)) >> 16);
  }
};

}  // namespace onetape
