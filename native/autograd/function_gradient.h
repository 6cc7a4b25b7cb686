#pragma once

#include <string>

#include "core/export.h"
#include "core/tensor.h"

namespace onetape {

/// What a program's function returned as gradient number `index`, in the sizes and dtype of what went in;
/// an error if it cannot be summed to those sizes. The program does not know the tensor.
ONETAPE_API Tensor fitting_gradient(const std::string& function, size_t index, Tensor gradient, IntSpan sizes,
                                    DType dtype);

}  // namespace onetape
