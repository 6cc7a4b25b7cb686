#pragma once

#include <cstdint>
#include <string_view>

#include "core/dtype.h"
#include "core/ints.h"
#include "core/scalar.h"

namespace onetape {

/// `reduce` elements go into each of `keep` accumulators, which stand one after the other. Strides are in
/// bytes.
struct ReduceBlock {
  char* into;
  const char* in;
  int64_t reduce;
  int64_t keep;
  int64_t reduce_stride;
  int64_t keep_stride;
  int64_t first;  // position of the first element in the reduced dimension
};

/// The loops of one reduction for one dtype.
struct Reduction {
  int64_t accumulator_size;
  /// Sets n accumulators to the value of nothing.
  void (*start)(char* into, int64_t n);
  void (*add)(const ReduceBlock& block, const Scalar* params);
  /// into[i] takes in what other[i] has seen.
  void (*merge)(char* into, const char* other, int64_t n, const Scalar* params);
  /// Turns n accumulators into elements [at, at + n) of the outputs; null where an accumulator is the result.
  void (*finish)(const char* from, int64_t n, char* const* out, int64_t at, const Scalar* params);
};

/// The dimensions of an input, outermost first, size-1 dimensions dropped and neighbours merged. Strides are
/// in bytes. The results stand one after the other in the order of `keep`; the last of `reduce` is the loop
/// inside a block.
struct ReduceShape {
  Ints keep;
  Ints keep_strides;
  Ints reduce;
  Ints reduce_strides;
  Ints order;             // the kept dimensions in the order of the results, by their place in the input
  bool row_major = true;  // is that the order of the input's dimensions?
};

/// Bit d of `reduced` says that dimension d goes away.
ReduceShape reduce_shape(IntSpan sizes, IntSpan strides, int64_t item_size, uint64_t reduced);

/// The loops called `name` for this machine's CPU; NotImplementedError in PyTorch's words if there are none.
const Reduction& find_reduction(std::string_view name, DType dtype);

/// Will run_reduction() give each thread a part of the reduced dimensions?
bool splits_reduced(const ReduceShape& shape, int64_t item_size);

/// Runs a reduction; large ones are shared among threads, in a way that depends on nothing but sizes and
/// thread count.
void run_reduction(const Reduction& reduction, const ReduceShape& shape, int64_t item_size, const char* in,
                   char* const* out, const Scalar* params = nullptr);

}  // namespace onetape
