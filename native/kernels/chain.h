#pragma once

#include <cstddef>
#include <cstdint>

namespace onetape {

/// What an item of a chain does with the value at hand, v, and an operand o.
enum class ChainStep : uint8_t {
  Load,      ///< v = o
  Store,     ///< o = v
  Add,       ///< v + o
  Sub,       ///< v - o
  SubFrom,   ///< o - v
  Mul,       ///< v · o
  Div,       ///< v / o
  DivInto,   ///< o / v
  AtLeast,   ///< o where v < o, else v: nan stays
  AtMost,    ///< o where v > o, else v
  Negative,  ///< -v
};

/// What the operand is.
enum class ChainOperand : uint8_t { Elements, Number, Value };

struct ChainItem {
  ChainStep step;
  ChainOperand kind;
  char* data;  ///< the operand's first element
};

/// Runs a chain over n elements: what is between its items stays in registers. Elements may be the very same
/// memory, never partly overlapping.
using ChainLoop = void (*)(const ChainItem* items, size_t count, int64_t n);

}  // namespace onetape
