#include <algorithm>
#include <array>
#include <cstring>

#include "core/parallel.h"
#include "tape/plan.h"

// Loops of a plan whose blocks are reduced while they are in the first cache.

namespace onetape::tape {
namespace {

constexpr int64_t kPiece = kLoopGrain;    // elements that one accumulator takes in where the order may change
constexpr int64_t kMostAccumulator = 16;  // bytes

const Scalar* param_of(const ReduceCall& call) { return call.param ? &*call.param : nullptr; }

/// The accumulators take in `count` rows of `length` elements.
void add(const ReduceCall& call, char* into, const char* from, int64_t length, int64_t count, int64_t first) {
  call.reduction->add({into, from, length, count, call.item, length * call.item, first}, param_of(call));
}

/// Puts accumulators where the results from `at` on belong.
void finish(const ReduceCall& call, const char* from, int64_t count, char* out, int64_t at) {
  char* const outs[] = {out, nullptr};
  if (call.reduction->finish)
    call.reduction->finish(from, count, outs, at, param_of(call));
  else
    std::memcpy(out + at * call.reduction->accumulator_size, from,
                static_cast<size_t>(count * call.reduction->accumulator_size));
}

}  // namespace

/// Each result comes from rows of one block, as the operator itself computes it.
void Context::reduce_rows(const Step& step, const BoundLoop& loop) {
  const ReduceCall& call = *step.reduces;
  char* const out = tensor(call.result).bytes();
  const char* const whole = call.row >= 0 ? nullptr : tensor(call.slot).bytes();
  const int64_t together = loop.block / call.length;
  const size_t row_bytes = step.row_bytes * static_cast<size_t>(loop.block);
  parallel_for(call.results, std::max<int64_t>(kLoopGrain / call.length, 1), [&](int64_t begin, int64_t end) {
    alignas(64) char scratch[kScratchBytes];
    alignas(64) char accumulators[kMostBlock / kLeastReduced * kMostAccumulator];
    for (int64_t at = begin; at < end; at += together) {
      const int64_t count = std::min(together, end - at);
      run_block(step, loop, scratch, at * call.length, count * call.length);
      call.reduction->start(accumulators, count);
      const char* const from =
          whole ? whole + at * call.length * call.item : scratch + static_cast<size_t>(call.row) * row_bytes;
      add(call, accumulators, from, call.length, count, 0);
      finish(call, accumulators, count, out, at);
    }
  });
}

/// Long rows in pieces, whose accumulators are merged in their order: the same whatever the number of
/// threads.
void Context::reduce_pieces(const Step& step, const BoundLoop& loop) {
  const ReduceCall& call = *step.reduces;
  char* const out = tensor(call.result).bytes();
  const char* const whole = call.row >= 0 ? nullptr : tensor(call.slot).bytes();
  const size_t row_bytes = step.row_bytes * static_cast<size_t>(loop.block);
  const int64_t pieces = (call.length + kPiece - 1) / kPiece;
  const int64_t size = call.reduction->accumulator_size;
  std::vector<char> accumulators(static_cast<size_t>(call.results * pieces * size));
  call.reduction->start(accumulators.data(), call.results * pieces);
  parallel_for(call.results * pieces, 1, [&](int64_t begin, int64_t end) {
    alignas(64) char scratch[kScratchBytes];
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t row = piece / pieces * call.length;
      const int64_t last = std::min(piece % pieces * kPiece + kPiece, call.length);
      for (int64_t at = piece % pieces * kPiece; at < last; at += loop.block) {
        const int64_t count = std::min(loop.block, last - at);
        run_block(step, loop, scratch, row + at, count);
        const char* const from =
            whole ? whole + (row + at) * call.item : scratch + static_cast<size_t>(call.row) * row_bytes;
        add(call, accumulators.data() + piece * size, from, count, 1, at);
      }
    }
  });
  for (int64_t i = 0; i < call.results; ++i) {
    char* const first = accumulators.data() + i * pieces * size;
    for (int64_t k = 1; k < pieces; ++k) call.reduction->merge(first, first + k * size, 1, param_of(call));
    finish(call, first, 1, out, i);
  }
}

void Context::run_reduced(const Step& step, BoundLoop& loop) {
  const ReduceCall& call = *step.reduces;
  const bool fits = call.length <= loop.block;
  const bool reorders = plan_.program.reorder_sums;
  if (fits && (reorders || !splits_reduced(call.shape, call.item))) return reduce_rows(step, loop);
  if (reorders) return reduce_pieces(step, loop);
  // The operator would share each row among threads: it gets all of them.
  const Tensor all =
      call.row < 0 ? tensor(call.slot) : Tensor::empty(slot_of(call.slot).sizes, slot_of(call.slot).dtype);
  loop.reduced = all.bytes();
  run_blocks(step, loop);
  loop.reduced = nullptr;
  char* const out[] = {tensor(call.result).bytes(), nullptr};
  run_reduction(*call.reduction, call.shape, call.item, all.bytes(), out, param_of(call));
}

}  // namespace onetape::tape
