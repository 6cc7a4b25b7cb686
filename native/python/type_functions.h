#pragma once

#include "python/reference.h"

namespace onetape::python {

/// torch.result_type, can_cast, is_tensor and their like.
void add_type_functions(PyObject* module);

}  // namespace onetape::python
