#pragma once

#include "core/tensor.h"

namespace onetape {

// Elements picked along one dimension by a tensor of int64 indices, which are within bounds unless said
// otherwise. Shapes fit: `index` is nowhere larger than the other tensors but along dim. No tensor is 0-dim.

/// out[…, i, …] = from[…, index[…, i, …], …]; RuntimeError for an index out of bounds.
void gather_along(const Tensor& out, const Tensor& from, int64_t dim, const Tensor& index);

/// to[…, index[…, i, …], …] = source[…, i, …]; of places named several times the last one stays.
void scatter_along(const Tensor& to, int64_t dim, const Tensor& index, const Tensor& source);

enum class Combine { Add, Multiply, Max, Min };
/// The same, but combining with what is there.
void combine_along(const Tensor& to, int64_t dim, const Tensor& index, const Tensor& source, Combine how);

/// RuntimeError unless every index is in [0, size).
void check_bounds(const Tensor& index, int64_t dim, int64_t size);

/// to = value where the mask is set. `mask` has to's shape (or strides 0), value is 0-dim.
void fill_where(const Tensor& to, const Tensor& mask, const Tensor& value);
/// The elements of `from` where the mask is set, in row-major order, into contiguous `out`.
void compress(const Tensor& out, const Tensor& from, const Tensor& mask);
/// Elements of contiguous `from`, in order, to where the mask is set in `to`.
void spread(const Tensor& to, const Tensor& mask, const Tensor& from);

}  // namespace onetape
