#pragma once

#include "core/tensor.h"

namespace onetape {

/// How many elements are not zero (or True).
int64_t nonzero_count(const Tensor& t);
/// Writes the indices of those elements in row-major order: dimension d of element i at to[i · element_step +
/// d · dim_step]. Of `count` elements, also if another thread has made it more or fewer: zeros then.
void write_nonzero(const Tensor& t, int64_t* to, int64_t count, int64_t element_step, int64_t dim_step);

}  // namespace onetape
