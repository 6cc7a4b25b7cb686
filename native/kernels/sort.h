#pragma once

#include "core/tensor.h"

namespace onetape {

// Tensors are not 0-dim and agree outside dim. nan counts as larger than everything.

/// Sorted lines along dim and where their elements stood; equal elements keep their order.
void sort_lines(const Tensor& values, const Tensor& indices, const Tensor& in, int64_t dim, bool descending);
/// The values.size(dim) largest (or smallest) elements of every line, in order if `sorted`.
void select_lines(const Tensor& values, const Tensor& indices, const Tensor& in, int64_t dim, bool largest,
                  bool sorted);
/// For every number the place in its sorted line (last dimension; one line for all numbers if `lines` is a
/// vector) before which it can be inserted; after equal elements if `right`. All tensors are contiguous;
/// places are int64. `sorter` (int64, may be undefined) says where the elements of a line stand in order.
void search_lines(const Tensor& places, const Tensor& lines, const Tensor& numbers, const Tensor& sorter,
                  bool right);

}  // namespace onetape
