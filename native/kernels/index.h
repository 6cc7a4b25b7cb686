#pragma once

#include <vector>

#include "core/tensor.h"

namespace onetape {

/// A correspondence between chosen places of one tensor ("memory") and a tensor of what stands there
/// ("dense"). Memory is walked over `before` dimensions, then over `points` (an offset each), then over
/// `after` dimensions; dense has the same order with its points evenly spaced. All strides and offsets are in
/// elements.
struct IndexPlan {
  Ints before, memory_before, dense_before;
  std::vector<int64_t> points;
  int64_t dense_point = 0;
  Ints after, memory_after, dense_after;

  void add_before(int64_t size, int64_t memory_stride, int64_t dense_stride) {
    before.push_back(size);
    memory_before.push_back(memory_stride);
    dense_before.push_back(dense_stride);
  }
  void add_after(int64_t size, int64_t memory_stride, int64_t dense_stride) {
    after.push_back(size);
    memory_after.push_back(memory_stride);
    dense_after.push_back(dense_stride);
  }
};

/// dense = memory at the points.
void index_read(const IndexPlan& plan, const Tensor& memory, const Tensor& dense);
/// memory at the points = dense; of places that occur several times the last one stays.
void index_write(const IndexPlan& plan, const Tensor& memory, const Tensor& dense);
/// memory at the points += alpha · dense; places that occur several times add up.
void index_accumulate(const IndexPlan& plan, const Tensor& memory, const Tensor& dense, const Scalar& alpha);

}  // namespace onetape
