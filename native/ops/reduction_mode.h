#pragma once

#include <string_view>

#include "core/error.h"

namespace onetape {

/// How a loss of many elements becomes one number.
enum class Reduction : uint8_t { None, Mean, Sum };

inline Reduction parse_reduction(std::string_view word) {
  if (word == "none") return Reduction::None;
  if (word == "mean") return Reduction::Mean;
  if (word == "sum") return Reduction::Sum;
  fail(ErrorKind::Value, word, " is not a valid value for reduction");
}

}  // namespace onetape
