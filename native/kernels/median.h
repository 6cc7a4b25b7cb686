#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace onetape {

/// Of each of `rows` rows of n ≥ 1 dense elements the middle one (the lower of two, NaN if there is one) and
/// its position; `indices` may be null. NotImplementedError naming `op` for bool and complex.
void median_rows(const char* op, DType dtype, const char* in, int64_t rows, int64_t n, char* values,
                 int64_t* indices);

}  // namespace onetape
