#pragma once

#include <cstdint>
#include <span>

#include "core/ints.h"
#include "core/scalar.h"

namespace onetape {

/// The innermost loop of a kernel: n elements of every operand, strides in bytes. Operand 0 is the output.
/// `params` are the operator's numbers, if it has any.
using InnerLoop = void (*)(char* const* data, const int64_t* strides, int64_t n, const Scalar* params);

/// One operand of a loop: its first element and its strides in bytes, one a dimension of the loop's shape (0
/// where it is broadcast).
struct LoopOperand {
  char* data = nullptr;
  Ints strides;
};

constexpr int kMaxLoopOperands = 6;

/// Runs `inner` over a shape: dimensions are reordered and merged so that the inner loop is as long and as
/// dense as it can be, and large work is shared among threads.
void run_loop(IntSpan shape, std::span<LoopOperand> operands, InnerLoop inner,
              const Scalar* params = nullptr);

/// Byte strides of a tensor broadcast to `shape`.
Ints loop_strides(IntSpan sizes, IntSpan strides, size_t item_size, IntSpan shape);

}  // namespace onetape
