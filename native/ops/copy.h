#pragma once

#include "core/tensor.h"

namespace onetape {

/// Copies the elements of `from`, broadcast and converted, into `to`. No graph, no version, no checks but of
/// the shape.
ONETAPE_API void copy_elements(const Tensor& to, const Tensor& from);

/// The elements in row-major order: the tensor itself if it has that layout, else a copy. No graph.
ONETAPE_API Tensor dense(const Tensor& t);

/// The same in memory that nobody else can write to: for what is checked first and then relied on.
ONETAPE_API Tensor dense_own(const Tensor& t);

/// Uninitialised elements in self's shape, and with its order of dimensions in memory if it is dense.
ONETAPE_API Tensor empty_laid_out_as(const Tensor& self, DType dtype);

}  // namespace onetape
