#pragma once

#include "core/options.h"
#include "core/tensor.h"

namespace onetape {

/// Checks the device of the options, makes the tensor of uninitialised elements, sets requires_grad last.
ONETAPE_API Tensor make_tensor(IntSpan size, const Options& options, DType otherwise);
/// RuntimeError in PyTorch's words if the dtype cannot hold the number.
ONETAPE_API void check_convertible(const Scalar& value, DType dtype);
/// A 0-dim tensor of the number in a dtype; RuntimeError in PyTorch's words if the dtype cannot hold it.
ONETAPE_API Tensor checked_scalar_tensor(const Scalar& value, DType dtype);
/// Applies options.requires_grad to a finished tensor (error for integers).
ONETAPE_API Tensor with_requires_grad(Tensor t, const Options& options);

/// An uninitialised tensor of self's shape and order of dimensions in memory.
ONETAPE_API Tensor make_like(const Tensor& self, const Options& options);

}  // namespace onetape
