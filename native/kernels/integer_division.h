#pragma once

// Division of integers without its traps, for *.simd.cpp files: in the namespace of their CPU level.

#include <type_traits>

#include "core/error.h"

#ifndef ONETAPE_LEVEL
#define ONETAPE_LEVEL base
#endif

namespace onetape {
namespace ONETAPE_LEVEL {

/// A divisor; PyTorch's error for zero.
template <typename T>
T checked_divisor(T b) {
  if (b == 0) fail(ErrorKind::Runtime, "ZeroDivisionError");
  return b;
}

/// The least integer divided by -1 does not fit and traps. Unsigned dtypes have no -1: there, the largest
/// number is a divisor like any other.
template <typename T>
bool is_minus_one(T b) {
  return std::is_signed_v<T> && b == static_cast<T>(-1);
}

}  // namespace ONETAPE_LEVEL
}  // namespace onetape
