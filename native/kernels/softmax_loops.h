#pragma once

#include <cstdint>

namespace onetape {

/// `count` sequences of n elements, `step` elements apart. With step 1 the sequences stand one after the
/// other, else they are neighbouring columns, at most kColumns.
struct SoftmaxBlock {
  static constexpr int64_t kColumns = 2048;
  const char* a;  // input, or gradient of the output
  const char* b;  // output, for the gradient
  char* out;
  int64_t count;
  int64_t n;
  int64_t step;
};
using SoftmaxLoop = void (*)(const SoftmaxBlock& block);

}  // namespace onetape
