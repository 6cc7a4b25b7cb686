#pragma once

#include "core/options.h"
#include "core/tensor.h"

namespace onetape {

/// Checks the device of the options, makes the tensor of uninitialised elements, sets requires_grad last.
ONETAPE_API Tensor make_tensor(IntSpan size, const Options& options, DType otherwise);
/// Applies options.requires_grad to a finished tensor (error for integers).
ONETAPE_API Tensor with_requires_grad(Tensor t, const Options& options);

}  // namespace onetape
