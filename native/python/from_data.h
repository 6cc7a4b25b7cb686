#pragma once

#include <optional>

#include "core/tensor.h"
#include "python/reference.h"

namespace onetape::python {

/// A new tensor with the elements of nested lists, a number, a NumPy array or another tensor, copied. The
/// dtype follows from the elements if none is given.
Tensor tensor_from_data(PyObject* data, std::optional<DType> dtype);
/// torch.tensor, as_tensor, asarray, from_numpy, frombuffer.
void add_from_data(PyObject* module);

}  // namespace onetape::python
