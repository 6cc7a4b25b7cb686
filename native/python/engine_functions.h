#pragma once

#include "python/reference.h"

namespace onetape::python {

/// What torch.autograd.backward and grad call.
void add_engine_functions(PyObject* module);

}  // namespace onetape::python
