#pragma once

#include "core/tensor.h"

// Operands for kernels that want row-major elements and have no 16-bit arithmetic.

namespace onetape {

/// The dtype of the arithmetic: 16-bit floats are computed in float32.
DType inner_dtype(DType dtype);
/// The elements in row-major order and in the dtype of the arithmetic; an undefined tensor stays one. No
/// graph.
Tensor prepared(const Tensor& t);
/// Where the elements are; null for an undefined tensor.
inline char* bytes_or_null(const Tensor& t) { return t.defined() ? t.bytes() : nullptr; }

}  // namespace onetape
