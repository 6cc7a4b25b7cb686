#pragma once

#include "python/reference.h"

namespace onetape::python {

/// One step of each optimizer for a group of parameters: what onetape.optim calls.
void add_optimizer_functions(PyObject* module);

}  // namespace onetape::python
