#pragma once

#include "core/tensor.h"

namespace onetape {

/// memory[offset + index · stride] += source[index] for every index of the shape, one after the other, so
/// that places which occur several times add up.
void add_strided(const Tensor& memory, int64_t offset, IntSpan sizes, IntSpan strides, const Tensor& source);

}  // namespace onetape
