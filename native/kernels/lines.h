#pragma once

#include "core/parallel.h"
#include "core/tensor.h"
#include "kernels/walk.h"

namespace onetape {

/// Calls f(offsets) for every line along dim of K tensors that agree outside dim, on several threads if there
/// is much work; for none if there is nothing to write to the first. The offsets, in elements, are where the
/// line starts in each tensor. No tensor is 0-dim.
template <size_t K, typename F>
void for_lines(const std::array<Tensor, K>& tensors, int64_t dim, F f) {
  if (tensors[0].numel() == 0) return;  // empty lines may be more than can be walked
  constexpr int64_t kGrain = 16384;     // elements worth a thread
  Ints shape = tensors[0].shape();
  shape.erase(static_cast<size_t>(dim));
  std::array<Ints, K> strides;
  std::array<IntSpan, K> spans;
  int64_t longest = 1;
  for (size_t k = 0; k < K; ++k) {
    strides[k] = Ints(tensors[k].strides());
    strides[k].erase(static_cast<size_t>(dim));
    spans[k] = strides[k];
    longest = std::max(longest, tensors[k].sizes()[dim]);
  }
  int64_t lines = 1;
  for (const int64_t size : shape) lines *= size;
  parallel_for(lines, std::max<int64_t>(1, kGrain / longest), [&](int64_t begin, int64_t end) {
    Walk<K> walk(shape, spans, begin);
    for (int64_t i = begin; i < end; ++i, walk.next()) f(walk);
  });
}

}  // namespace onetape
