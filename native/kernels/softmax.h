#pragma once

#include <cstdint>
#include <string_view>

#include "core/dtype.h"

namespace onetape {

/// A dense tensor seen as outer × n × inner; the function runs along n.
struct AlongDim {
  int64_t outer;
  int64_t n;
  int64_t inner;
};

/// out = softmax(in) or, with log, its logarithm. `op` is the name in the NotImplementedError.
void softmax(std::string_view op, DType dtype, bool log, const AlongDim& shape, const char* in, char* out);
/// Gradient of the input from that of the output and the output itself.
void softmax_backward(DType dtype, bool log, const AlongDim& shape, const char* grad, const char* output,
                      char* out);

}  // namespace onetape
